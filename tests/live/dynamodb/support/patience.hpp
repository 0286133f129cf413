// SPDX-License-Identifier: Apache-2.0
//
// Plans for tests that have no time: the usual number of attempts with waits of a millisecond.
#pragma once

#include "perdure/dynamodb/plans.hpp"

namespace perdure::live {

inline void hurry(Rule& rule) {
    rule.backoff.base = 1ms;
    rule.backoff.cap = 20ms;
}

inline Plan impatient_plan() {
    Plan plan = dynamodb::plan_for();
    hurry(plan.rule);
    for (NamedRule& named : plan.rules) hurry(named.rule);
    hurry(plan.resolve);
    return plan;
}

// Ten attempts and no budget besides: what is left then is what cannot be repeated.
inline Plan stubborn_plan() {
    Plan plan = impatient_plan();
    plan.deadline = 30s;
    plan.budget = {.kind = BudgetKind::none};
    plan.rule.attempts = 10;
    for (NamedRule& named : plan.rules)
        if (named.name == "throttled") named.rule.attempts = 10;
    return plan;
}

}  // namespace perdure::live
