// SPDX-License-Identifier: Apache-2.0
#include "load/target/cosmos/cosmos_plan.hpp"

#include <algorithm>

#include "perdure/cosmos/plans.hpp"

namespace tool::load {

using namespace perdure;

namespace {

bool cosmos_rule_may_pass(std::string_view rule) noexcept {
    return rule == "throttled" || rule == "contended" || rule == "gone" ||
           rule.starts_with("elsewhere") || rule == "region-gone" || rule == "write-forbidden";
}

}  // namespace

// The backoffs are those of the room. Few requests are under way, so the budget may be large, as for SQL.
Plan cosmos_plan(Duration patience) {
    Plan plan = cosmos::plan_for(cosmos::Retries::perdure, "cosmos");
    plan.deadline = patience;
    plan.attempt_timeout = std::min<Duration>(10s, patience / 3);
    plan.rule.attempts = 0;
    plan.rule.window = patience;
    plan.rule.backoff.cap = 1s;
    for (NamedRule& named : plan.rules) {
        if (!cosmos_rule_may_pass(named.name)) continue;
        named.rule.attempts = 0;
        named.rule.window = patience;
        named.rule.not_before_giving_up = {};
    }
    plan.budget = {
        .kind = BudgetKind::requests, .deposit = 12, .per_second = 20, .remembers = 1min};
    return plan;
}

Plan cosmos_crew_plan() {
    return {.name = "cosmos-batch", .deadline = 24h, .rule = {.attempts = 1}};
}

}  // namespace tool::load
