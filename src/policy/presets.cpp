// SPDX-License-Identifier: Apache-2.0
#include "perdure/policy/presets.hpp"

namespace perdure {
inline namespace v0 {
namespace presets {

namespace {

constexpr BudgetOptions aws_budget{.kind = BudgetKind::fixed, .deposit = 0.1, .capacity = 50};

Preset standard_2026(int attempts, Duration base) {
    const Rule transient{.attempts = attempts,
                         .backoff = {.base = base, .cap = 20s},
                         .cost = 1.4,
                         .hint = {.use = HintUse::clamp, .by = 5s}};
    Rule throttled = transient;
    throttled.backoff.base = 1s;
    throttled.cost = 0.5;
    throttled.counting = Counting::shared;
    return {.rule = transient, .rules = {{"throttled", throttled}}, .budget = aws_budget};
}

}  // namespace

Preset aws_standard_2026() { return standard_2026(3, 50ms); }

Preset dynamodb_2026() { return standard_2026(4, 25ms); }

Preset aws_standard_2020() {
    const Rule ordinary{.attempts = 3,
                        .backoff = {.base = 1s, .cap = 20s},
                        .cost = 0.5,
                        .hint = {.use = HintUse::ignore}};
    Rule timed_out = ordinary;
    timed_out.cost = 1.0;
    timed_out.counting = Counting::shared;
    return {.rule = ordinary, .rules = {{"timed_out", timed_out}}, .budget = aws_budget};
}

Preset dynamodb_legacy() {
    return {.rule = {.attempts = 11,
                     .backoff = {.base = 25ms,
                                 .cap = never,
                                 .jitter = Jitter::none,
                                 .first = FirstRetry::at_once},
                     .cost = 0,
                     .hint = {.use = HintUse::ignore}},
            .budget = {.kind = BudgetKind::none}};
}

Preset ef_core() {
    return {.rule = {.attempts = 7,
                     .backoff = {.base = 1s,
                                 .cap = 30s,
                                 .jitter = {1, 1.1},
                                 .curve = Curve::exponential_less_one,
                                 .cap_place = CapPlace::outside_jitter},
                     .cost = 0,
                     .hint = {.use = HintUse::ignore}},
            .budget = {.kind = BudgetKind::none}};
}

Preset grpc_a6() {
    return {.rule = {.attempts = 4,
                     .backoff = {.base = 100ms, .cap = 1s, .jitter = {0.8, 1.2}},
                     .cost = 1,  // the throttle takes nothing, but every retry asks it
                     .hint = {.use = HintUse::replace}},
            .budget = {.kind = BudgetKind::throttle, .deposit = 0.1, .capacity = 10}};
}

Preset finagle() {
    return {.rule = {.attempts = 4,
                     .backoff = {.base = 5ms, .cap = 200ms, .curve = Curve::decorrelated},
                     .cost = 1,  // a request deposits a fifth of it
                     .hint = {.use = HintUse::ignore}},
            .budget = {
                .kind = BudgetKind::requests, .deposit = 0.2, .per_second = 10, .remembers = 10s}};
}

Preset envoy() {
    return {.rule = {.attempts = 2,
                     .backoff = {.base = 25ms,
                                 .cap = 250ms,
                                 .curve = Curve::exponential_less_one,
                                 .skip = 1},
                     .cost = 1,
                     .hint = {.use = HintUse::ignore}},
            .budget = {.kind = BudgetKind::in_flight, .deposit = 0.2, .least = 3}};
}

Preset polly_v8() {
    return {.rule = {.attempts = 4,
                     .backoff = {.base = 2s,
                                 .cap = never,
                                 .jitter = Jitter::none,
                                 .curve = Curve::constant},
                     .cost = 0,
                     .hint = {.use = HintUse::ignore}},
            .budget = {.kind = BudgetKind::none}};
}

Preset polly_v8_exponential() {
    Preset preset = polly_v8();
    preset.rule.backoff = {
        .base = 2s, .cap = never, .curve = Curve::smooth, .cap_place = CapPlace::outside_jitter};
    return preset;
}

Preset azure_cpp() {
    return {.rule = {.attempts = 4,
                     .backoff = {.base = 800ms,
                                 .cap = 60s,
                                 .jitter = {0.8, 1.3},
                                 .cap_place = CapPlace::outside_jitter,
                                 .skip = 1},
                     .cost = 0,
                     .hint = {.use = HintUse::replace}},
            .budget = {.kind = BudgetKind::none}};
}

Preset sre_throttle() {
    return {.rule = {.attempts = 3, .cost = 0},
            .budget = {.kind = BudgetKind::none},
            .limiter = {.kind = LimiterKind::throttle, .accepts = 2, .remembers = 2min}};
}

}  // namespace presets
}  // namespace v0
}  // namespace perdure
