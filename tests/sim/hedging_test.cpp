// SPDX-License-Identifier: Apache-2.0
//
// When do copies of slow requests help, and when do they bring a service down? 20 replicas of one
// worker; one request in a hundred takes twenty times as long; a copy after 30 ms.
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
namespace hedging_study {

using namespace sim;

enum class Copies : std::uint8_t { none, kept, called_off, paid };

Scenario hedged(double load, Copies copies, double requests) {
    const Distribution work = Distribution::bimodal(5ms, 100ms, 0.01, Modes::exponential);
    const double rate = 20 * load / (work.mean() * 1e-9);
    Plan plan = plain_plan(1, never, {});
    if (copies != Copies::none) plan.hedge = HedgeOptions{.after = 30ms, .cost = 1};
    if (copies == Copies::paid) plan.budget = {.kind = BudgetKind::requests, .deposit = 0.05};
    const auto lasting = [&](double share) {
        return Duration{static_cast<Duration::rep>(share * requests / rate * 1e9)};
    };
    return {.clients = {.count = 1, .rate = {{0s, rate}}},
            .plan = plan,
            .services = {{.replicas = 20, .work = work}},
            .network = {.there = Distribution::constant(0ns), .back = Distribution::constant(0ns)},
            .cancel =
                copies == Copies::kept || copies == Copies::none ? Cancel::nothing : Cancel::queued,
            .duration = lasting(1.05),
            .warm_up = lasting(0.05)};
}

struct Case {
    double load;
    Copies copies;
    double p50, p99, p999, sent;  // milliseconds; p50 above 1000: it collapses
};
const std::vector<Case> cases{
    {.1, Copies::none, 3.9, 108, 336, 1},         {.1, Copies::kept, 3.9, 35, 49, 1.03},
    {.1, Copies::called_off, 3.9, 34, 48, 1.02},  {.3, Copies::none, 5.2, 224, 465, 1},
    {.3, Copies::kept, 5.4, 47, 136, 1.08},       {.3, Copies::called_off, 5.2, 42, 89, 1.06},
    {.5, Copies::none, 7.5, 323, 561, 1},         {.5, Copies::kept, 11, 158, 315, 1.26},
    {.5, Copies::called_off, 7.5, 55, 135, 1.12}, {.6, Copies::none, 9.9, 420, 784, 1},
    {.6, Copies::kept, 46'000, 0, 0, 2.00},       {.6, Copies::called_off, 9.9, 68, 172, 1.17},
    {.7, Copies::kept, 46'000, 0, 0, 2.00},       {.7, Copies::called_off, 14, 82, 180, 1.24},
    {.8, Copies::none, 24, 631, 1113, 1},         {.8, Copies::called_off, 22, 102, 209, 1.37},
    {.8, Copies::paid, 23, 503, 845, 1.05},
};

std::string name_of(Copies copies) {
    constexpr std::array<const char*, 4> names{"none", "not called off", "called off while queued",
                                               "called off, 5 % of calls"};
    return names[static_cast<std::size_t>(copies)];
}

struct Tolerance {
    double p50, p99, p999, sent;
};

void compare(const std::vector<double>& loads, double requests, const Tolerance& usual,
             const Tolerance& at_eighty_percent) {
    Evidence evidence{
        "hedging", {"load", "copies", "p50, ms", "p99", "p99.9", "attempts per call", "reference"}};
    for (const Case& one : cases) {
        if (std::ranges::find(loads, one.load) == loads.end()) continue;
        SCOPED_TRACE("load " + cell(one.load, 1) + ", copies " + name_of(one.copies));
        const Tolerance& within = one.load == .8 ? at_eighty_percent : usual;
        const Account account = run(hedged(one.load, one.copies, requests), 1);
        const auto ms = [&](double q) {
            return static_cast<double>(account.latency.quantile(q).value_or(0ns).count()) / 1e6;
        };
        const double sent = account.amplification();
        if (one.p50 > 1000) {
            EXPECT_GT(ms(0.5), 1000);
            EXPECT_GT(sent, 1.9);
        } else {
            EXPECT_NEAR(ms(0.5), one.p50, within.p50 * one.p50);
            EXPECT_NEAR(ms(0.99), one.p99, within.p99 * one.p99);
            EXPECT_NEAR(ms(0.999), one.p999, within.p999 * one.p999);
            EXPECT_NEAR(sent, one.sent, within.sent * one.sent);
        }
        evidence.row({cell(one.load, 1), name_of(one.copies), cell(ms(.5), 1), cell(ms(.99), 0),
                      cell(ms(.999), 0), cell(sent, 2),
                      one.p50 > 1000 ? "collapse"
                                     : cell(one.p50, 1) + " / " + cell(one.p99, 0) + " / " +
                                           cell(one.p999, 0) + ", " + cell(one.sent, 2)});
    }
}

TEST(Hedging, wins_the_tail_at_low_load_and_collapses_at_sixty_percent_if_losers_are_kept) {
    compare({.1, .5, .6}, 300'000, {.05, .15, .30, .03}, {});
}
TEST(SimFull, hedging_does_what_the_reference_table_says) {
    if (!full_run_wanted()) GTEST_SKIP() << "set PERDURE_SIM_FULL";
    // Over 16 seeds, a run of a million requests at load 0.8 scatters by 1.6 and 4 % at p50 and p99,
    // and the reference is such a run itself; its p50 is printed to 4 %.
    compare({.1, .3, .5, .6, .7, .8}, 2'000'000, {.05, .10, .15, .02}, {.08, .15, .15, .02});
}

}  // namespace hedging_study
}  // namespace
}  // namespace perdure::testing
