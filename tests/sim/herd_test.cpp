// SPDX-License-Identifier: Apache-2.0
//
// What does jitter do in its proper role? Ten thousand clients fail together, and come back to a
// service that was down for a minute and takes a thousand a second.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "evidence.hpp"
#include "runs.hpp"
#include "varied_scenarios.hpp"

namespace perdure::testing {
namespace {
namespace herd_study {

using namespace sim;

constexpr Duration outage = 60s;
constexpr int clients = 10'000;

struct Case {
    const char* name;
    Jitter jitter;
    Curve curve;
    double seconds, calls_per_client, most_per_second;  // after the outage
};
constexpr std::array<Case, 5> cases{{
    {"exponential, no jitter", Jitter::none, Curve::exponential, 292, 11.5, 10'000},
    {"± 20 %", {0.8, 1.2}, Curve::exponential, 38, 7.3, 1'000},
    {"equal", Jitter::equal, Curve::exponential, 32, 8.1, 1'000},
    {"full", Jitter::full, Curve::exponential, 32, 9.5, 1'000},
    {"decorrelated", Jitter::full, Curve::decorrelated, 32, 9.5, 1'000},
}};

Scenario herd(const Case& one) {
    Plan plan = plain_plan(1'000'000, never,
                           {.base = 1s, .cap = 32s, .jitter = one.jitter, .curve = one.curve});
    return {.clients = {.count = clients, .arrivals = Arrivals::once, .within = 10ms},
            .plan = plan,
            .services = {{.work = Distribution::constant(1ms), .queue = {.limit = 1000}}},
            .network = {.there = Distribution::constant(0ns), .back = Distribution::constant(0ns)},
            .changes = {{.from = 0s, .to = outage, .what = Change::What::failing, .value = 1}},
            .duration = 1s};
}

void compare(int seeds) {
    Evidence evidence{"herd",
                      {"back-off", "seconds until all are served", "reference", "calls per client",
                       "reference", "busiest second after the outage"}};
    for (const Case& one : cases) {
        const auto runs = run_many(herd(one), seeds);
        const auto mean = [&](auto figure) { return summarise(each(runs, figure)).mean; };
        const double time =
            mean([](const Account& account) { return seconds(account.last_success - outage); });
        const double calls = mean([](const Account& account) { return account.amplification(); });
        const double busiest = mean([](const Account& account) {
            double most = 0;
            for (std::size_t i = 60; i < account.seconds.size(); ++i)
                most = std::max(most, static_cast<double>(account.seconds[i].attempts));
            return most;
        });
        EXPECT_NEAR(time, one.seconds, 0.05 * one.seconds) << one.name;
        EXPECT_NEAR(calls, one.calls_per_client, 0.05 * one.calls_per_client) << one.name;
        EXPECT_LE(busiest, one.most_per_second) << one.name;
        EXPECT_GE(busiest, 0.5 * one.most_per_second) << one.name;
        for (const Account& account : runs) EXPECT_EQ(account.ok, account.offered);
        evidence.row({one.name, cell(time, 1), cell(one.seconds, 0), cell(calls, 2),
                      cell(one.calls_per_client, 1), cell(busiest, 0)});
    }
}

TEST(Herd, comes_back_in_waves_without_jitter_and_evenly_with_it) { compare(1); }
TEST(SimFull, the_herd_comes_back_as_in_the_reference) {
    if (!full_run_wanted()) GTEST_SKIP() << "set PERDURE_SIM_FULL";
    compare(20);
}

// Without jitter all of them stand at the door in the same tenth of a second.
TEST(Herd, marches_in_step_without_jitter) {
    const Account account = run(herd(cases[0]), 1);
    EXPECT_EQ(account.busiest_tenth, static_cast<std::uint32_t>(clients));
    EXPECT_EQ(account.seconds[1].attempts, static_cast<std::uint32_t>(clients));
    EXPECT_EQ(account.seconds[2].attempts, 0U);
    EXPECT_EQ(account.seconds[3].attempts, static_cast<std::uint32_t>(clients));
}

std::vector<std::uint32_t> per_second(int hosts, Offsets offsets, int periods, std::uint64_t seed) {
    const Scenario scenario{.clients = {.count = hosts,
                                        .arrivals = Arrivals::periodic,
                                        .period = 60s,
                                        .offsets = offsets},
                            .plan = plain_plan(1, 1s, {}),
                            .services = {{.workers = unlimited}},
                            .duration = 60s * periods};
    std::vector<std::uint32_t> counts;
    for (const Second& second : run(scenario, seed).seconds) counts.push_back(second.offered);
    counts.resize(60 * static_cast<std::size_t>(periods));
    return counts;
}

TEST(PeriodicWork, peaks_with_everybody_at_once_when_nobody_spreads_it) {
    EXPECT_EQ(std::ranges::max(per_second(1000, Offsets::in_step, 2, 1)), 1000U);
}

TEST(PeriodicWork, keeps_one_pattern_when_spread_by_a_hash) {
    struct Peak {
        int hosts;
        double least, most;
    };
    Evidence evidence{"periodic", {"hosts", "mean per second", "peak, hashed"}};
    for (const auto& [hosts, least, most] :
         std::vector<Peak>{{100, 4, 8}, {1'000, 22, 34}, {10'000, 172, 211}}) {
        const auto counts = per_second(hosts, Offsets::hashed, 3, 1);
        const double peak = std::ranges::max(counts);
        EXPECT_GE(peak, least) << hosts;
        EXPECT_LE(peak, most) << hosts;
        for (std::size_t i = 60; i < counts.size(); ++i) EXPECT_EQ(counts[i], counts[i - 60]);
        evidence.row({std::to_string(hosts), cell(hosts / 60.0, 1), cell(peak, 0)});
    }
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
        sum += std::ranges::max(per_second(10'000, Offsets::hashed, 1, seed));
    EXPECT_NEAR(sum / 20, 187 + 10, 15);
}

TEST(PeriodicWork, is_perfectly_even_where_hosts_know_their_number) {
    const auto counts = per_second(10'000, Offsets::even, 2, 1);
    EXPECT_EQ(std::ranges::max(counts), 167U);
    EXPECT_EQ(std::ranges::min(counts), 166U);
}

TEST(PeriodicWork, moves_its_peak_with_fresh_chance) {
    const auto counts = per_second(1'000, Offsets::fresh, 2, 1);
    EXPECT_FALSE(std::equal(counts.begin(), counts.begin() + 60, counts.begin() + 60));
    EXPECT_LE(std::ranges::max(counts), 40U);
}

}  // namespace herd_study
}  // namespace
}  // namespace perdure::testing
