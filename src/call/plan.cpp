// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/plan.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace perdure {
inline namespace v0 {

Plan plan_from(const Preset& preset, std::string name) {
    Plan plan;
    plan.name = std::move(name);
    plan.rule = preset.rule;
    plan.rules = preset.rules;
    // The peers count a connection that was refused as any other failure.
    plan.connect = preset.rule;
    plan.connect.counting = Counting::shared;
    plan.budget = preset.budget;
    plan.limiter = preset.limiter;
    return plan;
}

Duration attempt_timeout_of(const Plan& plan) {
    if (plan.attempt_timeout > Duration::zero())
        return std::min(plan.attempt_timeout, plan.deadline);
    return plan.deadline == never ? never : plan.deadline / 3;
}

double worst_case_amplification(const Plan& plan) {
    double retries = 0;
    const auto add = [&](const Rule& rule) {
        if (rule.attempts == 0 || rule.not_before_giving_up > Duration::zero())
            retries = std::numeric_limits<double>::infinity();
        else retries += rule.attempts - 1;
    };
    add(plan.rule);
    bool credentials_named = false;
    for (const NamedRule& named : plan.rules) {
        if (named.rule.counting == Counting::own) add(named.rule);
        credentials_named = credentials_named || named.name == to_string(Cause::credentials);
    }
    // Every plan repeats once after fresh credentials, unless it says otherwise: see Memory.
    if (!credentials_named && plan.rule.counting == Counting::own) retries += 1;
    const int copies = plan.hedge ? 1 + plan.hedge->extra : 1;
    return (1 + retries) * copies;
}

double sustained_amplification(const Plan& plan, double failing_share) {
    const double share = std::clamp(failing_share, 0.0, 1.0);
    if (plan.budget.kind == BudgetKind::none) return worst_case_amplification(plan);
    if (plan.budget.kind == BudgetKind::throttle) return 1;  // switched off above its threshold
    if (plan.budget.kind == BudgetKind::steady)
        return std::numeric_limits<double>::infinity();  // by time
    // What is always there pays for every retry of a client with little traffic.
    if (plan.budget.kind == BudgetKind::in_flight ||
        (plan.budget.kind == BudgetKind::requests && plan.budget.per_second > 0))
        return worst_case_amplification(plan);
    // What costs nothing is asked of no budget.
    if (plan.rule.cost == 0.0 || (plan.hedge && plan.hedge->cost <= 0))
        return worst_case_amplification(plan);
    double cheapest = plan.hedge ? plan.hedge->cost : std::numeric_limits<double>::infinity();
    for (int cause = 0; is_repeatable(static_cast<Cause>(cause)); ++cause) {
        const double cost = plan.rule.cost.value_or(default_cost(static_cast<Cause>(cause)));
        if (cost > 0) cheapest = std::min(cheapest, cost);
    }
    for (const NamedRule& named : plan.rules)
        if (named.rule.cost && *named.rule.cost > 0)
            cheapest = std::min(cheapest, *named.rule.cost);
    const double paying = plan.budget.kind == BudgetKind::requests ? 1 : 1 - share;
    return std::min(1 + plan.budget.deposit * paying / cheapest, worst_case_amplification(plan));
}

}  // namespace v0
}  // namespace perdure
