// SPDX-License-Identifier: Apache-2.0
#include "load/target/sql/sql_target_plan.hpp"

#include "perdure/sql/strategy.hpp"

namespace tool::load {

using namespace perdure;

// A load has few transactions under way, each waits longer after every failure, and none lasts longer
// than the patience allows: it cannot make a storm. The budget bounds what is left: in any minute there
// are at most about 9 retries for each transaction begun in it, and 850 more, which is what four workers
// need to sit out a minute in which nothing works. A link that fails at 10 % of all steps in every way
// it can takes about 2 for each.
Plan plan_of(sql::Product product, Duration patience) {
    Plan plan = sql::strategy(product);
    plan.deadline = patience;
    plan.rule = {.attempts = 0, .window = patience, .backoff = {.base = 10ms, .cap = 500ms}};
    for (NamedRule& named : plan.rules) {
        if (named.name == "few") continue;
        named.rule.attempts = 0;
        named.rule.window = patience;  // also of reads, which may last longer when they go well
    }
    plan.budget = {
        .kind = BudgetKind::requests, .deposit = 12, .per_second = 20, .remembers = 1min};
    return plan;
}

}  // namespace tool::load
