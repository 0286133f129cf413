// SPDX-License-Identifier: Apache-2.0
//
// On which scenarios is everything compared? A table in which each mechanism appears.
#pragma once

#include <string>
#include <vector>

#include "perdure/sim/scenario.hpp"

namespace perdure::testing {

struct NamedScenario {
    std::string name;
    sim::Scenario scenario;
};

inline Plan plain_plan(int attempts, Duration timeout, const Backoff& backoff) {
    return {.deadline = never,
            .attempt_timeout = timeout,
            .rule = {.attempts = attempts, .backoff = backoff},
            .budget = {.kind = BudgetKind::none}};
}

inline sim::Change slow_down(Duration from, Duration to, double speed, int service = 0) {
    return {.from = from,
            .to = to,
            .what = sim::Change::What::speed,
            .value = speed,
            .service = service};
}

// A small storm: ten workers, eight tenths busy, five times slower for a while.
inline sim::Scenario small_storm(const Plan& plan) {
    return {.clients = {.count = 20, .rate = {{0s, 400}}},
            .plan = plan,
            .services = {{.workers = 5, .work = sim::Distribution::exponential(10ms)}},
            .changes = {slow_down(3s, 6s, 0.2)},
            .duration = 12s,
            .warm_up = 1s};
}

inline std::vector<NamedScenario> varied_scenarios() {
    using namespace sim;
    const Backoff jittered{.base = 50ms, .cap = 1s};
    const Plan retrying = plain_plan(3, 300ms, jittered);
    std::vector<NamedScenario> list;
    const auto add = [&](std::string name, const Plan& plan) -> Scenario& {
        return list.emplace_back(NamedScenario{std::move(name), small_storm(plan)}).scenario;
    };
    add("one attempt", plain_plan(1, 300ms, {}));
    add("immediate retries, everything at once", plain_plan(3, 300ms, {.base = 0ms, .cap = 0ms}));
    add("no network", retrying).network = {.there = Distribution::constant(0ns),
                                           .back = Distribution::constant(0ns)};
    {
        Plan hedging = plain_plan(2, 300ms, jittered);
        hedging.hedge = HedgeOptions{.after = 30ms, .extra = 2};
        Scenario& copies = add("hedging, the loser cancelled", hedging);
        copies.services[0].replicas = 5;
        copies.services[0].workers = 1;
        copies.cancel = Cancel::running_too;
        Scenario& queued = add("hedging, only a queued loser cancelled", hedging);
        queued.services[0].replicas = 5;
        queued.services[0].workers = 1;
        queued.cancel = Cancel::queued;
        queued.network.there = Distribution::uniform(100us, 3ms);
    }
    {
        Scenario& lifo = add("last in, first out, timeouts cancelled", retrying);
        lifo.services[0].queue = {.order = Order::lifo, .limit = 300};
        lifo.cancel = Cancel::queued;
    }
    {
        Scenario& late = add("expired requests dropped", retrying);
        late.services[0].queue = {
            .longest_wait = 400ms, .expired = Expired::dropped, .margin = 20ms};
    }
    {
        Plan own{};
        own.deadline = 1s;
        Scenario& tiers = add("three tiers, deadlines passed on", own);
        tiers.services = {{.name = "front",
                           .workers = 40,
                           .work = Distribution::constant(1ms),
                           .calls = {1, 2},
                           .plan = own},
                          {.name = "middle",
                           .replicas = 2,
                           .workers = 10,
                           .work = Distribution::exponential(3ms),
                           .calls = {2},
                           .plan = own},
                          {.name = "back",
                           .workers = 8,
                           .work = Distribution::exponential(5ms),
                           .queue = {.expired = Expired::dropped}}};
        tiers.changes = {slow_down(3s, 5s, 0.3, 2)};
        tiers.deadlines = Scenario::Deadlines::passed_on;
        tiers.deadline_margin = 5ms;
    }
    {
        Scenario& closed = add("a closed loop", retrying);
        closed.clients.arrivals = Arrivals::closed;
        closed.clients.think = Distribution::exponential(40ms);
        Scenario& periodic = add("periodic clients in step", retrying);
        periodic.clients = {.count = 300, .arrivals = Arrivals::periodic, .period = 1s};
        Scenario& once = add("everybody once", retrying);
        once.clients = {.count = 2000, .arrivals = Arrivals::once, .within = 10ms};
    }
    {
        Scenario& lossy = add("a network that loses", Plan{.deadline = 2s});
        lossy.network = {.there = Distribution::log_normal(1ms, 20ms),
                         .back = Distribution::pareto(500us, 2.5),
                         .loss = 0.05};
        lossy.changes.push_back({.from = 7s, .to = 8s, .what = Change::What::loss, .value = 0.5});
    }
    {
        Plan plan = retrying;
        plan.breaker = BreakerOptions{.least_calls = 10, .window = 5s, .open_for = 1s, .ramp = 1s};
        Scenario& broken = add("breakers and shards", plan);
        broken.services[0].shards = 10;
        broken.changes.push_back(
            {.from = 2s, .to = 8s, .what = Change::What::shards_down, .value = 6});
    }
    {
        Scenario& deploy = add("a deploy", retrying);
        deploy.services[0].replicas = 5;
        deploy.services[0].workers = 2;
        deploy.services[0].connect = Distribution::uniform(50ms, 400ms);
        deploy.changes.push_back({.from = 2s, .what = Change::What::deploy, .value = 1});
        Scenario& cut = add("cut off while draining", retrying);
        cut.changes = {slow_down(3s, never, 0.1)};
        cut.drain = 500ms;
    }
    {
        Plan budget = retrying;
        budget.budget = {.kind = BudgetKind::requests, .deposit = 0.2, .per_second = 1};
        add("a budget fed by requests", budget);
        budget.budget = {.kind = BudgetKind::in_flight, .deposit = 0.2};
        Scenario& costly = add("a budget of retries under way, costly refusals", budget);
        costly.services[0].queue.limit = 20;
        costly.services[0].rejection_cost = 1ms;
        costly.services[0].rejects_as = Cause::throttled;
        costly.services[0].retry_after = Distribution::uniform(10ms, 500ms);
        Plan limited{.deadline = 1s};
        limited.limiter = {.kind = LimiterKind::throttle, .remembers = 10s};
        add("a throttle", limited);
        limited.limiter = {.kind = LimiterKind::rate, .per_second = 25, .burst = 5};
        limited.spread = 20ms;
        add("a limited rate, spread", limited);
    }
    {
        Scenario& restart = add("a restart, with work called off", Plan{.deadline = 2s});
        restart.cancel = Cancel::running_too;
        restart.services[0].replicas = 2;
        restart.changes.push_back({.from = 6s, .to = 7s, .what = Change::What::down});
        for (const Moves moves : {Moves::learned, Moves::in_turn}) {
            Scenario& places = add("two places", Plan{.deadline = 2s});
            places.services.push_back(places.services[0]);
            places.places = {1, 0};
            places.moves = moves;
            places.changes.push_back(
                {.from = 6s, .to = 7s, .what = Change::What::down, .service = 1});
        }
    }
    return list;
}

}  // namespace perdure::testing
