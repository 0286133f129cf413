// SPDX-License-Identifier: Apache-2.0
//
// What do the defaults make of a server that restarts? Whoever was in flight has lost the session, and
// for a while nobody gets a connection.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "evidence.hpp"
#include "peers.hpp"
#include "runs.hpp"

namespace perdure::testing {
namespace {
namespace restart_study {

using namespace sim;

constexpr Duration work = 200ms;

// One client, as many calls in flight as said, on average.
Scenario restart(Plan plan, int in_flight, Duration down) {
    return {.clients = {.rate = {{0s, in_flight / seconds(work)}}},
            .plan = std::move(plan),
            .services = {{.workers = unlimited, .work = Distribution::constant(work)}},
            .changes = {{.from = 1s, .to = 1s + down, .what = Change::What::down}},
            .duration = 1s + down + 500ms};
}

std::string text_of(const Account& account) {
    return std::to_string(account.ok) + " of " + std::to_string(account.offered) + ", " +
           cell(account.amplification(), 2);
}

TEST(Restart, loses_no_call_of_ours_and_we_do_as_well_as_the_best_of_the_peers) {
    Evidence evidence{"restart", {"in flight", "down, s", "policy", "done, attempts a call"}};
    for (const int in_flight : {16, 32, 200})
        for (const Duration down : {Duration{500ms}, Duration{5s}}) {
            SCOPED_TRACE(std::to_string(in_flight) + " in flight, " + cell(seconds(down), 1) +
                         " s");
            const Account ours = run(restart(Plan{}, in_flight, down), 1);
            EXPECT_EQ(ours.ok, ours.offered);
            const auto row = [&](const std::string& name, const Account& account) {
                evidence.row(
                    {std::to_string(in_flight), cell(seconds(down), 1), name, text_of(account)});
            };
            row("perdure", ours);
            for (const auto& [name, plan] : peers()) {
                const Account theirs = run(restart(plan, in_flight, down), 1);
                EXPECT_GE(ours.ok, theirs.ok) << name;
                row(name, theirs);
            }
        }
}

// The floor of the budget alone repeats six of them.
TEST(Restart, loses_calls_in_flight_without_room_for_them) {
    Plan plan;
    plan.budget.per_caught = 0;
    const Account account = run(restart(plan, 200, 500ms), 1);
    EXPECT_LT(account.ok, account.offered);
    EXPECT_GT(account.budget_refusals, 0U);
}

TEST(Restart, cuts_off_who_is_there_and_refuses_who_comes) {
    // One attempt, so that every loss is seen; the default plan is in the tests above.
    const Account account = run(restart(Plan{.rule = {.attempts = 1}}, 16, 1s), 1);
    const ServiceAccount& service = account.services[0];
    EXPECT_GT(service.down, 0U);
    EXPECT_EQ(account.failed, service.down);
    EXPECT_GT(service.wasted_busy, 0);
    EXPECT_EQ(service.served, account.ok);
    // While it is down, nobody who begins succeeds; before and after, everybody does.
    EXPECT_EQ(account.seconds[1].ok, 0U);
    EXPECT_GT(account.seconds[1].offered, 0U);
    EXPECT_EQ(account.seconds[2].ok, account.seconds[2].offered);
}

// The session is lost when it restarts, also for a request that arrives when it is back.
TEST(Restart, loses_requests_on_their_way_as_well) {
    Plan plan{.rule = {.attempts = 1}};  // as above
    plan.connect.attempts = 9;           // would save them, were they connections that were refused
    Scenario scenario = restart(plan, 16, 10ms);
    scenario.network.there = Distribution::constant(100ms);
    scenario.services[0].work = Distribution::constant(0ms);
    const Account account = run(scenario, 1);
    EXPECT_GT(account.services[0].down, 0U);
    EXPECT_EQ(account.failed, account.services[0].down);
}

// Nothing was sent, so nothing is paid: a client without a budget for any retry gets through.
TEST(Restart, lets_a_client_without_tokens_wait_for_a_connection) {
    Scenario scenario = restart(Plan{}, 1, 1s);
    scenario.clients = {.count = 50, .arrivals = Arrivals::once, .within = 500ms};
    scenario.plan.budget = {.deposit = 0, .capacity = 0};
    scenario.changes[0].from = 0s;
    const Account account = run(scenario, 1);
    EXPECT_EQ(account.ok, 50U);
    EXPECT_EQ(account.budget_refusals, 0U);
}

}  // namespace restart_study
}  // namespace
}  // namespace perdure::testing
