// SPDX-License-Identifier: Apache-2.0
//
// What is simulated? A fleet of clients, the services they call, the network between, and what goes
// wrong when.
//
//     Scenario storm{.clients = {.count = 100, .rate = {{0s, 800}}},
//                    .plan = {.deadline = never, .attempt_timeout = 500ms, .rule = {.attempts = 3}},
//                    .services = {{.workers = 10, .work = Distribution::exponential(10ms)}},
//                    .changes = {{.from = 30s, .to = 40s, .what = Change::What::speed, .value = 0.2}},
//                    .duration = 120s};
//     const Account account = simulate(storm, 1);
//
// Every client has a Memory of its own, and every call is turned by the library's Progress: what is
// simulated is the service and the network, never the policy. Plain values.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "perdure/call/plan.hpp"
#include "perdure/sim/distribution.hpp"

namespace perdure {
inline namespace v0 {
namespace sim {

inline constexpr int unlimited = std::numeric_limits<int>::max();

enum class Arrivals : std::uint8_t {
    open,      // Poisson, whatever becomes of earlier calls; `rate` for the whole fleet
    closed,    // each client waits `think` after its call has ended
    once,      // each client makes one call, evenly within `within`
    periodic,  // each client calls once a `period`, at a place given by `offsets`
};
enum class Offsets : std::uint8_t { in_step, hashed, even, fresh };

// Straight lines between points; two points at one time are a jump; the last rate goes on.
struct RatePoint {
    Duration at{};
    double per_second = 0;
};

struct Clients {
    int count = 1;
    Arrivals arrivals = Arrivals::open;
    std::vector<RatePoint> rate{{0s, 1}};
    Distribution think = Distribution::exponential(100ms);
    Duration within = 10ms;
    Duration period = 60s;
    Offsets offsets = Offsets::in_step;
};

enum class Order : std::uint8_t { fifo, lifo };
enum class Expired : std::uint8_t { served, dropped };

// Of each replica.
struct Queue {
    Order order = Order::fifo;
    int limit = unlimited;          // waiting, those being served not counted; 0: no waiting room
    Duration longest_wait = never;  // who has waited longer is sent away when its turn comes
    Expired expired = Expired::served;  // dropped: the attempt's deadline travels with it
    Duration margin{};                  // … and a request with less than this left is not begun
};

enum class FailsWhen : std::uint8_t { at_once, after_work };

struct Failing {
    double share = 0;  // of attempts, independently
    Cause cause = Cause::unavailable;
    FailsWhen when = FailsWhen::at_once;
};

struct Service {
    std::string name = "service";
    int replicas = 1;  // each with workers and a queue of its own; a call picks one at random
    int workers = 1;   // per replica; `unlimited`: nobody ever waits
    Distribution work{};
    Queue queue{};
    Failing failing{};
    Cause rejects_as = Cause::overloaded;
    Duration rejection_cost{};                  // work it takes a replica to say no
    std::optional<Distribution> retry_after{};  // what it says with each no
    int shards = 1;  // every call has one, evenly; `Change::What::shards_down` breaks some
    std::optional<Distribution> connect{};  // set-up of a connection, within the attempt's time;
                                            // all are up until a deploy
    std::vector<int>
        calls{};  // services its handler calls, one after the other, holding its worker
    Plan plan{};  // … under this plan, each replica with a Memory of its own
};

struct Network {
    Distribution there = Distribution::constant(500us);
    Distribution back = Distribution::constant(500us);
    double loss = 0;  // of requests and, independently, of answers
};

// What becomes of an attempt its client no longer waits for. A handler that waits for a service behind
// it goes on whatever is said here.
enum class Cancel : std::uint8_t { nothing, queued, running_too };

struct Change {
    enum class What : std::uint8_t {
        speed,        // work takes 1 ÷ value as long
        failing,      // this share of attempts fails
        shards_down,  // so many shards fail
        loss,         // of the network
        deploy,       // every connection must be made again
        down,         // who is there loses the session; until the end nobody gets a connection
    };
    Duration from{};
    Duration to = never;  // then it is as before
    What what = What::speed;
    double value = 1;
    int service = 0;
};

// How the clients choose among `Scenario::places`.
enum class Moves : std::uint8_t {
    learned,  // as the library does: each client has a Place for each of them
    in_turn,  // as a loop around a list does: attempt n goes to the n-th, and nothing is remembered
};

struct Scenario {
    Clients clients{};
    // Of the clients. A shared budget would be shared by runs and threads too: make a new one for each.
    Plan plan{};
    std::vector<Service> services{Service{}};  // the first is the one the clients call
    std::vector<int> places{};                 // … or any of these, the best first
    Moves moves = Moves::learned;
    Network network{};
    Cancel cancel = Cancel::nothing;
    Duration deadline_margin{};  // what a handler keeps for itself of the deadline it passes on
    enum class Deadlines : std::uint8_t { own, passed_on } deadlines = Deadlines::own;
    std::vector<Change> changes{};
    Duration duration = 60s;  // no call begins later
    Duration warm_up{};       // calls that began before it are not measured
    Duration drain = 1h;      // then whoever is still under way is counted as unfinished
};

// What is wrong with it, in words that name the field; empty if nothing is.
std::vector<std::string> validate(const Scenario& scenario);

}  // namespace sim
}  // namespace v0
}  // namespace perdure
