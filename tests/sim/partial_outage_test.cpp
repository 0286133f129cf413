// SPDX-License-Identifier: Apache-2.0
//
// What does a breaker do to a partial outage? It makes a total one of it, where a budget leaves what
// still works alone.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "bernoulli.hpp"
#include "evidence.hpp"
#include "runs.hpp"

namespace perdure::testing {
namespace {
namespace partial_outage_study {

using namespace sim;

// 100 calls a second over 100 shards, so many of which always fail.
Scenario sharded(const Plan& plan, int down, Duration duration) {
    Scenario scenario = bernoulli(plan, {.rate = 100});
    scenario.services[0].shards = 100;
    scenario.changes = {
        {.from = 0s, .what = Change::What::shards_down, .value = static_cast<double>(down)}};
    scenario.duration = duration;
    scenario.warm_up = 60s;
    return scenario;
}

Plan breaking_at(double share) {
    Plan plan = plain_plan(1, 1s, {});
    plan.breaker = BreakerOptions{.failure_share = share,
                                  .least_calls = 100,
                                  .window = 30s,
                                  .open_for = 5s,
                                  .probes = 1,
                                  .ramp = 0s};
    return plan;
}

Plan throttling() {
    Plan plan = plain_plan(3, 1s, {});
    plan.limiter = {.kind = LimiterKind::throttle};
    return plan;
}

struct Case {
    int down;
    double sensitive;  // availability with a threshold of 10 %
    double tolerance;
};
// At 10 % chance alone opens it: only the order of magnitude is comparable.
constexpr std::array<Case, 5> cases{
    {{5, .95, .01}, {8, .919, .02}, {10, .545, .20}, {12, .161, .03}, {20, .114, .02}}};

void compare(int seeds) {
    Evidence evidence{"partial-outage",
                      {"shards down, %", "no breaker", "breaker at 10 %", "reference",
                       "breaker at 50 %", "default budget", "throttle"}};
    for (const auto& [down, sensitive, tolerance] : cases) {
        const auto availability = [&, share = down](const Plan& plan) {
            const auto runs = run_many(sharded(plan, share, 1000s), seeds);
            return summarise(each(runs, [](const Account& account) { return account.success(); }))
                .mean;
        };
        const double left = 1 - down / 100.0;
        const double broken = availability(breaking_at(0.1));
        const double none = availability(plain_plan(1, 1s, {}));
        const double half = availability(breaking_at(0.5));
        const double budget = availability(Plan{});
        const double throttle = availability(throttling());
        EXPECT_NEAR(broken, sensitive, tolerance) << down;
        for (const double unharmed : {none, half, budget, throttle})
            EXPECT_NEAR(unharmed, left, 0.01) << down;
        evidence.row({std::to_string(down), cell(none, 3), cell(broken, 3), cell(sensitive, 3),
                      cell(half, 3), cell(budget, 3), cell(throttle, 3)});
    }
}

TEST(PartialOutage, is_made_total_by_a_sensitive_breaker_and_by_nothing_else) { compare(6); }
TEST(SimFull, a_partial_outage_is_made_total_by_a_sensitive_breaker) {
    if (!full_run_wanted()) GTEST_SKIP() << "set PERDURE_SIM_FULL";
    compare(40);
}

}  // namespace partial_outage_study
}  // namespace
}  // namespace perdure::testing
