// SPDX-License-Identifier: Apache-2.0
//
// How do the peers do it? Their rules and budgets with the constants of their own sources, for
// those who must behave like them, and for the simulator that compares them with ours.
//
//     const auto [rule, rules, budget] = presets::dynamodb_2026();
//     Plan{.name = "orders", .rule = rule, .rules = rules, .budget = budget}
//
// Token amounts of the AWS presets are AWS's divided by ten, so that all budgets here count alike.
#pragma once

#include <vector>

#include "perdure/policy/budget.hpp"
#include "perdure/policy/rule.hpp"

namespace perdure {
inline namespace v0 {

// A plain value.
struct Preset {
    Rule rule{};
    std::vector<NamedRule> rules{};
    BudgetOptions budget{};
};

// Pure functions; any thread.
namespace presets {

// The "standard" mode of every AWS SDK since 2026 (specification version 2.1, announced in
// aws/aws-sdk-cpp#3832): 3 attempts, 50 ms · 2^n, throttled 1 s · 2^n, cap 20 s inside full jitter,
// `x-amz-retry-after` up to 5 s above the own delay; 500 tokens, 14 per retry, 5 when throttled.
Preset aws_standard_2026();

// The same for DynamoDB and its streams: 4 attempts, 25 ms · 2^n.
Preset dynamodb_2026();

// Standard mode before that (version 2.0) as botocore has it: 3 attempts, 1 s · 2^n for everything,
// cap 20 s inside full jitter; 500 tokens, 5 per retry, 10 after a timeout; no server hint.
Preset aws_standard_2020();

// The C++ SDK's DefaultRetryStrategy ("legacy"): 11 attempts, at once, then 50 ms … 12.8 s, without
// jitter, cap or budget. When all fail it sleeps 25.55 s. To compare with, not to use.
Preset dynamodb_legacy();

// Entity Framework Core's ExecutionStrategy: 6 retries, min(30 s, 1 s · (2^n − 1) · [1, 1.1)), no
// budget. In a fleet all clients that have reached the cap wait exactly 30 s.
Preset ef_core();

// gRPC proposal A6 with the values of its own example: 4 attempts, 0.1 s · 2^n up to 1 s, ±20 %;
// retries off while at most half of 10 tokens are left, 0.1 per success; push-back replaces the
// delay. gRPC itself never makes more than 5 attempts, whatever is configured.
Preset grpc_a6();

}  // namespace presets
}  // namespace v0
}  // namespace perdure
