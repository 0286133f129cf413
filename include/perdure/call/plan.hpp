// SPDX-License-Identifier: Apache-2.0
//
// What do we promise ourselves about one dependency? How long, how often, at what price.
//
//     Plan{.name = "users", .deadline = 3s, .rule = {.attempts = 4, .backoff = {.base = 50ms}}}
//     Plan users = plan_from(presets::dynamodb_2026(), "users");
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "perdure/policy/breaker.hpp"
#include "perdure/policy/budget.hpp"
#include "perdure/policy/hedge.hpp"
#include "perdure/policy/learn_timeout.hpp"
#include "perdure/policy/limiter.hpp"
#include "perdure/policy/presets.hpp"
#include "perdure/policy/rule.hpp"

namespace perdure {
inline namespace v0 {

struct Plan {
    std::string name = "unnamed";
    Duration deadline = 10s;     // of the whole call, everything included; `never`: none
    Duration attempt_timeout{};  // zero: a third of the deadline
    // How long an attempt may wait for its connection and set it up, beside the attempt timeout, which
    // starts when the connection is ready. Zero for work that has no such phase.
    Duration set_up{};
    Rule rule{};  // for failures without a rule of their own
    std::vector<NamedRule> rules{};
    // For a connection that was refused, or a host that cannot be reached: nothing was sent, so it is
    // tried until the deadline (30 s where there is none), costs nothing and counts for no other rule.
    Rule connect{
        .attempts = 0, .backoff = {.base = 50ms, .cap = 1s, .jitter = Jitter::equal}, .cost = 0};
    // How often a resolver is asked. No limit of its own: as long as the outcome is unknown, the
    // resolver is asked again until the call's deadline. Asking costs no tokens.
    Rule resolve{
        .attempts = 0, .backoff = {.base = 100ms, .cap = 2s, .jitter = Jitter::equal}, .cost = 0};
    // Time before the deadline in which no attempt runs, so that the resolver can be asked at least
    // once; at most a third of the deadline. It does not limit the resolver: that may be asked from
    // the moment the outcome is unknown until the deadline.
    Duration resolve_within = 1s;
    BudgetOptions budget{};
    std::shared_ptr<Budget> shared_budget{};  // instead of an own one
    LimiterOptions limiter{};
    std::optional<BreakerOptions> breaker{};
    std::optional<HedgeOptions> hedge{};
    std::optional<LearnTimeout> learn_timeout{};  // the attempt timeout follows the latencies
    Duration spread{};                            // random wait before the first attempt
    Duration shortest_attempt{};  // an attempt that would have less time than this is not started
    std::string place{};  // where its calls go, for diagnostics: "users.internal:443"; no secrets
};

Plan plan_from(const Preset& preset, std::string name = "unnamed");

// How long one attempt may take by the plan's own words; at most the deadline.
Duration attempt_timeout_of(const Plan& plan);

enum class Severity : std::uint8_t { problem, warning };

struct Finding {
    Severity severity = Severity::problem;
    std::string field{};
    std::string text{};  // what is wrong and what to do instead
};

// All of them, not the first: problems make a plan unusable, warnings deserve a thought.
std::vector<Finding> validate(const Plan& plan);

// Attempts one call can cause at worst, hedges and the one after fresh credentials included, when
// nothing but the plan's rules bounds it; infinite when a rule has no limit of its own. Layers multiply.
double worst_case_amplification(const Plan& plan);

// Extra load in a long total or partial outage once the start tokens are spent: 1 + what the
// budget deposits per call ÷ the cheapest paid retry, at the given share of failing calls. True at
// every rate of calls: infinite for `steady`, the worst case for what `in_flight` and the reserve of
// `requests` allow a client with little traffic.
double sustained_amplification(const Plan& plan, double failing_share);

}  // namespace v0
}  // namespace perdure
