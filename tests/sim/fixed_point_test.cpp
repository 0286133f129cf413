// SPDX-License-Identifier: Apache-2.0
//
// Does a service with retrying clients have the two states that the fixed point promises? One
// worker of 1 ms, four attempts at once after each timeout, work that is not called off.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "evidence.hpp"
#include "perdure/policy/tipping.hpp"
#include "runs.hpp"
#include "varied_scenarios.hpp"

namespace perdure::testing {
namespace {
namespace fixed_point_study {

using namespace sim;

constexpr double capacity = 1000;

struct Start {
    bool pushed = false;  // by two seconds in which next to nothing is served
};

Scenario looping(double rate, int attempts, Duration timeout, Start start, Duration duration) {
    Scenario scenario{
        .clients = {.count = 10, .rate = {{0s, rate}}},
        .plan = plain_plan(attempts, timeout, {.base = 0ms, .cap = 0ms}),
        .services = {{.work = Distribution::exponential(1ms)}},
        .network = {.there = Distribution::constant(0ns), .back = Distribution::constant(0ns)},
        .duration = duration,
        .warm_up = duration - 30s};
    if (start.pushed) scenario.changes = {slow_down(5s, 7s, 0.01)};
    return scenario;
}

double attempts_per_second(const Scenario& scenario, std::uint64_t seed) {
    const Account account = run(scenario, seed);
    return account.amplification() * scenario.clients.rate.front().per_second;
}

struct Case {
    double rate;
    Duration timeout;
    double healthy, stuck;  // attempts per second; healthy 0: there is none
};
// Not nearer to the tipping point: there chance alone throws the healthy state over.
const std::vector<Case> cases{{300, 50ms, 300, 1200},
                              {800, 50ms, 800.04, 3200},
                              {800, 500ms, 800, 3200},
                              {950, 500ms, 950, 3800},
                              {950, 50ms, 0, 3800}};

void compare(int seeds) {
    Evidence evidence{"fixed-point",
                      {"calls/s", "timeout, ms", "healthy, theory", "simulated",
                       "after a push, theory", "simulated"}};
    for (const auto& [rate, timeout, healthy, stuck] : cases)
        for (int seed = 1; seed <= seeds; ++seed) {
            SCOPED_TRACE("calls " + cell(rate, 0) + ", timeout " + cell(seconds(timeout), 2) +
                         ", seed " + std::to_string(seed));
            const Tipping theory = tipping_point(
                {.rate = rate, .capacity = capacity, .attempts = 4, .timeout = timeout});
            ASSERT_TRUE(theory.stuck);
            EXPECT_NEAR(*theory.stuck, stuck, 1);
            if (healthy > 0) {
                EXPECT_NEAR(theory.healthy.value_or(0), healthy, 0.01);
            } else {
                EXPECT_FALSE(theory.healthy);
            }
            const auto which = static_cast<std::uint64_t>(seed);
            const double calm = attempts_per_second(looping(rate, 4, timeout, {}, 90s), which);
            const double pushed =
                attempts_per_second(looping(rate, 4, timeout, {.pushed = true}, 90s), which);
            EXPECT_NEAR(pushed, stuck, 0.01 * stuck);
            EXPECT_NEAR(calm, healthy > 0 ? healthy : stuck,
                        0.01 * (healthy > 0 ? healthy : stuck));
            if (seed == 1)
                evidence.row({cell(rate, 0), cell(seconds(timeout) * 1000, 0),
                              healthy > 0 ? cell(healthy, 2) : "none", cell(calm, 2),
                              cell(stuck, 0), cell(pushed, 1)});
        }
}

TEST(FixedPoint, is_where_the_service_stays_before_and_after_a_push) { compare(1); }
TEST(SimFull, the_fixed_point_is_where_the_service_stays) {
    if (!full_run_wanted()) GTEST_SKIP() << "set PERDURE_SIM_FULL";
    compare(10);
}

// Safe utilisation is one through the attempts: below, every push is forgotten; above, none is.
TEST(FixedPoint, is_lost_only_above_capacity_divided_by_attempts) {
    struct Edge {
        int attempts;
        double below, above;
    };
    for (const auto& [attempts, below, above] :
         std::vector<Edge>{{4, 230, 270}, {3, 310, 360}, {2, 460, 540}}) {
        const Start pushed{.pushed = true};
        EXPECT_NEAR(attempts_per_second(looping(below, attempts, 500ms, pushed, 150s), 1), below,
                    0.01 * below)
            << attempts;
        EXPECT_NEAR(attempts_per_second(looping(above, attempts, 500ms, pushed, 150s), 1),
                    attempts * above, 0.01 * attempts * above)
            << attempts;
    }
}

}  // namespace fixed_point_study
}  // namespace
}  // namespace perdure::testing
