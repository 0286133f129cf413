// SPDX-License-Identifier: Apache-2.0
//
// What is the storm through which all policies are sent? 800 calls a second on 10 workers of 10 ms,
// a timeout of half a second, work that is not called off; five times slower from second 30 to 40.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "perdure/sim/simulate.hpp"
#include "varied_scenarios.hpp"

namespace perdure::testing {

inline constexpr Backoff at_once{.base = 0ms, .cap = 0ms};
inline constexpr Backoff patient{.base = 100ms, .cap = 10s};
inline constexpr double calls_per_second = 800, capacity_per_second = 1000;
inline constexpr Duration trigger_end = 40s;

inline sim::Scenario storm(Plan plan, Duration duration, int clients = 100) {
    plan.deadline = never;
    plan.attempt_timeout = 500ms;
    return {.clients = {.count = clients, .rate = {{0s, calls_per_second}}},
            .plan = std::move(plan),
            .services = {{.workers = 10, .work = sim::Distribution::exponential(10ms)}},
            .changes = {slow_down(30s, trigger_end, 0.2)},
            .duration = duration,
            .warm_up = 5s};
}

inline Plan tries(int attempts, const Backoff& backoff) {
    return plain_plan(attempts, 500ms, backoff);
}
inline Plan tries_with(const BudgetOptions& budget, double cost) {
    Plan plan = tries(3, patient);
    plan.budget = budget;
    plan.rule.cost = cost;
    return plan;
}
inline BudgetOptions aws_quota() {
    return {.kind = BudgetKind::fixed, .deposit = 0.1, .capacity = 50};
}

// Backlog after the trigger through what is left of the capacity. `burst`: retries that all clients
// together have tokens for; `sustained`: retries per call that go on being paid in the outage.
inline double closed_form_recovery(double burst, double sustained = 0) {
    constexpr double length = 10, left = 0.2, timeout = 0.5;
    const double backlog = length * (calls_per_second - left * capacity_per_second) + burst;
    return (backlog - timeout * capacity_per_second) /
           (capacity_per_second - calls_per_second * (1 + sustained));
}

// In seconds; nothing where it never came back.
inline std::optional<double> recovery_time(const sim::Scenario& scenario,
                                           const sim::Account& account) {
    const auto found = sim::recovery(account, {.after = trigger_end, .until = scenario.duration});
    if (!found) return std::nullopt;
    return std::chrono::duration<double>(*found).count();
}

}  // namespace perdure::testing
