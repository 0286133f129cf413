// SPDX-License-Identifier: Apache-2.0
//
// What does `validate` find, and what do the two amplification figures say?
#include "perdure/call/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace perdure {
namespace {

struct Case {
    std::string field;
    std::function<void(Plan&)> spoil;
};

bool finds(const Plan& plan, Severity severity, const std::string& field) {
    return std::ranges::any_of(validate(plan), [&](const Finding& finding) {
        return finding.severity == severity && finding.field == field && !finding.text.empty();
    });
}

TEST(Validate, finds_nothing_in_the_default_plan_and_no_problem_in_the_presets) {
    EXPECT_TRUE(validate(Plan{}).empty());
    for (const Preset& preset :
         {presets::aws_standard_2026(), presets::dynamodb_2026(), presets::aws_standard_2020(),
          presets::dynamodb_legacy(), presets::ef_core(), presets::grpc_a6(), presets::finagle(),
          presets::envoy(), presets::polly_v8(), presets::polly_v8_exponential(),
          presets::azure_cpp(), presets::sre_throttle()})
        for (const Finding& finding : validate(plan_from(preset)))
            EXPECT_EQ(finding.severity, Severity::warning) << finding.field << " " << finding.text;
}

TEST(Plan, takes_everything_a_preset_has) {
    Preset preset = presets::sre_throttle();
    preset.rules = {{"throttled", {.attempts = 9}}};
    const Plan plan = plan_from(preset, "orders");
    EXPECT_EQ(plan.name, "orders");
    EXPECT_EQ(plan.rule, preset.rule);
    EXPECT_EQ(plan.rules, preset.rules);
    EXPECT_EQ(plan.budget, preset.budget);
    EXPECT_EQ(plan.limiter, preset.limiter);
}

TEST(Validate, names_every_problem_by_its_field) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto limit = [](Plan& p) -> LimiterOptions& {
        return p.limiter = {.kind = LimiterKind::rate, .per_second = 5};
    };
    const auto breaker = [](Plan& p) -> BreakerOptions& { return p.breaker.emplace(); };
    const auto hedge = [](Plan& p) -> HedgeOptions& { return p.hedge.emplace(); };
    const auto learn = [](Plan& p) -> LearnTimeout& { return p.learn_timeout.emplace(); };
    const Case cases[] = {
        {"name", [](Plan& p) { p.name = ""; }},
        {"deadline", [](Plan& p) { p.deadline = 0s; }},
        {"attempt_timeout", [](Plan& p) { p.attempt_timeout = -1ns; }},
        {"attempt_timeout", [](Plan& p) { p.attempt_timeout = 11s; }},
        {"spread", [](Plan& p) { p.spread = -1ns; }},
        {"shortest_attempt", [](Plan& p) { p.shortest_attempt = -1ns; }},
        {"shortest_attempt", [](Plan& p) { p.shortest_attempt = 10s; }},
        {"resolve_within", [](Plan& p) { p.resolve_within = -1ns; }},
        {"rule.attempts", [](Plan& p) { p.rule.attempts = -1; }},
        {"rule.attempts", [](Plan& p) { p.rule.attempts = 0, p.deadline = never; }},
        {"rule.window", [](Plan& p) { p.rule.window = -1ns; }},
        {"rule.not_before_giving_up", [](Plan& p) { p.rule.not_before_giving_up = -1ns; }},
        {"rule.cost", [](Plan& p) { p.rule.cost = -0.1; }},
        {"rule.cost", [=](Plan& p) { p.rule.cost = nan; }},
        {"rule.hint.by", [](Plan& p) { p.rule.hint.by = -1ns; }},
        {"rule.backoff.base", [](Plan& p) { p.rule.backoff.base = -1ns; }},
        {"rule.backoff.cap", [](Plan& p) { p.rule.backoff.cap = 49ms; }},
        {"rule.backoff.factor", [](Plan& p) { p.rule.backoff.factor = 0.99; }},
        {"rule.backoff.factor", [=](Plan& p) { p.rule.backoff.factor = nan; }},
        {"rule.backoff.jitter", [](Plan& p) { p.rule.backoff.jitter = {0.5, 0.4}; }},
        {"rule.backoff.jitter", [](Plan& p) { p.rule.backoff.jitter = {-0.1, 1}; }},
        {"rule.backoff.jitter", [](Plan& p) { p.rule.backoff.jitter = {0, 11}; }},
        {"rule.backoff.skip", [](Plan& p) { p.rule.backoff.skip = -1; }},
        {"resolve.attempts", [](Plan& p) { p.resolve.attempts = -1; }},
        {"rules[429].attempts", [](Plan& p) { p.rules = {{"429", {.attempts = -1}}}; }},
        {"rules[0]", [](Plan& p) { p.rules = {{"", {}}}; }},
        {"rules[429]", [](Plan& p) { p.rules = {{"429", {}}, {"429", {}}}; }},
        {"budget.deposit", [](Plan& p) { p.budget.deposit = -1; }},
        {"budget.capacity", [](Plan& p) { p.budget.capacity = 2e6; }},
        {"budget.per_second", [=](Plan& p) { p.budget.per_second = nan; }},
        {"budget.per_caught", [](Plan& p) { p.budget.per_caught = -1; }},
        {"budget.per_caught", [](Plan& p) { p.budget.per_caught = 1'000'000; }},
        {"budget.remembers", [](Plan& p) { p.budget.remembers = 0s; }},
        {"limiter.per_second", [=](Plan& p) { limit(p).per_second = 0; }},
        {"limiter.burst", [=](Plan& p) { limit(p).burst = 0.5; }},
        {"limiter.concurrent", [](Plan& p) { p.limiter = {.kind = LimiterKind::concurrency}; }},
        {"limiter.accepts",
         [](Plan& p) { p.limiter = {.kind = LimiterKind::throttle, .accepts = 0.9}; }},
        {"limiter.remembers",
         [](Plan& p) { p.limiter = {.kind = LimiterKind::throttle, .remembers = 0s}; }},
        {"budget.least", [](Plan& p) { p.budget.least = -1; }},
        {"breaker.failure_share", [=](Plan& p) { breaker(p).failure_share = 0; }},
        {"breaker.failure_share", [=](Plan& p) { breaker(p).failure_share = 1.1; }},
        {"breaker.least_calls", [=](Plan& p) { breaker(p).least_calls = -1; }},
        {"breaker.window", [=](Plan& p) { breaker(p).window = 0s; }},
        {"breaker.open_for", [=](Plan& p) { breaker(p).open_for = -1ns; }},
        {"breaker.open_for", [=](Plan& p) { breaker(p).ramp = -1ns; }},
        {"breaker.probes", [=](Plan& p) { breaker(p).probes = 0; }},
        {"hedge.after", [=](Plan& p) { hedge(p).after = -1ns; }},
        {"hedge.after", [=](Plan& p) { hedge(p).step = -1ns; }},
        {"hedge.quantile", [=](Plan& p) { hedge(p).quantile = 1.1; }},
        {"hedge.extra", [=](Plan& p) { hedge(p).extra = 0; }},
        {"hedge.extra", [=](Plan& p) { hedge(p).extra = 11; }},
        {"hedge.cost", [=](Plan& p) { hedge(p).cost = -1; }},
        {"learn_timeout.false_timeouts", [=](Plan& p) { learn(p).false_timeouts = 0; }},
        {"learn_timeout.margin", [=](Plan& p) { learn(p).margin = 0.9; }},
        {"learn_timeout.step", [=](Plan& p) { learn(p).step = 1; }},
        {"learn_timeout.every", [=](Plan& p) { learn(p).every = 0s; }},
        {"learn_timeout.least", [=](Plan& p) { learn(p).least = 0s; }},
        {"learn_timeout.most", [=](Plan& p) { learn(p).most = 11s; }},
        {"learn_timeout.most", [=](Plan& p) { learn(p).least = 4s; }},
        {"learn_timeout.most", [=](Plan& p) { learn(p), p.deadline = never; }},
        {"learn_timeout.frozen_above", [=](Plan& p) { learn(p).frozen_above = 0.001; }},
    };
    for (const auto& [field, spoil] : cases) {
        Plan plan;
        spoil(plan);
        EXPECT_TRUE(finds(plan, Severity::problem, field)) << field;
    }
}

TEST(Validate, warns_of_what_works_but_deserves_a_thought) {
    const Case cases[] = {
        {"deadline", [](Plan& p) { p.deadline = never; }},
        {"resolve.attempts", [](Plan& p) { p.deadline = never; }},
        {"attempt_timeout", [](Plan& p) { p.attempt_timeout = 6s; }},
        {"rule.not_before_giving_up", [](Plan& p) { p.rule.not_before_giving_up = 11s; }},
        {"rule.backoff.jitter", [](Plan& p) { p.rule.backoff.jitter = Jitter::none; }},
        {"rule.backoff.cap_place",
         [](Plan& p) { p.rule.backoff.cap_place = CapPlace::outside_jitter; }},
        {"budget.kind", [](Plan& p) { p.budget.kind = BudgetKind::none; }},
        {"budget.deposit",
         [](Plan& p) { p.budget = {.kind = BudgetKind::requests, .deposit = 0}; }},
        {"budget.deposit",
         [](Plan& p) { p.budget = {.kind = BudgetKind::in_flight, .deposit = 0, .least = 0}; }},
        {"limiter.remembers",
         [](Plan& p) { p.limiter = {.kind = LimiterKind::throttle, .remembers = 3s}; }},
        {"breaker.failure_share",
         [](Plan& p) { p.breaker = BreakerOptions{.failure_share = 0.49}; }},
        {"hedge", [](Plan& p) { p.hedge.emplace(), p.budget.kind = BudgetKind::none; }},
        {"hedge.quantile", [](Plan& p) { p.hedge = HedgeOptions{.quantile = 0.8}; }},
        {"learn_timeout", [](Plan& p) { p.hedge.emplace(), p.learn_timeout.emplace(); }},
    };
    for (const auto& [field, spoil] : cases) {
        Plan plan;
        spoil(plan);
        EXPECT_TRUE(finds(plan, Severity::warning, field)) << field;
        for (const Finding& finding : validate(plan))
            EXPECT_EQ(finding.severity, Severity::warning) << finding.field;
    }
}

TEST(Validate, accepts_what_lies_on_the_edge) {
    const std::function<void(Plan&)> edges[] = {
        [](Plan& p) { p.deadline = 1ns; },
        [](Plan& p) { p.attempt_timeout = p.deadline; },
        [](Plan& p) { p.shortest_attempt = p.deadline - 1ns; },
        [](Plan& p) { p.rule.attempts = 0; },
        [](Plan& p) { p.rule.attempts = 0, p.deadline = never, p.rule.window = 1s; },
        [](Plan& p) { p.rule.attempts = std::numeric_limits<int>::max(); },
        [](Plan& p) { p.rule.backoff.base = p.rule.backoff.cap = 0s; },
        [](Plan& p) { p.rule.backoff.factor = 1; },
        [](Plan& p) { p.breaker = BreakerOptions{.failure_share = 0.5, .probes = 1}; },
        [](Plan& p) { p.hedge = HedgeOptions{.quantile = 0.9, .extra = 10}; },
        [](Plan& p) { p.learn_timeout = LearnTimeout{.margin = 1, .most = p.deadline}; },
    };
    for (const auto& edge : edges) {
        Plan plan;
        edge(plan);
        for (const Finding& finding : validate(plan))
            EXPECT_EQ(finding.severity, Severity::warning) << finding.field;
    }
    EXPECT_FALSE(finds({.attempt_timeout = 5s}, Severity::warning, "attempt_timeout"));
    EXPECT_FALSE(finds({.attempt_timeout = 6s, .rule = {.attempts = 1}}, Severity::warning,
                       "attempt_timeout"));
}

TEST(Amplification, at_worst_adds_up_the_rules_and_multiplies_by_the_copies) {
    const double infinite = std::numeric_limits<double>::infinity();
    const struct {
        Plan plan;
        double expected;
    } cases[] = {
        {{.rule = {.attempts = 3}}, 3},
        {{.rule = {.attempts = 4}, .rules = {{"429", {.attempts = 10}}}}, 13},
        {{.rule = {.attempts = 4},
          .rules = {{"429", {.attempts = 10, .counting = Counting::shared}}}},
         4},
        {{.rule = {.attempts = 3}, .hedge = HedgeOptions{.extra = 1}}, 6},
        {{.rule = {.attempts = 0}}, infinite},
        {{.rule = {.not_before_giving_up = 1s}}, infinite},
    };
    for (const auto& [plan, expected] : cases) {
        Plan named = plan;  // credentials have a standing rule of their own; here they share
        named.rules.push_back({"credentials", {.counting = Counting::shared}});
        EXPECT_EQ(worst_case_amplification(named), expected);
    }
}

TEST(Amplification, at_worst_counts_the_attempt_after_fresh_credentials) {
    EXPECT_EQ(worst_case_amplification({.rule = {.attempts = 3}}), 4);
    EXPECT_EQ(worst_case_amplification({.rule = {.attempts = 1}}), 2);
    EXPECT_EQ(worst_case_amplification({.rule = {.attempts = 3, .counting = Counting::shared}}), 3);
    EXPECT_EQ(worst_case_amplification(
                  {.rule = {.attempts = 3}, .rules = {{"credentials", {.attempts = 1}}}}),
              3);
    const Plan single{.rule = {.attempts = 1}, .budget = {.kind = BudgetKind::none}};
    EXPECT_FALSE(finds(single, Severity::warning, "budget.kind")) << "nothing an outage repeats";
}

TEST(Amplification, sustained_is_what_the_deposits_pay_for) {
    const Plan plan{};
    EXPECT_DOUBLE_EQ(sustained_amplification(plan, 1.0), 1.0)
        << "in a total outage nothing is deposited";
    EXPECT_DOUBLE_EQ(sustained_amplification(plan, 0.5), 1 + 0.1 * 0.5 / 0.5);
    EXPECT_DOUBLE_EQ(sustained_amplification(plan, 7), 1.0) << "a share is at most all";
    EXPECT_DOUBLE_EQ(sustained_amplification({.rule = {.cost = 2.0}}, 0), 1 + 0.1 / 2);
    EXPECT_DOUBLE_EQ(
        sustained_amplification({.rule = {.cost = 2.0}, .rules = {{"429", {.cost = 1.0}}}}, 0),
        1.1);
    EXPECT_EQ(sustained_amplification({.budget = {.kind = BudgetKind::throttle}}, 0.5), 1);
    EXPECT_TRUE(std::isinf(sustained_amplification({.budget = {.kind = BudgetKind::steady}}, 0.5)));
    const Plan unbounded{.rule = {.attempts = 3}, .budget = {.kind = BudgetKind::none}};
    EXPECT_EQ(sustained_amplification(unbounded, 0.5), worst_case_amplification(unbounded));
}

TEST(Amplification, sustained_by_requests_does_not_fall_in_an_outage) {
    Plan plan{.rule = {.attempts = 3, .cost = 1},
              .budget = {.kind = BudgetKind::requests, .deposit = 0.2}};
    EXPECT_DOUBLE_EQ(sustained_amplification(plan, 1), 1.2);
    EXPECT_DOUBLE_EQ(sustained_amplification(plan, 0.5), 1.2);
    plan.budget.per_second = 10;
    EXPECT_EQ(sustained_amplification(plan, 1), worst_case_amplification(plan))
        << "a client of one call a second may retry every one";
    plan.budget = {.kind = BudgetKind::in_flight, .deposit = 0.2};
    EXPECT_EQ(sustained_amplification(plan, 1), worst_case_amplification(plan));
}

}  // namespace
}  // namespace perdure
