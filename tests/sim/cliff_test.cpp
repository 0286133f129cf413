// SPDX-License-Identifier: Apache-2.0
//
// What does a timeout at the tail of a tight distribution do when the service gets a little slower?
// And what does it do to a fleet whose connections are all new?
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "evidence.hpp"
#include "runs.hpp"
#include "varied_scenarios.hpp"

namespace perdure::testing {
namespace {

using namespace sim;

// Half take less than 10 ms, one in a thousand more than 12. Workers without limit: the pure figure.
Scenario tight(Duration timeout, double slower, int attempts, Duration duration) {
    return {.clients = {.count = 10, .rate = {{0s, 2000}}},
            .plan = plain_plan(attempts, timeout, {.base = 0ms, .cap = 0ms}),
            .services = {{.workers = unlimited, .work = Distribution::log_normal(10ms, 12ms)}},
            .network = {.there = Distribution::constant(0ns), .back = Distribution::constant(0ns)},
            .changes = {slow_down(0s, never, 1 / slower)},
            .duration = duration,
            .warm_up = 1s};
}

double false_timeouts(double timeout_ms, double slower) {
    const double sigma = std::log(1.2) / 3.090232306167813;
    return std::erfc(std::log(timeout_ms / (10 * slower)) / sigma / std::sqrt(2.0)) / 2;
}

void compare(Duration duration) {
    Evidence evidence{"timeout-cliff",
                      {"timeout, ms", "slower by, %", "timed out, theory", "simulated"}};
    for (const double timeout : {12.0, 14.4, 20.0})
        for (const double slower : {1.0, 1.05, 1.1, 1.2, 1.3, 1.5}) {
            const auto limit = Duration{static_cast<Duration::rep>(timeout * 1e6)};
            const Account account = run(tight(limit, slower, 1, duration), 1);
            const double theory = false_timeouts(timeout, slower);
            const double found = 1 - account.success();
            const double error =
                3.3 * std::sqrt(theory * (1 - theory) / static_cast<double>(account.offered));
            EXPECT_NEAR(found, theory, error + 1e-5) << timeout << " ms, " << slower;
            evidence.row({cell(timeout, 1), cell(100 * slower - 100, 0),
                          cell(100 * theory, 4) + " %", cell(100 * found, 4) + " %"});
        }
}

TEST(TimeoutCliff, lies_where_the_distribution_says) { compare(21s); }
TEST(SimFull, the_timeout_cliff_lies_where_the_distribution_says) {
    if (!full_run_wanted()) GTEST_SKIP() << "set PERDURE_SIM_FULL";
    compare(1001s);
}

TEST(TimeoutCliff, turns_a_fifth_more_latency_into_half_of_all_attempts) {
    const Account once = run(tight(12ms, 1.2, 1, 50s), 1);
    EXPECT_NEAR(1 - once.success(), 0.5, 0.01);
    const Account thrice = run(tight(12ms, 1.2, 3, 50s), 1);
    EXPECT_NEAR(thrice.amplification(), 1.75, 0.0175);
    EXPECT_EQ(run(tight(20ms, 1.2, 3, 50s), 1).timeouts, 0U);
}

// With workers to wait for, so many that waiting alone is rare: six tenths busy before, 1.26 after.
Scenario busy(Duration timeout, double slower) {
    Scenario scenario = tight(timeout, slower, 3, 40s);
    scenario.clients.rate = {{0s, 6000}};
    scenario.services[0].workers = 100;
    scenario.changes = {slow_down(10s, never, 1 / slower)};
    scenario.warm_up = 20s;
    return scenario;
}

TEST(TimeoutCliff, makes_an_outage_of_a_slowdown) {
    EXPECT_GT(run(busy(12ms, 1.0), 1).success(), 0.99);
    EXPECT_LT(run(busy(12ms, 1.2), 1).success(), 0.05);
    EXPECT_GT(run(busy(20ms, 1.2), 1).success(), 0.99);
}

// 100 clients, 5 hosts, a connection takes longer than an attempt may.
Scenario deploying(double fresh_connections) {
    return {.clients = {.count = 100, .rate = {{0s, 500}}},
            .plan = plain_plan(3, 20ms, {.base = 10ms, .cap = 100ms}),
            .services = {{.replicas = 5,
                          .workers = unlimited,
                          .work = Distribution::constant(2ms),
                          .connect = Distribution::uniform(25ms, 40ms)}},
            .changes = {{.from = 10s, .what = Change::What::deploy, .value = fresh_connections}},
            .duration = 30s};
}

TEST(Deploy, costs_a_timeout_per_connection_unless_they_are_made_before) {
    const Account prepared = run(deploying(0), 1);
    EXPECT_EQ(prepared.timeouts, 0U);
    const Account surprised = run(deploying(1), 1);
    EXPECT_GE(surprised.timeouts, 490U);
    EXPECT_LE(surprised.timeouts, 600U);
    EXPECT_GE(surprised.lost, 490U);  // the others connected, but answered too late
    for (std::size_t i = 0; i < 10; ++i)
        EXPECT_EQ(surprised.seconds[i].attempts, prepared.seconds[i].attempts);
}

}  // namespace
}  // namespace perdure::testing
