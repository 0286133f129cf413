// SPDX-License-Identifier: Apache-2.0
//
// What would this plan do to the fleet when the service loses four fifths of its capacity for ten
// seconds? Asked in C++, without the tool. For docs/guide/simulate-a-fleet.md.
#include <cstdio>

#include "perdure/sim/simulate.hpp"

using namespace perdure;

namespace {

// [scenario]
// 100 clients, 800 calls a second; ten workers that take 10 ms on average, so 1000 a second.
sim::Scenario storm(Plan plan) {
    sim::Scenario scenario;
    scenario.clients = {.count = 100, .rate = {{0s, 800}}};
    scenario.plan = std::move(plan);
    scenario.services = {{.workers = 10, .work = sim::Distribution::exponential(10ms)}};
    scenario.changes = {{.from = 10s, .to = 20s, .what = sim::Change::What::speed, .value = 0.2}};
    scenario.duration = 90s;
    return scenario;
}
// [/scenario]

// [ask]
int recovered(const char* name, const Plan& plan) {
    const auto accounts = sim::replicate(storm(plan), {.seeds = 4});
    int count = 0;
    double amplification = 0;
    for (const sim::Account& account : accounts) {
        if (sim::recovery(account, {.after = 20s, .until = 90s})) ++count;
        amplification += account.amplification() / 4;
    }
    std::printf("%-22s recovered in %d of 4 seeds, %.2f attempts per call\n", name, count,
                amplification);
    return count;
}
// [/ask]

}  // namespace

int main() {
    // [plans]
    Plan plain{.deadline = never, .attempt_timeout = 500ms, .rule = {.attempts = 3}};
    plain.budget.kind = BudgetKind::none;
    Plan with_budget = plain;
    with_budget.budget = {};  // the default: paid for by successes
    // [/plans]
    const int without = recovered("3 attempts", plain);
    const int with = recovered("3 attempts, a budget", with_budget);
    return without == 0 && with == 4 ? 0 : 1;
}
