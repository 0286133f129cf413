// SPDX-License-Identifier: Apache-2.0
#include "perdure/sim/policies.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace perdure {
inline namespace v0 {
namespace sim {

namespace {

Plan without_deadline(Plan plan) {
    plan.deadline = never;
    plan.attempt_timeout = 1s;
    return plan;
}

Plan plain(int attempts, const Backoff& backoff) {
    Plan plan;
    plan.rule.attempts = attempts;
    plan.rule.backoff = backoff;
    plan.budget.kind = BudgetKind::none;
    // Whoever writes such a loop counts a connection that was refused as any other failure.
    plan.connect = plan.rule;
    plan.connect.counting = Counting::shared;
    return without_deadline(std::move(plan));
}

constexpr Backoff at_once{.base = 0ms, .cap = 0ms};
constexpr Backoff patient{.base = 100ms, .cap = 10s};

// Three attempts with the usual back-off; only what may pay for the retries differs.
Plan with_budget(const BudgetOptions& budget, double cost) {
    Plan plan = plain(3, patient);
    plan.budget = budget;
    plan.rule.cost = plan.connect.cost = cost;
    return plan;
}

Plan with_breaker() {
    Plan plan = plain(3, patient);
    plan.breaker = BreakerOptions{.failure_share = 0.5,
                                  .least_calls = 10,
                                  .window = 10s,
                                  .open_for = 5s,
                                  .probes = 1,
                                  .ramp = 0s};
    return plan;
}

Plan with_throttle() {
    Plan plan = plain(3, patient);
    plan.limiter = {.kind = LimiterKind::throttle, .accepts = 2, .remembers = 2min};
    return plan;
}

Plan hedged() {
    Plan plan = plain(1, at_once);
    plan.budget = BudgetOptions{};
    plan.hedge = HedgeOptions{};
    return plan;
}

NamedPolicy peer(std::string name, std::string text, const Preset& preset) {
    Plan plan = without_deadline(plan_from(preset, name));
    return {std::move(name), std::move(text), std::move(plan)};
}

std::vector<NamedPolicy> catalogue() {
    std::vector<NamedPolicy> list{
        {"none", "one attempt", plain(1, at_once)},
        {"perdure",
         "this library's defaults: 4 attempts, full jitter, a budget that follows traffic",
         without_deadline(Plan{})},
        {"immediate", "3 attempts, no wait, no budget", plain(3, at_once)},
        {"jitter", "3 attempts, 100 ms to 10 s with full jitter, no budget", plain(3, patient)},
        {"bucket", "3 attempts; 0.1 token per success, at most 5, 1 per retry",
         with_budget({.kind = BudgetKind::fixed, .deposit = 0.1, .capacity = 5}, 1)},
        {"per-request", "3 attempts; 0.2 token per request, kept for 10 s, 1 per retry",
         with_budget({.kind = BudgetKind::requests, .deposit = 0.2, .remembers = 10s}, 1)},
        {"breaker", "3 attempts; open for 5 s when half of at least 10 calls fail", with_breaker()},
        {"sre-throttle", "3 attempts; at most twice as many as the service accepts",
         with_throttle()},
        {"hedge", "one attempt and a copy after the delay that 95 % beat, paid from a budget",
         hedged()},
        peer("aws-2026", "AWS SDKs, standard mode of 2026: 3 attempts, 500 tokens, 14 per retry",
             presets::aws_standard_2026()),
        peer("aws-2020", "AWS SDKs, standard mode before: 3 attempts, 500 tokens, 5 per retry",
             presets::aws_standard_2020()),
        peer("dynamodb-2026", "the same for DynamoDB: 4 attempts from 25 ms",
             presets::dynamodb_2026()),
        peer("dynamodb-legacy", "the old C++ SDK: 11 attempts, no jitter, no budget",
             presets::dynamodb_legacy()),
        peer("grpc", "gRPC A6: 4 attempts; off while half of 10 tokens are gone",
             presets::grpc_a6()),
        peer("ef-core", "Entity Framework Core: 7 attempts up to 30 s, no budget",
             presets::ef_core()),
        peer("finagle", "Finagle: 20 % of the requests of the last 10 s, and 10 per second",
             presets::finagle()),
        peer("envoy", "Envoy: 2 attempts, retries at most a fifth of the calls under way, or 3",
             presets::envoy()),
        peer("polly", "Polly v8: 4 attempts, 2 s apart, no jitter, no budget", presets::polly_v8()),
        peer("azure-cpp", "Azure SDK for C++: 4 attempts from 0.8 s, cap outside the jitter",
             presets::azure_cpp()),
    };
    return list;
}

}  // namespace

const std::vector<NamedPolicy>& policies() {
    static const std::vector<NamedPolicy> list = catalogue();
    return list;
}

std::optional<NamedPolicy> policy_named(std::string_view name) {
    const auto found = std::ranges::find(policies(), name, &NamedPolicy::name);
    return found == policies().end() ? std::nullopt : std::optional{*found};
}

double safe_utilisation(const Plan& plan) {
    // Overload fails by the default rule; a refresh of credentials, which worst_case_amplification
    // counts too, does not come into it.
    const Rule& rule = plan.rule;
    const bool endless = rule.attempts == 0 || rule.not_before_giving_up > Duration::zero();
    double worst = endless ? std::numeric_limits<double>::infinity() : rule.attempts;
    if (plan.hedge) worst *= 1 + plan.hedge->extra;
    // A budget fed by successes pays most while nearly everything still succeeds.
    if (plan.budget.kind != BudgetKind::none)
        worst = std::min(worst, sustained_amplification(plan, 0));
    return 1 / std::max(1.0, worst);
}

}  // namespace sim
}  // namespace v0
}  // namespace perdure
