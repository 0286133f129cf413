// SPDX-License-Identifier: Apache-2.0
//
// How fast is the simulator? Runs one case and prints what was simulated; scripts/bench-sim times
// the process.
//
//     perdure_sim_speed fleet-lanes 2000000
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <queue>
#include <string_view>
#include <vector>

#include "perdure/sim/simulate.hpp"

namespace {

using namespace perdure;
using namespace perdure::sim;

struct Done {
    std::uint64_t calls = 0, events = 0;
    double mean_ms = 0;  // time in the system, so that peers can be seen to do the same work
};

Done done(const Account& account) {
    return {account.calls, account.events,
            1e-6 * static_cast<double>(account.services.front().stayed) /
                static_cast<double>(account.services.front().reached)};
}

Duration for_calls(double calls, double per_second) {
    return Duration{static_cast<Duration::rep>(calls / per_second * 1e9)};
}

// M/M/1 at 80 %: one attempt, no timeout, no network.
Done queue(double calls, Engine engine) {
    Scenario scenario{.clients = {.rate = {{0s, 800}}},
                      .plan = {.deadline = never, .rule = {.attempts = 1}},
                      .services = {{.work = Distribution::exponential(1ms)}},
                      .network = {Distribution::constant(0ns), Distribution::constant(0ns)},
                      .duration = for_calls(calls, 800)};
    return done(simulate(scenario, 1, engine));
}

// The least one can write for the same queue: two kinds of events, a priority queue, no statistics
// but the mean.
Done queue_by_hand(double calls) {
    struct Next {
        double at;
        bool arrival;
        bool operator>(const Next& other) const { return at > other.at; }
    };
    SeededRandom random{1};
    const auto wait = [&](double mean) { return -natural_log(1 - random.next()) * mean; };
    std::priority_queue<Next, std::vector<Next>, std::greater<>> agenda;
    std::queue<double> present;
    agenda.push({wait(1.25), true});
    Done result;
    double stayed = 0;
    while (!agenda.empty()) {
        const Next next = agenda.top();
        agenda.pop();
        ++result.events;
        if (next.arrival) {
            present.push(next.at);
            if (present.size() == 1) agenda.push({next.at + wait(1), false});
            if (static_cast<double>(++result.calls) < calls)
                agenda.push({next.at + wait(1.25), true});
        } else {
            stayed += next.at - present.front();
            present.pop();
            if (!present.empty()) agenda.push({next.at + wait(1), false});
        }
    }
    result.mean_ms = stayed / static_cast<double>(result.calls);
    return result;
}

// 1,000 servers at 80 %, 1,000 clients, each with a timeout of 1 s, three attempts and a budget of
// its own; one request in a hundred fails.
Done fleet(double calls, Engine engine) {
    Scenario scenario{.clients = {.count = 1000, .rate = {{0s, 80'000}}},
                      .plan = {.attempt_timeout = 1s, .rule = {.attempts = 3}},
                      .services = {{.replicas = 1000,
                                    .work = Distribution::exponential(10ms),
                                    .failing = {.share = 0.01}}},
                      .duration = for_calls(calls, 80'000)};
    return done(simulate(scenario, 1, engine));
}

// Ten minutes at 10,000 calls a second, a fifth of the capacity for 30 s, retries under a budget.
Done incident(double) {
    Scenario scenario{
        .clients = {.count = 1000, .rate = {{0s, 10'000}}},
        .plan = {.attempt_timeout = 500ms, .rule = {.attempts = 3}},
        .services = {{.replicas = 10, .workers = 13, .work = Distribution::exponential(10ms)}},
        .changes = {{.from = 60s, .to = 90s, .what = Change::What::speed, .value = 0.2}},
        .duration = 600s};
    return done(simulate(scenario, 1));
}

// Nothing but clients: what one costs in memory.
Done clients(double count) {
    Scenario scenario{
        .clients = {.count = static_cast<int>(count), .arrivals = Arrivals::once, .within = 100s},
        .services = {{.workers = unlimited, .work = Distribution::constant(1ms)}},
        .duration = 100s};
    return done(simulate(scenario, 1));
}

}  // namespace

int main(int count, char** words) {
    const std::string_view which = count > 1 ? words[1] : "";
    const double size = count > 2 ? std::atof(words[2]) : 1e5;
    Done result;
    if (which == "queue-lanes") result = queue(size, Engine::lanes);
    else if (which == "queue-plain") result = queue(size, Engine::plain);
    else if (which == "queue-by-hand") result = queue_by_hand(size);
    else if (which == "fleet-lanes") result = fleet(size, Engine::lanes);
    else if (which == "fleet-plain") result = fleet(size, Engine::plain);
    else if (which == "incident") result = incident(size);
    else if (which == "clients") result = clients(size);
    else {
        std::fprintf(stderr, "usage: perdure_sim_speed "
                             "queue-lanes|queue-plain|queue-by-hand|fleet-lanes|fleet-plain|"
                             "incident|clients N\n");
        return 2;
    }
    std::printf("{\"calls\": %llu, \"events\": %llu, \"mean_ms\": %.6f}\n",
                static_cast<unsigned long long>(result.calls),
                static_cast<unsigned long long>(result.events), result.mean_ms);
}
