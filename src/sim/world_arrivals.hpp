// SPDX-License-Identifier: Apache-2.0
//
// When does each client make its next call? By its own clock, or when its last one has ended.
#pragma once

#include "world.hpp"

namespace perdure {
inline namespace v0 {
namespace sim {

template <class Agenda>
void World<Agenda>::plan_first_arrivals() {
    const Clients& clients = scenario_.clients;
    if (clients.arrivals == Arrivals::open) return plan_next_open();
    for (Index client = 0; client < static_cast<Index>(clients.count); ++client) {
        if (clients.arrivals == Arrivals::periodic) {
            plan_periodic(client, 0);
            continue;
        }
        Stream dice = dice_.of(Purpose::arrival, client);
        const Duration wait = clients.arrivals == Arrivals::closed
                                  ? clients.think.draw(dice)
                                  : Duration{static_cast<Duration::rep>(
                                        static_cast<double>(clients.within.count()) * dice.next())};
        if (wait < scenario_.duration) push(What::arrival, LaneAgenda::none, wait.count(), client);
    }
}

template <class Agenda>
void World<Agenda>::plan_next_open() {
    const auto next = arrivals_.next();
    if (!next || next->at >= scenario_.duration.count()) return;
    Stream dice = dice_.of(Purpose::client, next->number);
    arriving_ = next->number;
    push(What::arrival, LaneAgenda::arrival, next->at,
         dice.below(static_cast<std::uint32_t>(scenario_.clients.count)));
}

template <class Agenda>
void World<Agenda>::plan_periodic(Index client, std::uint64_t round) {
    const Clients& clients = scenario_.clients;
    Duration offset{};
    switch (clients.offsets) {
        case Offsets::in_step: break;
        case Offsets::hashed:
            offset = stable_offset("host-" + std::to_string(client), "job", clients.period,
                                   ledger_.account().seed);
            break;
        case Offsets::even:
            offset = even_offset(client, static_cast<std::uint32_t>(clients.count), clients.period);
            break;
        case Offsets::fresh:
            offset = Duration{
                static_cast<Duration::rep>(static_cast<double>(clients.period.count()) *
                                           dice_.of(Purpose::spread, client, round).next())};
            break;
    }
    const std::int64_t at =
        static_cast<std::int64_t>(round) * clients.period.count() + offset.count();
    if (at < scenario_.duration.count())
        push(What::arrival, LaneAgenda::none, at, client, static_cast<std::uint32_t>(round));
}

template <class Agenda>
void World<Agenda>::arrive(const Event& event) {
    const Index client = event.subject;
    std::uint64_t number = arriving_;
    if (scenario_.clients.arrivals == Arrivals::open) plan_next_open();
    else number = std::uint64_t{client} << 32U | started_[client]++;
    if (scenario_.clients.arrivals == Arrivals::periodic) plan_periodic(client, event.stamp + 1);
    const int first = scenario_.places.empty() ? 0 : scenario_.places.front();
    begin_call(client, number, 0, static_cast<std::uint8_t>(first), no_index, Deadline{});
}

}  // namespace sim
}  // namespace v0
}  // namespace perdure
