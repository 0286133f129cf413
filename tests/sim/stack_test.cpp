// SPDX-License-Identifier: Apache-2.0
//
// What do retries in every layer add up to? Five services in a chain, the last of which always fails.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "evidence.hpp"
#include "runs.hpp"
#include "varied_scenarios.hpp"

namespace perdure::testing {
namespace {

using namespace sim;

constexpr int layers = 5;

// `top` is the clients' plan, `inner` that of every service that calls on.
Scenario chain(const Plan& top, const Plan& inner, double rate, Duration duration) {
    Scenario scenario{
        .clients = {.count = 1, .rate = {{0s, rate}}},
        .plan = top,
        .network = {.there = Distribution::constant(1us), .back = Distribution::constant(1us)},
        .duration = duration};
    scenario.services.clear();
    for (int i = 0; i < layers; ++i) {
        Service service{.name = "layer " + std::to_string(i + 1), .workers = unlimited};
        if (i + 1 < layers) service.calls = {i + 1};
        else service.failing.share = 1;
        service.plan = inner;
        scenario.services.push_back(service);
    }
    return scenario;
}

double at_the_bottom(const Scenario& scenario) {
    const Account account = run(scenario, 1);
    EXPECT_EQ(account.ok, 0U);
    return static_cast<double>(account.services.back().reached) /
           static_cast<double>(account.calls);
}

Plan trying(int attempts) { return plain_plan(attempts, never, {.base = 0ms, .cap = 0ms}); }
Plan paying_with(const BudgetOptions& budget) {
    Plan plan = trying(3);
    plan.budget = budget;
    plan.rule.cost = 1;
    return plan;
}

TEST(DeepStack, multiplies_three_tries_in_five_layers_to_243) {
    EXPECT_EQ(at_the_bottom(chain(trying(3), trying(3), 10, 10s)), 243);
}

TEST(DeepStack, stays_at_three_when_only_the_top_retries) {
    EXPECT_EQ(at_the_bottom(chain(trying(3), trying(1), 100, 10s)), 3);
}

TEST(DeepStack, grows_to_one_and_six_tenths_with_a_tenth_per_request_in_each_layer) {
    const Plan plan = paying_with({.kind = BudgetKind::requests, .deposit = 0.1});
    const double found = at_the_bottom(chain(plan, plan, 100, 200s));
    EXPECT_LE(found, 1.6106);
    EXPECT_GT(found, 1.60);
}

TEST(DeepStack, does_not_grow_where_only_success_pays) {
    const Plan plan = paying_with({.kind = BudgetKind::fixed, .deposit = 0.1, .capacity = 5});
    EXPECT_LT(at_the_bottom(chain(plan, plan, 100, 200s)), 1.005);
    // The default as well: its start tokens are all it has.
    Plan ours;
    ours.deadline = never;
    EXPECT_LT(at_the_bottom(chain(ours, ours, 100, 200s)), 1.01);
}

TEST(SimFull, layers_multiply) {
    if (!full_run_wanted()) GTEST_SKIP() << "set PERDURE_SIM_FULL";
    Evidence evidence{"deep-stack",
                      {"each of five layers", "attempts at the bottom per call", "theory"}};
    const Plan request = paying_with({.kind = BudgetKind::requests, .deposit = 0.1});
    const Plan fifth = paying_with({.kind = BudgetKind::requests, .deposit = 0.2});
    const Plan success = paying_with({.kind = BudgetKind::fixed, .deposit = 0.1, .capacity = 5});
    Plan ours;
    ours.deadline = never;
    const auto row = [&](const char* name, const Plan& top, const Plan& inner, double theory) {
        const double found = at_the_bottom(chain(top, inner, 100, 1000s));
        EXPECT_NEAR(found, theory, 0.005 * theory) << name;
        evidence.row({name, cell(found, 3), cell(theory, 3)});
    };
    row("3 tries", trying(3), trying(3), 243);
    row("3 tries at the top only", trying(3), trying(1), 3);
    row("3 tries, 10 % per request", request, request, 1.61051);
    row("3 tries, 20 % per request", fifth, fifth, 2.48832);
    row("3 tries, 0.1 per success", success, success, 1);
    row("perdure's default plan", ours, ours, 1);
}

}  // namespace
}  // namespace perdure::testing
