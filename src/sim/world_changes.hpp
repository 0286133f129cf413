// SPDX-License-Identifier: Apache-2.0
//
// What goes wrong when? The scenario's changes begin and end, alone or overlapping.
#pragma once

#include <algorithm>

#include "world.hpp"

namespace perdure {
inline namespace v0 {
namespace sim {

template <class Agenda>
void World<Agenda>::plan_changes() {
    if (scenario_.warm_up > Duration::zero())
        push(What::change, LaneAgenda::none, scenario_.warm_up.count(), no_index);
    for (Index i = 0; i < scenario_.changes.size(); ++i) {
        const Change& change = scenario_.changes[i];
        push(What::change, LaneAgenda::none, change.from.count(), i, 1);
        if (change.to != never && change.what != Change::What::deploy)
            push(What::change, LaneAgenda::none, change.to.count(), i, 0);
    }
}

template <class Agenda>
void World<Agenda>::change(const Event& event) {
    const Change& changed = scenario_.changes[event.subject];
    Place& place = places_[static_cast<std::size_t>(changed.service)];
    if (changed.what == Change::What::deploy)
        return static_cast<void>(std::ranges::fill(place.ready, changed.value > 0 ? -1 : 0));
    // From all that hold now, the last to begin having the last word: they may overlap.
    place.slower = 1;
    place.failing = place.options->failing.share;
    place.shards_down = 0;
    const bool was_down = std::exchange(place.down, false);
    if (changed.what == Change::What::loss) loss_ = scenario_.network.loss;
    std::vector<const Change*> now;
    for (const Change& one : scenario_.changes)
        if (one.from.count() <= now_ && now_ < one.to.count() &&
            (one.service == changed.service || one.what == Change::What::loss))
            now.push_back(&one);
    std::ranges::sort(now, {}, [](const Change* one) { return std::pair{one->from, one}; });
    for (const Change* one : now) apply(*one);
    if (place.down && !was_down) go_down(static_cast<std::uint8_t>(changed.service));
    place.breaks = place.failing > 0 || place.shards_down > 0;
}

template <class Agenda>
void World<Agenda>::apply(const Change& change) {
    Place& place = places_[static_cast<std::size_t>(change.service)];
    switch (change.what) {
        case Change::What::speed: place.slower = 1 / change.value; break;
        case Change::What::failing: place.failing = change.value; break;
        case Change::What::shards_down:
            place.shards_down = static_cast<std::uint32_t>(change.value);
            break;
        case Change::What::loss: loss_ = change.value; break;
        case Change::What::deploy: break;
        case Change::What::down: place.down = true; break;
    }
}

// Everybody there hears of it at once. Those on their way there do when they arrive.
template <class Agenda>
void World<Agenda>::go_down(std::uint8_t service) {
    Place& place = places_[service];
    place.went_down = now_;
    for (Replica& replica : place.replicas) {
        // Those called off stay in the pool as cancelled, and nobody else gives them back.
        for (Index at = replica.head; at != no_index;) {
            const Index next = requests_[at].next;
            if (requests_[at].stage == Stage::cancelled) requests_.give_back(at);
            at = next;
        }
        replica = {};
    }
    place.queued = 0;
    for (Index index = 0; index < requests_.size(); ++index) {
        Request& request = requests_[index];
        if (request.service != service) continue;
        if (request.stage == Stage::running) ledger_.cut_off(request, now_);
        else if (request.stage != Stage::queued) continue;
        ++ledger_.service(service).down;
        answer(index, static_cast<std::uint8_t>(Cause::unavailable));
    }
}

}  // namespace sim
}  // namespace v0
}  // namespace perdure
