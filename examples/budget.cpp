// SPDX-License-Identifier: Apache-2.0
//
// What may a plan cost when everything fails? Asked of the plan, then seen in a run. For
// docs/guide/size-a-budget.md.
#include <cstdio>

#include "perdure/perdure.hpp"
#include "perdure/testing/virtual_clock.hpp"

using namespace perdure;

namespace {

// A minute of calls, `every` apart; each attempt fails with probability `failing`.
double attempts_per_call(const Plan& plan, double failing, Duration every) {
    testing::VirtualClock clock;
    SeededRandom dice{7};
    Caller caller{plan, {.clock = clock, .random = dice}};
    int attempts = 0, calls = 0;
    for (const TimePoint end = clock.now() + 60s; clock.now() < end; ++calls) {
        (void)caller.run({.name = "get", .safety = Safety::read}, [&]() -> Result<int> {
            ++attempts;
            if (dice.next() < failing) return fail({.cause = Cause::unavailable});
            return 1;
        });
        clock.advance(every);
    }
    return static_cast<double>(attempts) / calls;
}

}  // namespace

int main() {
    // [ask]
    const Plan plan{.name = "users", .deadline = 3s, .rule = {.attempts = 4}};
    for (const Finding& finding : validate(plan))
        std::printf("%s %s\n", finding.field.c_str(), finding.text.c_str());
    std::printf("worst case of one call: %.0f attempts\n", worst_case_amplification(plan));
    std::printf("long outage, half of all calls failing: %.2f attempts per call at most\n",
                sustained_amplification(plan, 0.5));
    // [/ask]

    Plan free = plan;
    free.budget.kind = BudgetKind::none;
    std::printf(
        "\nattempts per call, a minute of calls 100 ms apart\nfailing   no budget   budget\n");
    for (const double failing : {0.01, 0.1, 0.3, 0.5, 1.0})
        std::printf("%6.0f %%   %9.2f   %6.2f\n", failing * 100,
                    attempts_per_call(free, failing, 100ms),
                    attempts_per_call(plan, failing, 100ms));
    return attempts_per_call(plan, 1.0, 100ms) < 1.1 ? 0 : 1;
}
