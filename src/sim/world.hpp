// SPDX-License-Identifier: Apache-2.0
//
// What does each of them do when its time comes? One function per kind of event. Calls begin in
// world_arrivals.hpp, are turned in world_calls.hpp and served in world_services.hpp; what goes wrong
// is in world_changes.hpp.
#pragma once

#include <optional>
#include <string>

#include "actors.hpp"
#include "agenda.hpp"
#include "arrivals.hpp"
#include "ledger.hpp"
#include "perdure/time/periodic.hpp"

namespace perdure {
inline namespace v0 {
namespace sim {

// One run. The agenda is a parameter so that two of them can be compared on the same world.
template <class Agenda>
class World {
public:
    World(const Scenario& scenario, std::uint64_t seed)
        : scenario_{scenario},
          dice_{seed},
          ledger_{scenario, seed},
          arrivals_{scenario.clients.rate, dice_},
          there_{LaneAgenda::lane_for(scenario.network.there, LaneAgenda::there)},
          back_{scenario.network.back.is_constant(scenario.network.there)
                    ? there_
                    : LaneAgenda::lane_for(scenario.network.back, LaneAgenda::back)},
          loss_{scenario.network.loss},
          started_(static_cast<std::size_t>(scenario.clients.count)) {
        links_.reserve(1 + scenario.services.size());
        links_.emplace_back(scenario.plan, scenario.clients.count);
        if (scenario.moves == Moves::learned && !scenario.places.empty()) know_places();
        for (const Service& service : scenario.services) {
            links_.emplace_back(service.calls.empty() ? Plan{} : service.plan,
                                service.calls.empty() ? 1 : service.replicas);
            places_.emplace_back(service, scenario.clients.count);
        }
    }

    // Everything on the way of a call that goes well in one function; what is rare stays outside.
    [[gnu::flatten]] Account run() {
        plan_changes();
        plan_first_arrivals();
        const std::int64_t end = after(time_point(scenario_.duration.count()), scenario_.drain)
                                     .time_since_epoch()
                                     .count();
        while (!agenda_.empty()) {
            const Event event = agenda_.pop();
            if (event.at > end) {
                count_travellers(event);
                break;
            }
            // Before the clock moves: the other agenda never sees most of them.
            if (event.what() == What::wake && is_stale(event)) continue;
            now_ = event.at;
            ++ledger_.account().events;
            dispatch(event);
        }
        return closed();
    }

private:
    // A service and what has become of it.
    struct Place {
        Place(const Service& service, int clients)
            : options{&service},
              replicas(static_cast<std::size_t>(service.replicas)),
              failing{service.failing.share},
              breaks{failing > 0} {
            if (service.connect) ready.resize(replicas.size() * static_cast<std::size_t>(clients));
        }
        const Service* options;
        std::vector<Replica> replicas;
        double slower = 1;
        double failing;
        bool breaks;  // anything at all can fail here
        std::uint32_t shards_down = 0;
        bool down = false;
        std::int64_t went_down = -1;  // the last time; who was sent before has lost its session
        std::vector<std::int64_t>
            ready{};               // when client · replicas + replica is connected; −1: not
        std::uint32_t queued = 0;  // in all replicas
    };
    using Stage = Request::Stage;

    [[gnu::noinline]] void know_places() {
        Link& link = links_.front();
        for (const auto& memory : link.memories) {
            KnownPlaces& known = link.known.emplace_back();
            for (const int place : scenario_.places)
                known.push_back(std::make_unique<KnownPlace>(scenario_, place, *memory));
        }
    }
    void dispatch(const Event& event) {
        switch (event.what()) {
            case What::arrival: arrive(event); break;
            case What::reach: reach(event.subject); break;
            case What::answer: answered(event.subject); break;
            case What::wake: wake(event); break;
            case What::cancel: call_off(event); break;
            case What::done: done(event); break;
            case What::change:
                if (event.subject == no_index) before_ = tally();
                else change(event);
                break;
        }
    }
    // A call that has ended, or waits for something else by now. Once so, always so.
    [[nodiscard]] bool is_stale(const Event& alarm) {
        const Call* call = calls_.find(alarm.subject, alarm.stamp);
        return !call || (call->turn && call->turn->alarm != alarm.order >> 3U);
    }
    // The run was cut off: who has not got anywhere yet must not be missed in the sums.
    [[gnu::noinline]] void count_travellers(Event event) {
        for (;; event = agenda_.pop()) {
            if (event.what() == What::reach) ++ledger_.account().travelling_at_end;
            if (agenda_.empty()) return;
        }
    }
    void push(What what, std::size_t lane, std::int64_t at, Index subject,
              std::uint32_t stamp = 0) {
        agenda_.push({at, sequence_++ << 3U | static_cast<std::uint64_t>(what), subject, stamp},
                     lane);
    }

    // world_arrivals.hpp
    [[gnu::noinline]] void plan_first_arrivals();
    [[gnu::noinline]] void plan_periodic(Index client, std::uint64_t round);
    void plan_next_open();
    void arrive(const Event& event);

    // world_calls.hpp
    void begin_call(Index memory, std::uint64_t number, std::uint16_t link_index,
                    std::uint8_t service, Index parent, Deadline deadline);
    [[gnu::noinline]] Turn& turn_of(Index index, Deadline deadline);
    void send(Index index, int number, std::int64_t until);
    [[gnu::noinline]] void go_elsewhere(Call& call, const Step& step);
    [[nodiscard]] Index pick_replica(const Call& call, int number) const;
    [[gnu::noinline]] std::int64_t connected_at(const Call& call, Index replica);
    [[gnu::noinline]] void wake(const Event& event);
    void answered(Index index);
    [[gnu::noinline]] void failed(const Request& request);
    enum class Outcome : std::uint8_t { good, bad };
    [[gnu::noinline]] void pump(Index index, Outcome outcome);
    void finish(Index index, Outcome outcome, const Progress* progress);
    [[gnu::noinline]] void cancel_attempt(Index index, int number);

    // world_changes.hpp
    [[gnu::noinline]] void plan_changes();
    [[gnu::noinline]] void change(const Event& event);
    void apply(const Change& change);
    void go_down(std::uint8_t service);

    // world_services.hpp
    void reach(Index index);
    [[gnu::noinline]] void turn_away(Index index, std::int64_t sent);
    [[nodiscard]] bool fails(const Request& request) const;
    void enqueue(Index index);
    void begin(Index index);
    void done(const Event& event);
    [[gnu::noinline]] void call_behind(Index index);
    void complete(Index index);
    void take_next(std::uint8_t service, Index which);
    bool too_late(Index index);
    void answer(Index index, std::uint8_t cause);
    [[gnu::noinline]] void call_off(const Event& event);
    [[gnu::noinline]] void sweep(Replica& replica);
    [[nodiscard]] bool nobody_waits(const Request& request) const;

    // What the clients' own counters say; they know nothing of a warm-up.
    struct Tally {
        std::uint64_t hedges = 0, timeouts = 0, refusals = 0;
    };
    [[nodiscard, gnu::noinline]] Tally tally() const {
        Tally sum;
        for (const auto& memory : links_.front().memories) {
            sum.hedges += memory->counters()[Count::hedges_made];
            sum.timeouts += memory->counters()[Count::attempts_timed_out];
            sum.refusals += memory->counters()[Count::retries_refused];
        }
        return sum;
    }
    [[gnu::noinline]] Account closed() {
        Account account = ledger_.close(now_);
        const Tally sum = tally();
        account.hedges = sum.hedges - before_.hedges;
        account.timeouts = sum.timeouts - before_.timeouts;
        account.budget_refusals = sum.refusals - before_.refusals;
        return account;
    }

    const Scenario& scenario_;
    const Dice dice_;
    std::int64_t now_ = 0;
    std::uint64_t sequence_ = 1;  // 0: no event
    Agenda agenda_{};
    Ledger ledger_;
    PoissonArrivals arrivals_;
    const std::size_t there_, back_;  // lanes
    double loss_;
    std::vector<Link> links_{};
    std::vector<Place> places_{};
    Pool<Call> calls_{};
    Pool<Request> requests_{};
    std::uint64_t arriving_ = 0;          // the number of the open arrival that is planned
    std::vector<std::uint32_t> started_;  // calls each client has begun
    Tally before_{};                      // at the end of the warm-up
};

}  // namespace sim
}  // namespace v0
}  // namespace perdure

#include "world_arrivals.hpp"
#include "world_calls.hpp"
#include "world_changes.hpp"
#include "world_services.hpp"
