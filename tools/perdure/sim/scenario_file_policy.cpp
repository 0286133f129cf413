// SPDX-License-Identifier: Apache-2.0
//
// [call] and [policy.NAME]: what becomes a Plan.
#include <algorithm>
#include <array>

#include "sim/scenario_file_parts.hpp"

namespace tool {

namespace {

void read_jitter(Reader& reader, Jitter& into) {
    const Node* node = reader.find("jitter");
    if (!node) return;
    const auto pair_of_numbers = [&] {
        return node->items.size() == 2 && node->items[0].kind == Node::Kind::number &&
               node->items[1].kind == Node::Kind::number && node->items[0].number >= 0 &&
               node->items[1].number >= node->items[0].number && node->items[1].number <= 100;
    };
    if (node->kind == Node::Kind::text && node->text == "none") into = Jitter::none;
    else if (node->kind == Node::Kind::text && node->text == "full") into = Jitter::full;
    else if (node->kind == Node::Kind::text && node->text == "equal") into = Jitter::equal;
    else if (pair_of_numbers()) into = {node->items[0].number, node->items[1].number};
    else
        reader.complain(*node, "jitter",
                        "is `none`, `full`, `equal` or the two ends of a factor: [0.8, 1.2]");
}

void read_backoff(Reader& from, Backoff& into) {
    const Node* node = from.find("backoff");
    if (!node) return;
    if (node->kind == Node::Kind::text && node->text == "none") {
        into = Backoff{.base = 0ms, .cap = 0ms};
        return;
    }
    if (node->kind != Node::Kind::table)
        return from.complain(*node, "backoff",
                             "is \"none\" or a table: { base = \"50ms\", cap = \"5s\" }");
    Reader reader{*node, from.path("backoff"), from.problems()};
    reader.duration("base", into.base);
    reader.number("factor", into.factor, {.least = 1, .most = 100});
    reader.duration("cap", into.cap, "never");
    read_jitter(reader, into.jitter);
    reader.choice("curve", into.curve,
                  {{"exponential", Curve::exponential},
                   {"exponential_less_one", Curve::exponential_less_one},
                   {"constant", Curve::constant},
                   {"linear", Curve::linear},
                   {"decorrelated", Curve::decorrelated},
                   {"smooth", Curve::smooth}});
    reader.choice(
        "cap_place", into.cap_place,
        {{"inside_jitter", CapPlace::inside_jitter}, {"outside_jitter", CapPlace::outside_jitter}});
    reader.choice("first", into.first,
                  {{"waits", FirstRetry::waits}, {"at_once", FirstRetry::at_once}});
    reader.whole("skip", into.skip, {.least = 0, .most = 1000});
    reader.close();
}

void read_budget(Reader& from, Plan& plan) {
    const Node* node = from.find("budget");
    if (!node) return;
    if (node->kind == Node::Kind::text) {
        const auto known = sim::policy_named(node->text);
        if (!known) {
            std::vector<std::string> names;
            for (const auto& policy : sim::policies()) names.push_back(policy.name);
            return from.complain(*node, "budget",
                                 "is the budget of no known policy: " + any_of(names) +
                                     did_you_mean(node->text, names));
        }
        plan.budget = known->plan.budget;
        plan.rule.cost = known->plan.rule.cost;
        return;
    }
    const Node* table = from.table("budget");
    if (!table) return;
    Reader reader{*table, from.path("budget"), from.problems()};
    BudgetOptions& budget = plan.budget;
    reader.choice("kind", budget.kind,
                  {{"traffic", BudgetKind::traffic},
                   {"fixed", BudgetKind::fixed},
                   {"throttle", BudgetKind::throttle},
                   {"steady", BudgetKind::steady},
                   {"requests", BudgetKind::requests},
                   {"in_flight", BudgetKind::in_flight},
                   {"none", BudgetKind::none}});
    reader.number("deposit", budget.deposit, {.least = 0, .most = 1000});
    reader.number("capacity", budget.capacity, {.least = 0, .most = 1e6});
    reader.number("per_second", budget.per_second, {.least = 0, .most = 1e6});
    reader.duration("remembers", budget.remembers);
    reader.number("least", budget.least, {.least = 0, .most = 1e6});
    double cost = plan.rule.cost.value_or(-1);
    reader.number("cost", cost, {.least = 0, .most = 1000});
    if (cost >= 0) plan.rule.cost = cost;
    reader.close();
}

// A part that a plan may be without: "none", or a table.
const Node* optional_part(Reader& from, std::string_view key, bool& none) {
    const Node* node = from.find(key);
    none = node && node->kind == Node::Kind::text && node->text == "none";
    return node && !none ? from.table(key) : nullptr;
}

void read_breaker(Reader& from, std::optional<BreakerOptions>& into) {
    bool none = false;
    const Node* node = optional_part(from, "breaker", none);
    if (none) into.reset();
    if (!node) return;
    BreakerOptions& breaker = into ? *into : into.emplace();
    Reader reader{*node, from.path("breaker"), from.problems()};
    reader.number("failure_share", breaker.failure_share, {.least = 0, .most = 1});
    reader.whole("least_calls", breaker.least_calls, {.least = 1});
    reader.duration("window", breaker.window);
    reader.duration("open_for", breaker.open_for);
    reader.whole("probes", breaker.probes, {.least = 1, .most = 1000});
    reader.duration("ramp", breaker.ramp);
    reader.duration("slow_after", breaker.slow_after, "never");
    reader.close();
}

void read_hedge(Reader& from, std::optional<HedgeOptions>& into) {
    bool none = false;
    const Node* node = optional_part(from, "hedge", none);
    if (none) into.reset();
    if (!node) return;
    HedgeOptions& hedge = into ? *into : into.emplace();
    Reader reader{*node, from.path("hedge"), from.problems()};
    reader.duration("after", hedge.after);
    reader.number("quantile", hedge.quantile, {.least = 0, .most = 1});
    reader.duration("least", hedge.least);
    reader.whole("extra", hedge.extra, {.least = 1, .most = 10});
    reader.duration("step", hedge.step);
    reader.number("cost", hedge.cost, {.least = 0, .most = 1000});
    reader.close();
}

void read_limiter(Reader& from, LimiterOptions& into) {
    bool none = false;
    const Node* node = optional_part(from, "limiter", none);
    if (none) into = {};
    if (!node) return;
    Reader reader{*node, from.path("limiter"), from.problems()};
    reader.choice("kind", into.kind,
                  {{"none", LimiterKind::none},
                   {"rate", LimiterKind::rate},
                   {"concurrency", LimiterKind::concurrency},
                   {"throttle", LimiterKind::throttle},
                   {"adaptive", LimiterKind::adaptive}});
    reader.number("per_second", into.per_second, {.least = 0, .most = 1e9});
    reader.number("burst", into.burst, {.least = 0, .most = 1e9});
    reader.whole("concurrent", into.concurrent, {.least = 0});
    reader.number("accepts", into.accepts, {.least = 1, .most = 1000});
    reader.duration("remembers", into.remembers);
    reader.close();
}

void read_plan(Reader& reader, Plan& plan) {
    reader.whole("attempts", plan.rule.attempts,
                 {.least = 1, .most = 1'000'000, .word = "unlimited", .worth = 0});
    reader.duration("timeout", plan.attempt_timeout, "never");
    reader.duration("deadline", plan.deadline, "never");
    reader.duration("window", plan.rule.window, "never");
    double cost = plan.rule.cost.value_or(-1);
    reader.number("cost", cost, {.least = 0, .most = 1000});
    if (cost >= 0) plan.rule.cost = cost;
    reader.choice("hint", plan.rule.hint.use,
                  {{"at_least", HintUse::at_least},
                   {"clamp", HintUse::clamp},
                   {"replace", HintUse::replace},
                   {"plus", HintUse::plus},
                   {"ignore", HintUse::ignore}});
    reader.duration("hint_by", plan.rule.hint.by);
    reader.duration("spread", plan.spread);
    read_backoff(reader, plan.rule.backoff);
    read_budget(reader, plan);
    read_breaker(reader, plan.breaker);
    read_hedge(reader, plan.hedge);
    read_limiter(reader, plan.limiter);
    // All but the library's own count a connection that was refused as any other failure.
    if (plan.connect.counting == Counting::shared) {
        plan.connect = plan.rule;
        plan.connect.counting = Counting::shared;
    }
}

bool says(const Policies& policies, std::string_view key) {
    return std::ranges::find(policies.call_says, key) != policies.call_says.end();
}

sim::NamedPolicy with_call_times(sim::NamedPolicy policy, const Policies& policies) {
    if (says(policies, "timeout")) policy.plan.attempt_timeout = policies.call.plan.attempt_timeout;
    if (says(policies, "deadline")) policy.plan.deadline = policies.call.plan.deadline;
    return policy;
}

sim::NamedPolicy read_policy(const Entry& entry, const Policies& policies, Problems& problems) {
    Reader reader{entry.value, "policy." + entry.key, problems};
    sim::NamedPolicy policy = policies.call;
    std::string like;
    reader.text("like", like);
    if (auto known = sim::policy_named(like)) {
        policy = with_call_times(*std::move(known), policies);
    } else if (!like.empty()) {
        std::vector<std::string> names;
        for (const auto& one : sim::policies()) names.push_back(one.name);
        reader.complain(*reader.find("like"), "like",
                        "is \"" + like + "\"; known are " + any_of(names) +
                            did_you_mean(like, names));
    }
    policy.name = entry.key;
    policy.text.clear();
    reader.text("describe", policy.text);
    read_plan(reader, policy.plan);
    policy.plan.name = policy.name;
    reader.close();
    return policy;
}

}  // namespace

std::optional<sim::NamedPolicy> Policies::find(std::string_view name) const {
    const auto found = std::ranges::find(own, name, &sim::NamedPolicy::name);
    if (found != own.end()) return *found;
    if (auto known = sim::policy_named(name)) return with_call_times(*std::move(known), *this);
    return {};
}

std::vector<std::string> Policies::names() const {
    std::vector<std::string> list;
    for (const auto& policy : own) list.push_back(policy.name);
    for (const auto& policy : sim::policies())
        if (std::ranges::find(list, policy.name) == list.end()) list.push_back(policy.name);
    return list;
}

Policies read_policies(Reader& top, Problems& problems) {
    Policies policies;
    policies.call.plan.name = "call";
    policies.call.plan.deadline = never;
    policies.call.plan.attempt_timeout = 1s;
    policies.call.plan.rule.attempts = 3;
    policies.call.plan.budget.kind = BudgetKind::none;
    policies.call.plan.connect = policies.call.plan.rule;
    policies.call.plan.connect.counting = Counting::shared;
    if (const Node* call = top.table("call")) {
        Reader reader{*call, "call", problems};
        read_plan(reader, policies.call.plan);
        reader.close();
        for (const Entry& entry : call->entries) policies.call_says.push_back(entry.key);
    }
    if (const Node* list = top.table("policy"))
        for (const Entry& entry : list->entries) {
            if (entry.value.kind == Node::Kind::table)
                policies.own.push_back(read_policy(entry, policies, problems));
            else
                problems.push_back(
                    {entry.place,
                     "`policy." + entry.key + "` is no table; write [policy." + entry.key + "]"});
        }
    return policies;
}

}  // namespace tool
