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

}  // namespace presets
}  // namespace v0
}  // namespace perdure
