// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/plans.hpp"

#include <utility>

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

constexpr int no_limit = 0;

// Without a delay, as the SDKs move on.
constexpr Backoff at_once{.base = 0ns, .cap = 0ns};
constexpr Backoff every_second{
    .base = 1s, .cap = 1s, .jitter = Jitter::none, .curve = Curve::constant};
constexpr Backoff once_then_every_second{.base = 1s,
                                         .cap = 1s,
                                         .jitter = Jitter::none,
                                         .curve = Curve::constant,
                                         .first = FirstRetry::at_once};

const Rule not_repeated{.attempts = 1};

// At once, then one second and more: the document of the account needs some seconds after a failover.
Rule leaving_a_region() {
    return {.attempts = no_limit,
            .window = 5s,
            .backoff = {.base = 500ms,
                        .cap = 2s,
                        .jitter = Jitter::equal,
                        .first = FirstRetry::at_once},
            .cost = 0.1};
}

void add_own_load_rules(Plan& plan) {
    plan.rules.push_back({"throttled",
                          {.attempts = 10,
                           .window = 30s,
                           .window_counts = WindowCounts::waiting,
                           .backoff = {.base = 100ms, .cap = 5s},
                           .cost = 0,
                           .hint = {.use = HintUse::plus, .by = 50ms}}});
    plan.rules.push_back({"contended",
                          {.attempts = no_limit,
                           .window = 30s,
                           .backoff = {.base = 10ms, .cap = 1s, .jitter = Jitter::equal},
                           .cost = 0}});
}

void add_own_place_rules(Plan& plan) {
    plan.rules.push_back({"write-forbidden", leaving_a_region()});
    plan.rules.push_back({"region-gone", leaving_a_region()});
    plan.rules.push_back({"session", {.attempts = 3, .backoff = at_once, .cost = 0.5}});
    // Every region once: the classifier ends it when none is left.
    plan.rules.push_back({"session-elsewhere", {.attempts = 64, .backoff = at_once, .cost = 0.5}});
    plan.rules.push_back({"gone",
                          {.attempts = 10,
                           .backoff = {.base = 25ms, .cap = 1s, .first = FirstRetry::at_once},
                           .cost = 0.5}});
    plan.rules.push_back({"recreated", {.attempts = 2, .backoff = at_once, .cost = 0.5}});
    // What the region just left asked for says nothing about the next.
    for (const char* const name : {"elsewhere", "elsewhere-broken", "elsewhere-other"})
        plan.rules.push_back({name,
                              {.attempts = 5,
                               .backoff = {.base = 10ms, .cap = 1s, .first = FirstRetry::at_once},
                               .hint = {.use = HintUse::ignore},
                               .counting = Counting::shared}});
    plan.rules.push_back({"credentials", {.attempts = 2, .backoff = at_once, .cost = 0.5}});
    plan.rules.push_back({"clock_skew", {.attempts = 2, .backoff = at_once, .cost = 0.5}});
}

Plan own_plan(std::string name) {
    Plan plan;
    plan.name = std::move(name);
    plan.deadline = 10s;
    plan.set_up = 3s;
    plan.resolve_within = 2s;
    // One more here, three elsewhere; with one region the same number of attempts, waiting longer.
    plan.rule = {.attempts = 5, .backoff = {.base = 50ms, .cap = 2s, .first = FirstRetry::at_once}};
    add_own_load_rules(plan);
    add_own_place_rules(plan);
    return plan;
}

// What all three SDKs have in common. None has a deadline or a budget; ours is kept so that a call ends.
Plan sdk_plan(std::string name, Duration deadline, Duration attempt_timeout) {
    Plan plan;
    plan.name = std::move(name);
    plan.deadline = deadline;
    plan.attempt_timeout = attempt_timeout;
    plan.set_up = 5s;
    plan.resolve_within = 2s;
    plan.budget.kind = BudgetKind::none;
    plan.rule = not_repeated;
    return plan;
}

Rule throttled_as_sdks(Duration without_header) {
    Rule rule{.attempts = 10,
              .window = 30s,
              .window_counts = WindowCounts::waiting,
              .backoff = at_once,
              .cost = 0,
              .hint = {.use = HintUse::replace}};
    if (without_header > Duration::zero())
        rule.backoff = {.base = without_header,
                        .cap = without_header,
                        .jitter = Jitter::none,
                        .curve = Curve::constant};
    return rule;
}

// 10 to 14 ms, doubling; the cap swallows the jitter.
Rule contended_as_net() {
    return {.attempts = no_limit,
            .window = 30s,
            .backoff = {.base = 10ms,
                        .cap = 1s,
                        .jitter = {1, 1.4},
                        .cap_place = CapPlace::outside_jitter},
            .cost = 0};
}

Plan dotnet_plan(std::string name) {
    Plan plan = sdk_plan(std::move(name), 200s, 65s);
    plan.rules = {{"throttled", throttled_as_sdks(5s)},
                  {"contended", contended_as_net()},
                  {"write-forbidden", {.attempts = 121, .backoff = once_then_every_second}},
                  {"region-gone", {.attempts = 121, .backoff = every_second}},
                  {"connection", {.attempts = 121, .backoff = every_second}},
                  {"connect", {.attempts = 121, .backoff = every_second}},
                  {"no-answer", {.attempts = 3, .backoff = once_then_every_second}},
                  {"session", {.attempts = 3, .backoff = at_once}},
                  {"session-elsewhere", {.attempts = 64, .backoff = at_once}},
                  {"gone", not_repeated},
                  {"recreated", {.attempts = 2, .backoff = at_once}},
                  {"elsewhere", {.attempts = 2, .backoff = at_once}},
                  {"elsewhere-broken", {.attempts = 2, .backoff = at_once}},
                  {"elsewhere-other", not_repeated},
                  {"credentials", not_repeated}};
    return plan;
}

Plan java_plan(std::string name) {
    Plan plan = sdk_plan(std::move(name), 1min, 10s);
    plan.rules = {{"throttled", throttled_as_sdks(5s)},
                  {"contended", contended_as_net()},
                  {"write-forbidden", {.attempts = 121, .backoff = once_then_every_second}},
                  {"region-gone", {.attempts = 121, .backoff = every_second}},
                  {"connection", {.attempts = 121, .backoff = every_second}},
                  {"connect", {.attempts = 121, .backoff = every_second}},
                  {"no-answer", {.attempts = 3, .backoff = at_once}},
                  {"session", {.attempts = 3, .backoff = at_once}},
                  {"session-elsewhere", {.attempts = 64, .backoff = at_once}},
                  {"gone", not_repeated},
                  {"recreated", {.attempts = 2, .backoff = at_once}},
                  {"elsewhere", {.attempts = 3, .backoff = at_once}},
                  {"elsewhere-broken", not_repeated},
                  {"elsewhere-other", not_repeated},
                  {"credentials", not_repeated}};
    return plan;
}

Plan js_plan(std::string name) {
    Plan plan = sdk_plan(std::move(name), 2min, 60s);
    plan.rules = {{"throttled", throttled_as_sdks(0s)},
                  {"contended", not_repeated},
                  {"write-forbidden", {.attempts = 121, .backoff = every_second}},
                  {"region-gone", {.attempts = 121, .backoff = every_second}},
                  {"connection", {.attempts = 121, .backoff = every_second}},
                  {"connect", {.attempts = 121, .backoff = every_second}},
                  {"no-answer", {.attempts = 2, .backoff = at_once}},
                  {"session", {.attempts = 2, .backoff = at_once}},
                  {"session-elsewhere", {.attempts = 64, .backoff = at_once}},
                  {"gone", not_repeated},
                  {"recreated", not_repeated},
                  {"elsewhere", {.attempts = 2, .backoff = at_once}},
                  {"elsewhere-broken", not_repeated},
                  {"elsewhere-other", not_repeated},
                  {"credentials", not_repeated}};
    return plan;
}

Plan one_attempt(std::string name) {
    Plan plan;
    plan.name = std::move(name);
    plan.deadline = 3s;
    plan.attempt_timeout = 3s;
    plan.set_up = 2s;
    plan.rule.attempts = 1;
    plan.rules = {{"credentials", not_repeated}};
    return plan;
}

}  // namespace

std::string_view to_string(Retries retries) noexcept {
    switch (retries) {
        case Retries::perdure: return "perdure";
        case Retries::dotnet: return "dotnet";
        case Retries::java: return "java";
        case Retries::js: return "js";
        case Retries::fail_fast: return "fail_fast";
    }
    return "unknown";
}

Plan plan_for(Retries retries, std::string name) {
    switch (retries) {
        case Retries::dotnet: return dotnet_plan(std::move(name));
        case Retries::java: return java_plan(std::move(name));
        case Retries::js: return js_plan(std::move(name));
        case Retries::fail_fast: return one_attempt(std::move(name));
        case Retries::perdure: break;
    }
    return own_plan(std::move(name));
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
