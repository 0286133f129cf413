// SPDX-License-Identifier: Apache-2.0
#include "perdure/sim/scenario.hpp"

#include <set>

namespace perdure {
inline namespace v0 {
namespace sim {

namespace {

class Findings {
public:
    void unless(bool holds, std::string text) {
        if (!holds) list_.push_back(std::move(text));
    }
    void of_plan(const std::string& whose, const Plan& plan) {
        for (const Finding& finding : perdure::validate(plan))
            if (finding.severity == Severity::problem)
                list_.push_back(whose + "." + finding.field + ": " + finding.text);
    }
    std::vector<std::string> take() { return std::move(list_); }

private:
    std::vector<std::string> list_;
};

bool is_share(double share) { return share >= 0 && share <= 1; }

void look_at(const Clients& clients, Findings& find) {
    find.unless(clients.count >= 1 && clients.count <= 10'000'000,
                "clients.count: must be from 1 to 10 million");
    find.unless(!clients.rate.empty(), "clients.rate: needs at least one point");
    for (std::size_t i = 0; i < clients.rate.size(); ++i) {
        find.unless(clients.rate[i].per_second >= 0 && clients.rate[i].per_second <= 1e9,
                    "clients.rate: 0 to 1e9 per second");
        find.unless(i == 0 || clients.rate[i].at >= clients.rate[i - 1].at,
                    "clients.rate: times must not go back");
    }
    find.unless(clients.arrivals != Arrivals::periodic || clients.period >= 1ms,
                "clients.period: at least 1 ms");
    find.unless(clients.rate.empty() || clients.rate.front().at >= Duration::zero(),
                "clients.rate: begins at 0 s or later");
    find.unless(clients.within >= Duration::zero(), "clients.within: must not be below 0");
    find.unless(clients.think.sound(),
                "clients.think: must not be below 0, and have a finite mean");
    find.unless(clients.arrivals != Arrivals::closed || clients.think.mean() > 0,
                "clients.think: a client that never pauses never lets time pass");
}

void look_at(const Service& service, std::size_t index, std::size_t count, Findings& find) {
    const std::string name = "service '" + service.name + "'";
    find.unless(service.replicas >= 1 && service.replicas <= 1'000'000,
                name + ".replicas: 1 to a million");
    find.unless(service.workers >= 1, name + ".workers: at least 1");
    find.unless(service.queue.limit >= 0, name + ".queue.limit: must not be below 0");
    find.unless(is_share(service.failing.share), name + ".failing.share: between 0 and 1");
    find.unless(service.shards >= 1, name + ".shards: at least 1");
    find.unless(service.work.sound(), name + ".work: must not be below 0, and have a finite mean");
    find.unless(!service.retry_after || service.retry_after->sound(),
                name + ".retry_after: must not be below 0, and have a finite mean");
    find.unless(!service.connect || service.connect->sound(),
                name + ".connect: must not be below 0, and have a finite mean");
    find.unless(!service.connect || index == 0,
                name + ".connect: only the service that the clients call has connections");
    find.unless(service.rejection_cost >= Duration::zero() && service.rejection_cost <= 1h,
                name + ".rejection_cost: from 0 to 1 h");
    find.unless(service.queue.longest_wait >= Duration::zero() &&
                    service.queue.margin >= Duration::zero(),
                name + ".queue: longest_wait and margin must not be below 0");
    find.unless(service.calls.size() < 250, name + ".calls: fewer than 250");
    for (const int called : service.calls)
        // Only onwards: a circle would never come to an end.
        find.unless(called > static_cast<int>(index) && called < static_cast<int>(count),
                    name + ".calls: only services named after it");
    if (!service.calls.empty()) find.of_plan(name, service.plan);
}

void look_at_places(const Scenario& scenario, Findings& find) {
    std::set<int> seen;
    for (const int place : scenario.places) {
        find.unless(place >= 0 && place < static_cast<int>(scenario.services.size()),
                    "places: there is no such service");
        find.unless(seen.insert(place).second, "places: each service once");
    }
}

// What its handlers wait for would go on without them.
bool calls_others(const Scenario& scenario, int service) {
    const auto index = static_cast<std::size_t>(service);
    return index < scenario.services.size() && !scenario.services[index].calls.empty();
}

}  // namespace

std::vector<std::string> validate(const Scenario& scenario) {
    Findings find;
    look_at(scenario.clients, find);
    find.of_plan("policy", scenario.plan);
    find.unless(!scenario.services.empty(), "service: needs at least one");
    find.unless(scenario.services.size() < 200, "service: fewer than 200");
    for (std::size_t i = 0; i < scenario.services.size(); ++i)
        look_at(scenario.services[i], i, scenario.services.size(), find);
    look_at_places(scenario, find);
    find.unless(is_share(scenario.network.loss), "network.loss: between 0 and 1");
    find.unless(scenario.duration > Duration::zero() && scenario.duration <= 24h * 30,
                "duration: more than 0, at most 30 days");
    find.unless(scenario.network.there.sound() && scenario.network.back.sound(),
                "network: delays are must not be below 0, and have a finite mean");
    find.unless(scenario.warm_up >= Duration::zero() && scenario.warm_up < scenario.duration,
                "warm_up: must be shorter than the duration");
    find.unless(scenario.drain >= Duration::zero() && scenario.drain <= 24h * 30,
                "drain: from 0 to 30 days");
    find.unless(scenario.deadline_margin >= Duration::zero(),
                "deadline_margin: must not be below 0");
    find.unless(scenario.clients.arrivals != Arrivals::once ||
                    scenario.clients.within <= scenario.duration,
                "clients.within: must not be longer than the duration");
    for (const Change& change : scenario.changes) {
        find.unless(change.service >= 0 &&
                        change.service < static_cast<int>(scenario.services.size()),
                    "change.service: there is no such service");
        find.unless(change.from >= Duration::zero() && change.to > change.from,
                    "change: must end after it begins");
        find.unless(change.what != Change::What::speed ||
                        (change.value >= 1e-6 && change.value <= 1e6),
                    "change.speed: from 1e-6 to 1e6; a service that does nothing is `failing`");
        find.unless(change.what != Change::What::shards_down ||
                        (change.value >= 0 && change.value <= unlimited),
                    "change.shards_down: from 0 to the number of shards");
        find.unless(change.what != Change::What::down || !calls_others(scenario, change.service),
                    "change.down: only for a service that calls no other");
        find.unless((change.what != Change::What::failing && change.what != Change::What::loss) ||
                        is_share(change.value),
                    "change: a share lies between 0 and 1");
    }
    return find.take();
}

}  // namespace sim
}  // namespace v0
}  // namespace perdure
