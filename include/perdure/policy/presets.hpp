// SPDX-License-Identifier: Apache-2.0
//
// How do the peers do it? Their rules, budgets and limiters with the constants of their own sources,
// for those who must behave like them, and for the simulator that compares them with ours.
//
//     Plan orders = plan_from(presets::dynamodb_2026(), "orders");
//
// Token amounts of the AWS presets are AWS's divided by ten, so that all budgets here count alike.
#pragma once

#include <vector>

#include "perdure/policy/budget.hpp"
#include "perdure/policy/limiter.hpp"
#include "perdure/policy/rule.hpp"

namespace perdure {
inline namespace v0 {

// A plain value.
struct Preset {
    Rule rule{};
    std::vector<NamedRule> rules{};
    BudgetOptions budget{};
    LimiterOptions limiter{};
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

// Finagle's RetryBudget, its default: retries ≤ 20 % of the requests of 10 s and 10 per second on top;
// waits as RetryPolicy.tries has them, decorrelated from 5 ms up to 200 ms. Finagle leaves the number
// of tries to its user; 4 here. In an outage a client of one call a second may retry every one.
Preset finagle();

// Envoy's router with a retry budget: one retry (num_retries), U · 25 ms · (2^N − 1) up to 250 ms, N
// from 1; retries under way ≤ 20 % of the requests under way, or 3.
Preset envoy();

// Polly v8's RetryStrategyOptions as they come: 3 retries, 2 s each time, no jitter, no budget.
Preset polly_v8();

// The same with BackoffType.Exponential and UseJitter: the smooth curve of Polly issue 530, no limit.
Preset polly_v8_exponential();

// Azure SDK for C++, RetryPolicy: 3 retries, 0.8 s · 2^k · [0.8, 1.3), at most 60 s, cap outside; a
// Retry-After header replaces it; no budget. Its comment says 1× for the first delay, its code is 2×.
Preset azure_cpp();

// Google SRE book, chapter 21: 3 attempts, and client-side throttling at K = 2 over two minutes. No
// budget, to see the throttle alone; the book also holds retries to 10 % of a client's requests,
// which is {.kind = BudgetKind::requests, .deposit = 0.1} at a cost of 1.
Preset sre_throttle();

}  // namespace presets
}  // namespace v0
}  // namespace perdure
