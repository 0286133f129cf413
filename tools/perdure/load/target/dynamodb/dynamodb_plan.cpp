// SPDX-License-Identifier: Apache-2.0
#include "load/target/dynamodb/dynamodb_plan.hpp"

#include <algorithm>

#include "perdure/dynamodb/plans.hpp"

namespace tool::load {

using namespace perdure;

namespace {

bool dynamodb_rule_may_pass(std::string_view rule) noexcept {
    return rule == "throttled" || rule == "contended" || rule == "transaction-in-progress" ||
           rule == "clock_skew";
}

}  // namespace

// The backoffs are those of the room: throttling is waited for long, a transaction that is in the way
// shortly. Few transactions are under way, so the budget may be large, as for SQL.
Plan dynamodb_plan(Duration patience) {
    Plan plan = dynamodb::plan_for(dynamodb::Retries::perdure, "dynamodb");
    plan.deadline = patience;
    plan.attempt_timeout = std::min<Duration>(10s, patience);
    plan.rule.attempts = 0;
    plan.rule.window = patience;
    plan.rule.backoff.cap = 1s;
    for (NamedRule& named : plan.rules) {
        if (!dynamodb_rule_may_pass(named.name)) continue;
        named.rule.attempts = 0;
        named.rule.window = patience;
        named.rule.not_before_giving_up = {};
    }
    plan.budget = {
        .kind = BudgetKind::requests, .deposit = 12, .per_second = 20, .remembers = 1min};
    return plan;
}

}  // namespace tool::load
