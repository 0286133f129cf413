// SPDX-License-Identifier: Apache-2.0
//
// How are budgets compared when attempts fail by chance alone? A service that is never busy, and
// clients whose retries follow at once, so that nothing but the budget matters.
#pragma once

#include <memory>
#include <utility>

#include "perdure/policy/budget.hpp"
#include "perdure/sim/scenario.hpp"
#include "varied_scenarios.hpp"

namespace perdure::testing {

struct Coin {
    double failing = 0;
    int clients = 1;
    double rate = 100;  // of all clients together
    double requests = 100'000, warm_up = 30'000;
};

inline sim::Scenario bernoulli(Plan plan, const Coin& coin) {
    plan.deadline = never;
    plan.attempt_timeout = 1s;
    const auto lasting = [&](double requests) {
        return Duration{static_cast<Duration::rep>(requests / coin.rate * 1e9)};
    };
    return {.clients = {.count = coin.clients, .rate = {{0s, coin.rate}}},
            .plan = std::move(plan),
            .services = {{.workers = sim::unlimited, .failing = {.share = coin.failing}}},
            .network = {.there = sim::Distribution::constant(0ns),
                        .back = sim::Distribution::constant(0ns)},
            .duration = lasting(coin.warm_up + coin.requests),
            .warm_up = lasting(coin.warm_up)};
}

inline Plan paying(int attempts, const BudgetOptions& budget, double cost) {
    Plan plan = plain_plan(attempts, 1s, {.base = 0ms, .cap = 0ms});
    plan.budget = budget;
    plan.rule.cost = cost;
    return plan;
}

enum class PaidBy : std::uint8_t { success, request };

// The bucket of the retry literature, which no peer ships and the library therefore does not either:
// a tenth of a token per success, or per request, nothing returned. Written against Budget as a user
// would. For one client of one run.
class LiteratureBucket final : public Budget {
public:
    LiteratureBucket(PaidBy paid_by, int capacity_milli)
        : Budget{capacity_milli, paid_by == PaidBy::request ? Ends::wanted : Ends::ignored},
          by_success_{paid_by == PaidBy::success ? tenth : 0} {}

    void on_late_success(int) noexcept override { deposit(by_success_); }
    bool try_withdraw(int cost_milli, TimePoint, const Traffic&) noexcept override {
        return withdraw(cost_milli);
    }

private:
    static constexpr int tenth = 100;
    void deposit_success(TimePoint) noexcept override { deposit(by_success_); }
    void started(TimePoint) noexcept override { deposit(tenth); }

    int by_success_;
};

inline Plan paying_from_bucket(PaidBy paid_by, int capacity_milli) {
    Plan plan = paying(4, {.kind = BudgetKind::none}, 1);
    plan.shared_budget = std::make_shared<LiteratureBucket>(paid_by, capacity_milli);
    return plan;
}

}  // namespace perdure::testing
