// SPDX-License-Identifier: Apache-2.0
//
// On which scenarios would nobody have thought of comparing anything? Random ones, each fixed by its
// seed.
#pragma once

#include <algorithm>

#include "perdure/sim/scenario.hpp"
#include "perdure/time/random.hpp"
#include "varied_scenarios.hpp"

namespace perdure::testing {

// Everything by the seed. Owned by one test.
class Chooser {
public:
    explicit Chooser(std::uint64_t seed) : random_{seed} {}
    double share() { return random_.next(); }
    int upto(int most) { return static_cast<int>(share() * (most + 1)); }
    bool one_in(int n) { return upto(n - 1) == 0; }
    Duration between(Duration low, Duration high) {
        return low + Duration{static_cast<Duration::rep>(
                         share() * static_cast<double>((high - low).count()))};
    }
    sim::Distribution distribution(Duration mean) {
        using sim::Distribution;
        switch (upto(7)) {
            case 0: return Distribution::constant(mean);
            case 1: return Distribution::log_normal(mean, 5 * mean);
            case 2: return Distribution::bimodal(mean, 10 * mean, 0.05, sim::Modes::exponential);
            case 3: return Distribution::uniform(mean / 2, 2 * mean);
            case 4: return Distribution::normal(mean, mean / 4);
            case 5: return Distribution::pareto(mean, 2.2);
            case 6: return Distribution::empirical({mean / 2, mean, mean, 3 * mean});
            default: return Distribution::exponential(mean);
        }
    }

private:
    SeededRandom random_;
};

inline BudgetOptions random_budget(Chooser& choose) {
    switch (choose.upto(6)) {
        case 0: return {.kind = BudgetKind::fixed, .capacity = 5};
        case 1: return {.kind = BudgetKind::throttle, .capacity = 10};
        case 2: return {.kind = BudgetKind::steady, .capacity = 5, .per_second = 2};
        case 3: return {.kind = BudgetKind::requests, .deposit = 0.2, .per_second = 1};
        case 4: return {.kind = BudgetKind::in_flight, .deposit = 0.2};
        case 5: return {.kind = BudgetKind::none};
        default: return {};
    }
}

inline Plan random_plan(Chooser& choose) {
    Plan plan;
    plan.deadline = choose.one_in(3) ? never : choose.between(200ms, 3s);
    plan.attempt_timeout = std::min(plan.deadline, choose.between(20ms, 800ms));
    plan.rule.attempts = 1 + choose.upto(4);
    plan.rule.backoff = {.base = choose.one_in(4) ? 0ms : choose.between(1ms, 200ms), .cap = 2s};
    if (choose.one_in(3)) plan.rule.backoff.jitter = Jitter::none;
    plan.budget = random_budget(choose);
    if (choose.one_in(4))
        plan.breaker =
            BreakerOptions{.least_calls = 5, .window = 2s, .open_for = 500ms, .ramp = 500ms};
    if (choose.one_in(4))
        plan.hedge = HedgeOptions{.after = choose.one_in(2) ? 0ms : choose.between(5ms, 60ms),
                                  .extra = 1 + choose.upto(2)};
    if (choose.one_in(6)) plan.limiter = {.kind = LimiterKind::throttle, .remembers = 5s};
    if (choose.one_in(6)) plan.limiter = {.kind = LimiterKind::concurrency, .concurrent = 3};
    if (choose.one_in(6)) plan.spread = choose.between(1ms, 30ms);
    return plan;
}

inline sim::Service random_service(Chooser& choose) {
    sim::Service service;
    service.replicas = 1 + choose.upto(4);
    service.workers = choose.one_in(6) ? sim::unlimited : 1 + choose.upto(4);
    service.work = choose.distribution(choose.between(1ms, 20ms));
    service.queue.order = choose.one_in(3) ? sim::Order::lifo : sim::Order::fifo;
    if (choose.one_in(2)) service.queue.limit = choose.upto(50);
    if (choose.one_in(3)) service.queue.longest_wait = choose.between(1ms, 300ms);
    if (choose.one_in(3)) service.queue.expired = sim::Expired::dropped;
    service.queue.margin = choose.between(0ms, 20ms);
    service.failing.share = choose.one_in(2) ? 0 : 0.3 * choose.share();
    if (choose.one_in(2)) service.failing.when = sim::FailsWhen::after_work;
    service.rejection_cost = choose.between(0ms, 2ms);
    if (choose.one_in(3)) service.retry_after = choose.distribution(50ms);
    if (choose.one_in(3)) service.connect = choose.distribution(100ms);
    service.shards = 1 + choose.upto(9);
    return service;
}

inline sim::Clients random_clients(Chooser& choose) {
    sim::Clients clients{.count = 1 + choose.upto(40)};
    clients.arrivals = static_cast<sim::Arrivals>(choose.upto(3));
    clients.rate = {{choose.between(0s, 1s), 400 * choose.share()},
                    {2s, 400 * choose.share()},
                    {2s, 400 * choose.share()},
                    {3s, 200 * choose.share()}};
    clients.think = choose.distribution(50ms);
    clients.within = choose.between(1ms, 1s);
    clients.period = choose.between(100ms, 2s);
    clients.offsets = static_cast<sim::Offsets>(choose.upto(3));
    return clients;
}

inline sim::Scenario random_scenario(std::uint64_t seed) {
    using namespace sim;
    Chooser choose{seed};
    Scenario scenario;
    scenario.clients = random_clients(choose);
    scenario.plan = random_plan(choose);
    const int services = 1 + choose.upto(3);
    scenario.services.clear();
    for (int i = 0; i < services; ++i) {
        Service service = random_service(choose);
        if (i > 0) service.connect.reset();
        for (int next = i + 1; next < services; ++next)
            if (choose.one_in(2)) service.calls.push_back(next);
        service.plan = random_plan(choose);
        scenario.services.push_back(service);
    }
    if (choose.one_in(2))
        scenario.network = {choose.distribution(1ms), choose.distribution(2ms),
                            choose.one_in(2) ? 0 : 0.1 * choose.share()};
    scenario.cancel = static_cast<Cancel>(choose.upto(2));
    if (choose.one_in(2)) scenario.deadlines = Scenario::Deadlines::passed_on;
    scenario.deadline_margin = choose.between(0ms, 10ms);
    for (int i = choose.upto(3); i > 0; --i) {
        const Duration from = choose.between(0s, 3s);
        Change change{.from = from, .to = from + choose.between(1ms, 2s)};
        change.what = static_cast<Change::What>(choose.upto(4));
        change.value = change.what == Change::What::shards_down ? choose.upto(8)
                       : change.what == Change::What::speed     ? 0.05 + choose.share()
                                                                : choose.share();
        change.service = choose.upto(services - 1);
        scenario.changes.push_back(change);
    }
    scenario.duration = choose.between(1s, 4s);
    scenario.warm_up = choose.between(0s, 500ms);
    scenario.drain = choose.one_in(3) ? choose.between(0s, 1s) : 1h;
    for (Change& change : scenario.changes) {
        const auto& calls = scenario.services[static_cast<std::size_t>(change.service)].calls;
        if (calls.empty() && choose.one_in(4)) change.what = Change::What::down;
    }
    if (choose.one_in(3)) {
        for (int i = 0; i < services; ++i)
            if (choose.one_in(2)) scenario.places.push_back(i);
        if (choose.one_in(2)) scenario.moves = Moves::in_turn;
    }
    return scenario;
}

}  // namespace perdure::testing
