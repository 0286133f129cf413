// SPDX-License-Identifier: Apache-2.0
//
// Does a simulated service do what its fields say? Small cases that can be worked out by hand.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runs.hpp"
#include "varied_scenarios.hpp"

namespace perdure::testing {
namespace {

using namespace sim;

// One call every second, in step; work of 100 ms; 1 ms each way.
Scenario ticking(int clients, int calls) {
    return {.clients = {.count = clients, .arrivals = Arrivals::periodic, .period = 1s},
            .plan = plain_plan(1, never, {}),
            .services = {{.work = Distribution::constant(100ms)}},
            .network = {.there = Distribution::constant(1ms), .back = Distribution::constant(1ms)},
            .duration = std::chrono::seconds{calls}};
}

Duration slowest(const Account& account) { return account.latency.quantile(1).value_or(0ns); }

void expect_about(Duration found, Duration expected) {
    EXPECT_NEAR(static_cast<double>(found.count()), static_cast<double>(expected.count()),
                0.01 * static_cast<double>(expected.count()));
}

TEST(SimulatedService, takes_the_way_there_the_work_and_the_way_back) {
    const Account account = run(ticking(1, 5), 1);
    EXPECT_EQ(account.ok, 5U);
    expect_about(slowest(account), 102ms);
    EXPECT_EQ(account.services[0].busy, Duration{500ms}.count());
    EXPECT_EQ(account.services[0].begun, 0U);
}

TEST(SimulatedService, lets_calls_wait_in_turn_and_refuses_those_beyond_the_limit) {
    Scenario scenario = ticking(5, 1);
    const Account waiting = run(scenario, 1);
    expect_about(slowest(waiting), 502ms);
    EXPECT_EQ(waiting.services[0].waited, Duration{1s}.count());  // 100 + 200 + 300 + 400 ms
    EXPECT_EQ(waiting.seconds[0].queue, 4U);
    scenario.services[0].queue.limit = 2;
    const Account limited = run(scenario, 1);
    EXPECT_EQ(limited.ok, 3U);
    EXPECT_EQ(limited.services[0].rejected, 2U);
    expect_about(slowest(limited), 302ms);
    scenario.services[0].rejection_cost = 50ms;  // of the next work, for both
    expect_about(slowest(run(scenario, 1)), 402ms);
}

TEST(SimulatedService, serves_as_many_at_once_as_it_has_workers_and_replicas) {
    Scenario scenario = ticking(6, 1);
    scenario.services[0].workers = 3;
    expect_about(slowest(run(scenario, 1)), 202ms);
    scenario.services[0].workers = unlimited;
    expect_about(slowest(run(scenario, 1)), 102ms);
}

TEST(SimulatedService, sends_away_who_waited_too_long_or_has_too_little_time_left) {
    Scenario scenario = ticking(5, 1);
    scenario.services[0].queue.longest_wait = 250ms;
    const Account patient = run(scenario, 1);
    EXPECT_EQ(patient.ok, 3U);
    EXPECT_EQ(patient.services[0].dropped, 2U);
    scenario.services[0].queue = {};
    scenario.plan.attempt_timeout = 320ms;
    const Account served = run(scenario, 1);
    EXPECT_EQ(served.ok, 3U);
    EXPECT_EQ(served.services[0].wasted, 2U);
    scenario.services[0].queue.expired = Expired::dropped;
    const Account dropped = run(scenario, 1);  // the fourth has 21 ms left when its turn comes
    EXPECT_EQ(dropped.ok, 3U);
    EXPECT_EQ(dropped.services[0].dropped, 1U);
    EXPECT_EQ(dropped.services[0].wasted, 1U);
    scenario.services[0].queue.margin = 110ms;
    const Account careful = run(scenario, 1);
    EXPECT_EQ(careful.services[0].dropped, 2U);
    EXPECT_EQ(careful.services[0].wasted, 0U);
}

TEST(SimulatedService, takes_the_newest_first_where_told) {
    Scenario scenario = ticking(5, 1);
    scenario.clients = {.count = 5, .arrivals = Arrivals::once, .within = 50ms};
    scenario.plan.attempt_timeout = 250ms;
    EXPECT_EQ(run(scenario, 1).ok, 2U);
    scenario.services[0].queue.order = Order::lifo;
    EXPECT_EQ(run(scenario, 1).ok, 2U);
    EXPECT_LT(slowest(run(scenario, 1)), 201ms);  // the last to come waits least
}

TEST(SimulatedService, stops_work_for_nobody_only_as_far_as_cancelling_reaches) {
    Scenario scenario = ticking(3, 1);
    scenario.plan.attempt_timeout = 50ms;
    const auto account = [&](Cancel cancel) {
        scenario.cancel = cancel;
        return run(scenario, 1).services[0];
    };
    EXPECT_EQ(account(Cancel::nothing).busy, Duration{300ms}.count());
    EXPECT_EQ(account(Cancel::nothing).wasted, 3U);
    EXPECT_EQ(account(Cancel::queued).busy, Duration{100ms}.count());
    EXPECT_EQ(account(Cancel::queued).cancelled, 2U);
    // Word gets there 51 ms after the start; the work began 1 ms after it.
    EXPECT_EQ(account(Cancel::running_too).busy, Duration{50ms}.count());
    EXPECT_EQ(account(Cancel::running_too).cancelled, 3U);
}

TEST(SimulatedService, fails_at_once_or_after_its_work) {
    Scenario scenario = ticking(1, 4);
    scenario.services[0].failing = {.share = 1};
    const Account at_once = run(scenario, 1);
    EXPECT_EQ(at_once.failed, 4U);
    EXPECT_EQ(at_once.services[0].failed_at_once, 4U);
    EXPECT_EQ(at_once.services[0].busy, 0);
    scenario.services[0].failing.when = FailsWhen::after_work;
    const Account after_work = run(scenario, 1);
    EXPECT_EQ(after_work.services[0].failed, 4U);
    EXPECT_EQ(after_work.services[0].busy, Duration{400ms}.count());
}

TEST(SimulatedService, changes_for_as_long_as_told) {
    Scenario scenario = ticking(1, 6);
    scenario.changes = {slow_down(2s, 4s, 0.5)};
    EXPECT_EQ(run(scenario, 1).services[0].busy, Duration{800ms}.count());
    scenario.changes = {{.from = 2s, .to = 4s, .what = Change::What::failing, .value = 1}};
    EXPECT_EQ(run(scenario, 1).failed, 2U);
    scenario.plan.attempt_timeout = 500ms;
    scenario.changes = {{.from = 2s, .to = 4s, .what = Change::What::loss, .value = 1}};
    const Account lossy = run(scenario, 1);
    EXPECT_EQ(lossy.failed, 2U);
    EXPECT_EQ(lossy.lost, 2U);
    EXPECT_EQ(lossy.timeouts, 2U);
}

TEST(SimulatedService, fails_the_calls_of_broken_shards_every_time) {
    Scenario scenario = ticking(1, 400);
    scenario.plan = plain_plan(3, never, {.base = 1ms, .cap = 1ms});
    scenario.services[0].shards = 4;
    scenario.changes = {{.from = 0s, .what = Change::What::shards_down, .value = 1}};
    const Account account = run(scenario, 1);
    EXPECT_NEAR(account.success(), 0.75, 0.07);
    EXPECT_EQ(account.attempts, account.ok + 3 * account.failed);
}

TEST(SimulatedService, says_when_to_come_back) {
    Scenario scenario = ticking(2, 1);
    scenario.plan = plain_plan(2, never, {.base = 1ms, .cap = 1ms});
    scenario.services[0].queue.limit = 0;
    scenario.services[0].retry_after = Distribution::constant(300ms);
    const Account account = run(scenario, 1);
    EXPECT_EQ(account.ok, 2U);
    expect_about(slowest(account), 404ms);  // 2 ms to be refused, 300 to wait, 102 to be served
}

// The one behind takes 100 ms; its caller holds a worker all the while.
TEST(SimulatedService, holds_its_worker_while_it_calls_on) {
    Scenario scenario = ticking(2, 1);
    Service behind = scenario.services[0];
    behind.workers = 2;
    scenario.services[0].work = Distribution::constant(10ms);
    scenario.services[0].calls = {1};
    scenario.services[0].plan = plain_plan(1, never, {});
    scenario.services.push_back(behind);
    const Account account = run(scenario, 1);
    EXPECT_EQ(account.ok, 2U);
    expect_about(slowest(account), 2 * 112ms + 2ms);
    EXPECT_EQ(account.services[0].busy, Duration{224ms}.count());
}

TEST(SimulatedService, passes_its_deadline_on_less_a_margin) {
    Scenario scenario = ticking(1, 1);
    scenario.plan = plain_plan(1, 80ms, {});
    scenario.services[0].work = Distribution::constant(10ms);
    scenario.services[0].calls = {1};
    scenario.services[0].plan = plain_plan(1, never, {});
    scenario.services.push_back({.name = "behind", .work = Distribution::constant(100ms)});
    const Account own = run(scenario, 1);
    EXPECT_EQ(own.services[0].busy, Duration{112ms}.count());
    scenario.deadlines = Scenario::Deadlines::passed_on;
    scenario.deadline_margin = 20ms;
    const Account passed_on = run(scenario, 1);
    EXPECT_EQ(passed_on.services[0].busy, Duration{59ms}.count());  // until 80 − 20, from 1
    EXPECT_EQ(passed_on.failed, 1U);
}

}  // namespace
}  // namespace perdure::testing
