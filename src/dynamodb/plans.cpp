// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/plans.hpp"

#include <algorithm>
#include <utility>

#include "perdure/policy/presets.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr Hint aws_hint{.use = HintUse::clamp, .by = 5s};

// Keys that are just being fetched are waited for, at no price: nothing has been sent.
const NamedRule keys_on_their_way{
    "credentials-wait",
    {.attempts = 0, .window = 5s, .backoff = {.base = 10ms, .cap = 200ms}, .cost = 0}};

Rule shared(Rule rule) {
    rule.counting = Counting::shared;
    return rule;
}

// As often as the Python SDK sends any DynamoDB request by default, ten times in its legacy mode: what
// one request of a batch gives up is 25 or 100 entries. The budget and the deadline bound it.
Rule for_batches(Rule rule) {
    rule.attempts = 10;
    return rule;
}

// What Perdure adds to AWS's two rules.
void add_own_rules(Plan& plan) {
    plan.rules.push_back({"contended",
                          {.attempts = 6,
                           .window = 2s,
                           .backoff = {.base = 25ms, .cap = 400ms},
                           .cost = 0,
                           .hint = aws_hint}});
    // Equal jitter: the sixth attempt or so is the one later than 5 s.
    plan.rules.push_back({"transaction-in-progress",
                          {.attempts = 4,
                           .not_before_giving_up = 5s,
                           .backoff = {.base = 500ms, .cap = 2s, .jitter = Jitter::equal},
                           .cost = 0.5,
                           .hint = aws_hint}});
    plan.rules.push_back(
        {"limit-exceeded",
         {.attempts = 3, .backoff = {.base = 1s, .cap = 5s}, .cost = 0.5, .hint = aws_hint}});
    // What a batch left is asked for again as soon as something moves; a batch that moves starts anew.
    plan.rules.push_back(
        {"leftovers", {.attempts = 6, .backoff = {.base = 50ms, .cap = 2s}, .cost = 0.5}});
    plan.rules.push_back({"batch", for_batches(plan.rule)});
    plan.rules.push_back({"clock_skew", shared(plan.rule)});
    plan.rules.push_back(
        {"credentials", {.attempts = 2, .backoff = {.base = 25ms, .cap = 1s}, .cost = 0.5}});
    plan.rules.push_back(keys_on_their_way);
}

// What the SDKs do not repeat although its cause would pass, and what they repeat as any other error.
void as_the_sdks(Plan& plan) {
    const Rule once{.attempts = 1};
    for (const char* const name : {"contended", "transaction-throttled", "credentials"})
        plan.rules.push_back({name, once});
    plan.rules.push_back({"replicated-write-conflict", shared(plan.rule)});
    plan.rules.push_back(keys_on_their_way);
}

Plan timed(Plan plan, Duration deadline) {
    plan.deadline = deadline;
    plan.attempt_timeout = std::min<Duration>(3s, deadline);
    plan.set_up = std::min<Duration>(2s, deadline);
    plan.resolve_within = 2s;
    return plan;
}

Plan sdk_plan(const Preset& preset, std::string name, Duration deadline) {
    Plan plan = timed(plan_from(preset, std::move(name)), deadline);
    as_the_sdks(plan);
    return plan;
}

Plan own_plan(std::string name) {
    Plan plan = timed(plan_from(presets::dynamodb_2026(), std::move(name)), 10s);
    plan.attempt_timeout = {};  // a third of the deadline, whatever the caller makes of that
    plan.budget = {};
    plan.connect = Plan{}.connect;
    add_own_rules(plan);
    return plan;
}

Plan one_attempt(std::string name) {
    Plan plan = timed({}, 3s);
    plan.name = std::move(name);
    plan.rule.attempts = 1;
    plan.rules = {{"credentials", {.attempts = 1}}, keys_on_their_way};
    return plan;
}

}  // namespace

std::string_view to_string(Retries retries) noexcept {
    switch (retries) {
        case Retries::perdure: return "perdure";
        case Retries::aws_2026: return "aws_2026";
        case Retries::aws_2020: return "aws_2020";
        case Retries::legacy: return "legacy";
        case Retries::fail_fast: return "fail_fast";
    }
    return "unknown";
}

Plan plan_for(Retries retries, std::string name) {
    switch (retries) {
        case Retries::aws_2026: return sdk_plan(presets::dynamodb_2026(), std::move(name), 30s);
        case Retries::aws_2020: return sdk_plan(presets::aws_standard_2020(), std::move(name), 30s);
        case Retries::legacy: return sdk_plan(presets::dynamodb_legacy(), std::move(name), 1min);
        case Retries::fail_fast: return one_attempt(std::move(name));
        case Retries::perdure: break;
    }
    return own_plan(std::move(name));
}

Plan with_settings(Plan plan, std::optional<RetryMode> mode, std::optional<int> max_attempts) {
    if (mode == RetryMode::legacy) plan = plan_for(Retries::legacy, std::move(plan.name));
    if (mode == RetryMode::adaptive) plan.limiter = {.kind = LimiterKind::adaptive};
    if (!max_attempts) return plan;
    const int attempts = std::max(*max_attempts, 1);
    plan.rule.attempts = attempts;
    for (NamedRule& named : plan.rules) {
        Rule& rule = named.rule;
        if (rule.attempts == 0) continue;  // bounded by its window
        if (rule.counting == Counting::shared || named.name == "batch") rule.attempts = attempts;
        else rule.attempts = std::min(rule.attempts, attempts);
        rule.not_before_giving_up = {};
        if (named.name != "credentials") rule.counting = Counting::shared;
    }
    return plan;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
