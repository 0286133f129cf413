// SPDX-License-Identifier: Apache-2.0
//
// Does the world do what the scenario's words say? Cases that once were wrong.
#include <gtest/gtest.h>

#include <algorithm>

#include "perdure/sim/simulate.hpp"
#include "runs.hpp"

namespace perdure::testing {
namespace {

using namespace sim;

Plan naive(int attempts, Duration timeout = 500ms) {
    Plan plan{.deadline = never, .attempt_timeout = timeout};
    plan.rule = {.attempts = attempts, .backoff = {.base = 0ms, .cap = 0ms}};
    plan.budget.kind = BudgetKind::none;
    return plan;
}

Scenario one_client(double rate, Plan plan, Duration duration) {
    Scenario scenario;
    scenario.clients = {.count = 1, .rate = {{0s, rate}}};
    scenario.plan = std::move(plan);
    scenario.services = {{.workers = unlimited, .work = Distribution::constant(1ms)}};
    scenario.duration = duration;
    return scenario;
}

TEST(Recovery, is_not_seen_in_seconds_without_calls) {
    Scenario scenario = one_client(800, naive(3), 90s);
    scenario.services = {{.workers = 10, .work = Distribution::exponential(10ms)}};
    scenario.changes = {{.from = 10s, .to = 20s, .what = Change::What::speed, .value = 0.2}};
    EXPECT_FALSE(recovery(run(scenario, 1), {.after = 20s}));  // it drains long after 90 s
}

TEST(Changes, may_overlap_and_stand_in_any_order) {
    const auto failed = [](std::vector<Change> changes) {
        Scenario scenario = one_client(100, naive(1), 60s);
        scenario.changes = std::move(changes);
        return run(scenario, 1).calls_failed;
    };
    constexpr auto failing = Change::What::failing;
    const Change first{.from = 10s, .to = 20s, .what = failing, .value = 1};
    const Change second{.from = 20s, .to = 30s, .what = failing, .value = 0.5};
    EXPECT_EQ(failed({first, second}), failed({second, first}));
    EXPECT_NEAR(static_cast<double>(failed({{.from = 0s, .to = 10s, .what = failing, .value = 0.1},
                                            {.from = 5s, .to = 60s, .what = failing, .value = 1}})),
                5550, 250);
}

TEST(Arrivals, never_begin_after_the_duration) {
    Scenario scenario = one_client(1, naive(1), 10s);
    scenario.clients = {
        .count = 3, .arrivals = Arrivals::closed, .think = Distribution::constant(100s)};
    EXPECT_EQ(run(scenario, 1).calls, 0U);
}

TEST(Cancelling, draws_its_own_delays_and_leaves_those_of_others_alone) {
    Scenario scenario = one_client(95, naive(3, 50ms), 60s);
    scenario.services = {{.work = Distribution::exponential(10ms)}};
    scenario.network.there = Distribution::exponential(20ms);
    scenario.cancel = Cancel::queued;
    const Account plain = run(scenario, 1);
    scenario.warm_up = 1ns;  // measures otherwise, and must change nothing
    EXPECT_EQ(run(scenario, 1).sent, plain.sent);
}

TEST(Hedging, sends_a_copy_of_a_retry_to_the_other_replica_too) {
    Scenario scenario = one_client(1, naive(2, 1s), 60s);
    scenario.clients = {.count = 1, .arrivals = Arrivals::once, .within = 1ms};
    scenario.plan.hedge = HedgeOptions{.after = 100ms};
    scenario.services = {{.replicas = 2, .work = Distribution::constant(100s)}};
    scenario.cancel = Cancel::running_too;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Account account = run(scenario, seed);
        EXPECT_EQ(account.attempts, 4U);
        for (const Second& second : account.seconds) EXPECT_EQ(second.queue, 0U) << seed;
    }
}

TEST(Shards, stay_broken_for_a_call_however_often_it_is_repeated_in_front) {
    const auto success = [](bool behind) {
        Scenario scenario = one_client(100, naive(3), 60s);
        Service store = scenario.services[0];
        store.shards = 4;
        if (behind) {
            scenario.services[0].calls = {1};
            scenario.services[0].plan = naive(1);
            scenario.services.push_back(store);
        } else {
            scenario.services[0] = store;
        }
        scenario.changes = {
            {.what = Change::What::shards_down, .value = 1, .service = behind ? 1 : 0}};
        return run(scenario, 1).success();
    };
    EXPECT_NEAR(success(false), 0.75, 0.03);
    EXPECT_NEAR(success(true), 0.75, 0.03);
}

TEST(Queue, is_seen_while_it_only_gets_shorter) {
    Scenario scenario = one_client(1, naive(1, 100s), 20s);
    scenario.clients.rate = {{0s, 1000}, {1s, 1000}, {1s, 0}};
    scenario.services = {{.work = Distribution::constant(10ms)}};
    const Account account = run(scenario, 1);
    for (std::size_t i = 1; i < 8; ++i) EXPECT_GT(account.seconds[i].queue, 100U) << i;
}

TEST(Scenario, is_refused_where_time_or_a_distribution_makes_no_sense) {
    const auto problems = [](auto&& spoil) {
        Scenario scenario = one_client(1, naive(1), 10s);
        spoil(scenario);
        return validate(scenario).size();
    };
    const auto below = Distribution::constant(-1ms);
    EXPECT_EQ(problems([](Scenario&) {}), 0U);
    EXPECT_EQ(problems([&](Scenario& s) { s.network.there = below; }), 1U);
    EXPECT_EQ(problems([&](Scenario& s) { s.network.back = Distribution::empirical({}); }), 1U);
    EXPECT_EQ(problems([&](Scenario& s) { s.services[0].work = below; }), 1U);
    EXPECT_EQ(problems([&](Scenario& s) { s.services[0].rejection_cost = -1s; }), 1U);
    EXPECT_EQ(problems([&](Scenario& s) { s.clients.rate = {{-5s, 10}}; }), 1U);
    EXPECT_EQ(problems([&](Scenario& s) { s.drain = -1s; }), 1U);
    EXPECT_EQ(problems([&](Scenario& s) { s.changes = {{.value = 1e-13}}; }), 1U);
}

TEST(Distributions, end_within_a_century_however_slow_the_service) {
    const auto tail = Distribution::pareto(1s, 0.1);
    for (std::uint64_t i = 0; i < 1000; ++i) {
        const Duration drawn = tail.draw(Dice{1}.of(Purpose::work, i), 1e6);
        EXPECT_GE(drawn, 0s);
        EXPECT_LE(drawn, Duration{4'000'000'000'000'000'000});
    }
}

}  // namespace
}  // namespace perdure::testing
