// SPDX-License-Identifier: Apache-2.0
//
// What do the defaults make of two places of which one is sick? Everything is done at the other, and
// the sick one is left alone.
#include <gtest/gtest.h>

#include <string>

#include "evidence.hpp"
#include "peers.hpp"
#include "runs.hpp"

namespace perdure::testing {
namespace {
namespace failover_study {

using namespace sim;

constexpr Duration sick_from = 60s, sick_to = 660s;

// Ten clients with 20 calls a second together.
Scenario two_places(Plan plan, Moves moves, const Change& sickness) {
    const Service place{.workers = unlimited, .work = Distribution::exponential(10ms)};
    Scenario scenario{.clients = {.count = 10, .rate = {{0s, 20}}},
                      .plan = std::move(plan),
                      .services = {place, place},
                      .places = {0, 1},
                      .moves = moves,
                      .changes = {sickness},
                      .duration = 720s};
    scenario.services[0].name = "east";
    scenario.services[0].shards = 10;
    scenario.services[1].name = "west";
    return scenario;
}

constexpr Change all_of_it{
    .from = sick_from, .to = sick_to, .what = Change::What::failing, .value = 1};
constexpr Change one_partition{
    .from = sick_from, .to = sick_to, .what = Change::What::shards_down, .value = 1};

void compare(const std::string& what, const Change& sickness) {
    Evidence evidence{
        "failover-" + what,
        {"policy", "done", "of", "attempts a call", "to that place", "and failed there"}};
    const auto row = [&](const std::string& name, const Account& account) {
        evidence.row({name, std::to_string(account.ok), std::to_string(account.offered),
                      cell(account.amplification(), 3), std::to_string(account.services[0].reached),
                      std::to_string(account.services[0].failed_at_once)});
    };
    const Account ours = run(two_places(Plan{}, Moves::learned, sickness), 1);
    row("perdure", ours);
    EXPECT_EQ(ours.ok, ours.offered);
    for (const auto& [name, plan] : peers()) {
        const Account theirs = run(two_places(plan, Moves::in_turn, sickness), 1);
        EXPECT_GE(ours.ok, theirs.ok) << name;
        EXPECT_LT(ours.services[0].reached, theirs.services[0].reached) << name;
        EXPECT_LT(ours.services[0].failed_at_once, theirs.services[0].failed_at_once) << name;
        row(name, theirs);
    }
}

TEST(Failover, does_every_call_elsewhere_and_leaves_a_sick_place_alone) {
    compare("place", all_of_it);
}

TEST(Failover, does_every_call_of_a_sick_partition_elsewhere) {
    compare("partition", one_partition);
}

// Places do not multiply what an outage of all of them costs.
TEST(Failover, asks_hardly_more_than_once_while_every_place_is_sick) {
    Scenario scenario = two_places(Plan{}, Moves::learned, all_of_it);
    scenario.changes.push_back(all_of_it);
    scenario.changes[1].service = 1;
    scenario.duration = sick_to;
    scenario.warm_up = sick_from + 120s;
    const Account account = run(scenario, 1);
    EXPECT_EQ(account.ok, 0U);
    EXPECT_LT(account.amplification(), 1.01);
}

TEST(Failover, comes_back_to_the_better_place_when_it_is_well) {
    Scenario scenario = two_places(Plan{}, Moves::learned, all_of_it);
    scenario.changes[0] = {.from = 10s, .to = 20s, .what = Change::What::failing, .value = 1};
    scenario.duration = 120s;
    const Account account = run(scenario, 1);
    // Marks last ten seconds, give or take one: the other place has had at most the calls of
    // 21 of 120 seconds, and all of them were done.
    EXPECT_EQ(account.ok, account.offered);
    EXPECT_GT(account.services[1].reached, 0U);
    EXPECT_LT(account.services[1].reached, account.offered / 4);
}

// Without marks and budgets of its own: attempt by attempt, one after the other, and round again.
TEST(Failover, in_turn_goes_to_the_next_place_with_each_attempt) {
    Scenario scenario = two_places(plain_loop(), Moves::in_turn, all_of_it);
    scenario.services[1].failing.share = 1;
    scenario.changes[0].from = 0s;
    scenario.duration = 10s;
    const Account account = run(scenario, 1);
    EXPECT_EQ(account.ok, 0U);
    EXPECT_EQ(account.services[0].reached, 2 * account.offered);
    EXPECT_EQ(account.services[1].reached, 2 * account.offered);
}

}  // namespace failover_study
}  // namespace
}  // namespace perdure::testing
