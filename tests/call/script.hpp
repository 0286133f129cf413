// SPDX-License-Identifier: Apache-2.0
//
// What does a random conversation with Progress consist of? Choices, from a seed or from a fuzzer's
// bytes, turned into a plan, an operation and outcomes.
//
//     Choices choices{[&](std::uint32_t bound) { return draw(bound); }};
//     const Plan plan = choose_plan(choices);
#pragma once

#include "perdure/call/operation.hpp"
#include "perdure/call/plan.hpp"
#include "perdure/call/progress.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace perdure::inline v0::testing {

// Owned by one thread.
class Choices {
public:
    // `draw(bound)` gives a number below `bound`.
    explicit Choices(std::function<std::uint32_t(std::uint32_t)> draw) : draw_{std::move(draw)} {}

    std::uint32_t below(std::uint32_t bound) { return bound < 2 ? 0 : draw_(bound); }
    bool one_in(std::uint32_t n) { return below(n) == 0; }
    template <class T>
    T among(std::initializer_list<T> all) {
        return all.begin()[below(static_cast<std::uint32_t>(all.size()))];
    }

private:
    std::function<std::uint32_t(std::uint32_t)> draw_;
};

inline Backoff choose_backoff(Choices& choices) {
    Backoff backoff{.base = choices.among<Duration>({50ms, 0ms, 1ms, 2s})};
    backoff.factor = choices.among({2.0, 1.0, 3.0, 1e6});
    backoff.cap = std::max(backoff.base, choices.among<Duration>({1s, 5s, 20ms, 1h, never}));
    backoff.jitter = choices.among({Jitter::full, Jitter::none, Jitter::equal, Jitter{0.8, 1.2}});
    backoff.curve = choices.among({Curve::exponential, Curve::exponential_less_one, Curve::constant,
                                   Curve::linear, Curve::decorrelated, Curve::smooth});
    backoff.cap_place = choices.among({CapPlace::inside_jitter, CapPlace::outside_jitter});
    backoff.first = choices.among({FirstRetry::waits, FirstRetry::waits, FirstRetry::at_once});
    backoff.skip = choices.among({0, 0, 1, 1 << 30});
    return backoff;
}

inline Rule choose_rule(Choices& choices) {
    Rule rule{.attempts = choices.among({4, 1, 2, 3, 0, 10})};
    rule.window = choices.among<Duration>({never, never, 0s, 100ms, 10s});
    if (rule.attempts == 0 && rule.window == never) rule.window = 30s;
    rule.window_counts = choices.among({WindowCounts::elapsed, WindowCounts::waiting});
    rule.not_before_giving_up = choices.among<Duration>({0s, 0s, 0s, 1s});
    rule.backoff = choose_backoff(choices);
    rule.cost = choices.among<std::optional<double>>({std::nullopt, std::nullopt, 0.0, 2.5});
    rule.hint = {choices.among({HintUse::at_least, HintUse::clamp, HintUse::replace, HintUse::plus,
                                HintUse::ignore}),
                 choices.among<Duration>({0s, 10ms, 5s, never})};
    rule.counting = choices.among({Counting::own, Counting::shared});
    return rule;
}

inline void choose_guards(Choices& choices, Plan& plan) {
    plan.budget.kind = choices.among({BudgetKind::traffic, BudgetKind::fixed, BudgetKind::throttle,
                                      BudgetKind::steady, BudgetKind::requests,
                                      BudgetKind::in_flight, BudgetKind::none});
    plan.budget.least = choices.among({3.0, 0.0, 1.0});
    plan.budget.capacity = choices.among({100.0, 0.0, 1.4, 10.0});
    plan.budget.per_second = choices.among({0.0, 1.0, 100.0});
    if (choices.one_in(4))
        plan.limiter = {
            .kind = LimiterKind::rate, .per_second = 20, .burst = choices.among({1.0, 5.0})};
    else if (choices.one_in(4))
        plan.limiter = {.kind = LimiterKind::concurrency, .concurrent = choices.among({1, 2})};
    else if (choices.one_in(4))
        plan.limiter = {.kind = LimiterKind::throttle, .accepts = choices.among({2.0, 1.0})};
    else if (choices.one_in(4)) plan.limiter = {.kind = LimiterKind::adaptive};
    if (choices.one_in(4))
        plan.breaker = BreakerOptions{.least_calls = choices.among({1, 3}),
                                      .open_for = choices.among<Duration>({1s, 50ms}),
                                      .probes = 1,
                                      .ramp = choices.among<Duration>({0s, 1s})};
    if (choices.one_in(2))
        plan.hedge =
            HedgeOptions{.after = choices.among<Duration>({30ms, 0ms, 1s}),
                         .extra = choices.among({1, 2, 3}),
                         .step = choices.among<Duration>({0ms, 5ms}),
                         .what = choices.among({HedgeWhat::reads, HedgeWhat::idempotent_too}),
                         .least_samples = 1};
}

// Always sound: what `validate` refuses is another test's business.
inline Plan choose_plan(Choices& choices) {
    Plan plan{.name = "script"};
    plan.deadline = choices.among<Duration>({10s, 1s, 100ms, 1h, never});
    if (choices.one_in(3))
        plan.attempt_timeout = std::min(plan.deadline, choices.among<Duration>({100ms, 20ms, 5s}));
    plan.rule = choose_rule(choices);
    for (const char* name : {"throttled", "named", "credentials", "timed_out"})
        if (choices.one_in(3)) plan.rules.push_back({name, choose_rule(choices)});
    plan.resolve.attempts = choices.among({0, 16, 1, 3});
    plan.resolve.window = choices.among<Duration>({never, never, 0s, 300ms});
    plan.resolve.backoff = choose_backoff(choices);
    plan.resolve_within = choices.among<Duration>({1s, 0s, 20ms, never});
    choose_guards(choices, plan);
    if (choices.one_in(5) && plan.deadline != never)
        plan.learn_timeout = LearnTimeout{.every = 1ms, .least_samples = 3000};
    if (choices.one_in(5)) plan.spread = choices.among<Duration>({20ms, 10s});
    if (choices.one_in(5))
        plan.shortest_attempt = std::min(plan.deadline / 2, choices.among<Duration>({10ms, 3s}));
    return plan;
}

inline Failure choose_failure(Choices& choices) {
    Failure failure{.cause = static_cast<Cause>(choices.below(cause_count))};
    if (choices.one_in(2))
        failure.set_cause(choices.among({Cause::throttled, Cause::unavailable, Cause::contended}));
    if (choices.one_in(3))
        failure.effect = choices.among({Effect::none, Effect::unknown, Effect::applied});
    if (choices.one_in(3))
        failure.retry_after = choices.among<Duration>(
            {100ms, 0ms, -1s, 3s, 24h * 365, never, never - 1ns, Duration::min()});
    if (choices.one_in(4))
        failure.rule = choices.among<std::string_view>({"named", "throttled", "nobody"});
    failure.settles_earlier = choices.one_in(10);
    failure.advanced = choices.one_in(10);
    if (choices.one_in(10)) failure.dependency = "elsewhere";
    return failure;
}

}  // namespace perdure::inline v0::testing
