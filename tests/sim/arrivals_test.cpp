// SPDX-License-Identifier: Apache-2.0
//
// Do calls begin when the scenario says? Counts per second beside the rate's profile.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "goodness.hpp"
#include "runs.hpp"
#include "varied_scenarios.hpp"

namespace perdure::testing {
namespace {

using namespace sim;

Scenario counting(std::vector<RatePoint> rate, Duration duration, int clients = 1) {
    return {.clients = {.count = clients, .rate = std::move(rate)},
            .plan = plain_plan(1, 1s, {}),
            .services = {{.workers = unlimited}},
            .network = {.there = Distribution::constant(0ns), .back = Distribution::constant(0ns)},
            .duration = duration};
}

// Calls expected in second `i`.
double area(const std::vector<RatePoint>& rate, double from, double to) {
    constexpr int steps = 1000;
    double sum = 0;
    for (int k = 0; k < steps; ++k) {
        const double t = from + (to - from) * (k + 0.5) / steps;
        double value = t < seconds(rate.front().at) ? 0 : rate.back().per_second;
        for (std::size_t i = 0; i + 1 < rate.size(); ++i) {
            const double a = seconds(rate[i].at), b = seconds(rate[i + 1].at);
            if (t >= a && t < b)
                value = rate[i].per_second +
                        (rate[i + 1].per_second - rate[i].per_second) * (t - a) / (b - a);
        }
        sum += value * (to - from) / steps;
    }
    return sum;
}

TEST(PoissonArrivals, follow_ramps_and_jumps) {
    const std::vector<RatePoint> rate{{2s, 100}, {10s, 100}, {10s, 400}, {20s, 50}, {30s, 600}};
    std::vector<double> found(40), expected(40);
    constexpr int seeds = 20;
    for (const Account& account : run_many(counting(rate, 40s), seeds)) {
        ASSERT_LE(account.seconds.size(), found.size() + 1);
        for (std::size_t i = 0; i < std::min(found.size(), account.seconds.size()); ++i)
            found[i] += account.seconds[i].offered;
    }
    for (std::size_t i = 0; i < expected.size(); ++i)
        expected[i] = seeds * area(rate, static_cast<double>(i), static_cast<double>(i) + 1);
    EXPECT_EQ(found[0] + found[1], 0);
    expect_poisson({found.begin() + 2, found.end()}, {expected.begin() + 2, expected.end()});
}

TEST(PoissonArrivals, spread_within_a_second_as_chance_does) {
    std::vector<double> counts;
    for (std::uint64_t seed = 1; seed <= 5; ++seed)
        for (const Second& second : run(counting({{0s, 50}}, 200s), seed).seconds)
            counts.push_back(second.offered);
    counts.resize(1000);
    expect_poisson(counts, std::vector<double>(counts.size(), 50));
}

TEST(PoissonArrivals, end_with_a_rate_of_zero_and_begin_again_after_a_pause) {
    const Account ended = run(counting({{0s, 300}, {10s, 0}}, 60s), 1);
    EXPECT_NEAR(static_cast<double>(ended.calls), 1500, 3.3 * std::sqrt(1500.0));
    EXPECT_LE(ended.last_success, 10s);
    const Account paused =
        run(counting({{0s, 100}, {5s, 100}, {5s, 0}, {8s, 0}, {8s, 100}}, 12s), 1);
    EXPECT_GT(paused.seconds[4].offered, 0U);
    for (const std::size_t i : {5U, 6U, 7U}) EXPECT_EQ(paused.seconds[i].offered, 0U);
    EXPECT_GT(paused.seconds[8].offered, 0U);
    EXPECT_EQ(run(counting({{0s, 0}}, 5s), 1).calls, 0U);
}

TEST(ClosedLoop, lets_each_client_begin_again_only_after_its_answer_and_a_pause) {
    Scenario scenario = counting({{0s, 1}}, 500s, 20);
    scenario.clients.arrivals = Arrivals::closed;
    scenario.clients.think = Distribution::exponential(90ms);
    scenario.services[0].work = Distribution::exponential(10ms);
    const auto calls = estimate(each(run_many(scenario, 20), [](const Account& account) {
        return static_cast<double>(account.calls) / 500;
    }));
    EXPECT_TRUE(calls.covers(20 / 0.1)) << calls.mean << " ± " << calls.margin;
}

// One worker and N clients: the machine repair model, whose throughput is known.
TEST(ClosedLoop, has_the_throughput_of_the_machine_repair_model) {
    Scenario scenario = counting({{0s, 1}}, 300s, 8);
    scenario.clients.arrivals = Arrivals::closed;
    scenario.clients.think = Distribution::exponential(50ms);
    scenario.services[0] = {.workers = 1, .work = Distribution::exponential(10ms)};
    double weight = 1, total = 1;
    for (int n = 1; n <= 8; ++n) total += weight *= (8 - n + 1) * 0.2;
    const auto calls = estimate(each(run_many(scenario, 20), [](const Account& account) {
        return over_seconds(account, 10s, 300s, &Second::served) / 290;
    }));
    EXPECT_TRUE(calls.covers(100 * (1 - 1 / total))) << calls.mean << " ± " << calls.margin;
}

TEST(OnceArrivals, bring_every_client_once_within_the_time) {
    Scenario scenario = counting({{0s, 1}}, 5s, 1000);
    scenario.clients.arrivals = Arrivals::once;
    scenario.clients.within = 2s;
    const Account account = run(scenario, 1);
    EXPECT_EQ(account.calls, 1000U);
    EXPECT_EQ(account.seconds[0].offered + account.seconds[1].offered, 1000U);
    expect_poisson({static_cast<double>(account.seconds[0].offered)}, {500});
}

}  // namespace
}  // namespace perdure::testing
