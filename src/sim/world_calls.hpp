// SPDX-License-Identifier: Apache-2.0
//
// What do clients do, and handlers when they call on? They turn the library's Progress, as a
// concurrent driver would: a call that goes well never needs one (see call/opening.hpp).
#pragma once

#include <algorithm>

#include "world.hpp"

namespace perdure {
inline namespace v0 {
namespace sim {

template <class Agenda>
void World<Agenda>::begin_call(Index memory, std::uint64_t number, std::uint16_t link_index,
                               std::uint8_t service, Index parent, Deadline deadline) {
    Link& link = links_[link_index];
    const Index index = calls_.take();
    Call& call = calls_[index];
    call.started = now_;
    call.number = number;
    call.key = parent == no_index ? static_cast<std::uint32_t>(number ^ number >> 32U)
                                  : requests_[parent].key;
    call.memory = memory;
    call.parent = parent;
    call.link = link_index;
    call.service = service;
    if (link_index == 0) ledger_.begins(call);
    const bool at_once = link.plain && link.known.empty() && deadline.at() == TimePoint::max() &&
                         (!link.breaker || link.memories[memory]->breaker()->closed());
    if (!at_once) {
        turn_of(index, deadline);
        return pump(index, Outcome::bad);
    }
    const std::int64_t until = after(time_point(now_), link.timeout).time_since_epoch().count();
    if (link.timeout != never) push(What::wake, LaneAgenda::timeout, until, index, call.stamp);
    send(index, 1, until);
}

// Makes it if the call has gone well so far.
template <class Agenda>
Turn& World<Agenda>::turn_of(Index index, Deadline deadline) {
    Call& call = calls_[index];
    if (!call.turn) {
        Link& link = links_[call.link];
        const bool under_way = call.started != now_ || call.request != no_index;
        call.turn = std::make_unique<Turn>(*link.memories[call.memory], link.operation, deadline,
                                           Setting{.now = time_point(call.started)},
                                           dice_.of(Purpose::jitter, call.number, call.link),
                                           link.known.empty() ? nullptr : &link.known[call.memory]);
        if (under_way) {
            call.turn->progress.take_over();
            call.turn->sent.push_back({1, call.request, call.request_stamp, call.replica});
        }
    }
    return *call.turn;
}

template <class Agenda>
void World<Agenda>::send(Index index, int number, std::int64_t until) {
    const Index sent = requests_.take();
    Call& call = calls_[index];
    Request& request = requests_[sent];
    request.call = index;
    request.call_number = call.number;
    request.call_stamp = call.stamp;
    request.number = number;
    request.deadline = until;
    request.arrived = now_;
    request.service = call.service;
    request.called = 0;
    request.stage = Stage::travelling;
    request.cause = Request::ok;
    request.replica = pick_replica(call, number);
    request.key = call.key;
    if (call.turn) {
        call.turn->sent.push_back({number, sent, request.stamp, request.replica});
    } else {
        call.request = sent;
        call.request_stamp = request.stamp;
        call.replica = request.replica;
    }
    ++ledger_.account().sent;
    if (call.link == 0) ledger_.sends(call, now_);

    const auto which = static_cast<std::uint64_t>(number);
    const bool cold = !places_[call.service].ready.empty() && call.link == 0;
    const std::int64_t ready = cold ? connected_at(call, request.replica) : now_;
    const bool lost = loss_ > 0 && dice_.of(Purpose::loss, call.number, 2 * which).next() < loss_;
    if (lost || ready >= until) {
        ++ledger_.account().lost;
        return requests_.give_back(sent);
    }
    const Duration way = scenario_.network.there.draw(dice_.of(Purpose::there, call.number, which));
    push(What::reach, there_, ready + way.count(), sent);
}

// Of a client's call, to the place whose turn it is.
template <class Agenda>
void World<Agenda>::go_elsewhere(Call& call, const Step& step) {
    if (call.link != 0) return;
    const auto turn = static_cast<std::size_t>(step.number - 1) % scenario_.places.size();
    call.service = scenario_.moves == Moves::in_turn
                       ? static_cast<std::uint8_t>(scenario_.places[turn])
                       : call.turn->route.service_at(step.endpoint, time_point(now_));
}

// At random; a copy goes where no other attempt of its call is under way, if there is such a place.
template <class Agenda>
Index World<Agenda>::pick_replica(const Call& call, int number) const {
    const auto count = static_cast<std::uint32_t>(places_[call.service].replicas.size());
    if (count == 1) return 0;
    const auto which = static_cast<std::uint64_t>(number);
    Stream dice = dice_.of(Purpose::replica, call.number, which);
    Index pick = dice.below(count);
    if (!call.turn || call.turn->sent.size() >= count) return pick;
    while (call.turn->is_at(pick)) pick = dice.below(count);
    return pick;
}

// A set-up goes on although the attempt that began it is given up; the next one finds it ready.
template <class Agenda>
std::int64_t World<Agenda>::connected_at(const Call& call, Index replica) {
    Place& place = places_[call.service];
    std::int64_t& ready = place.ready[std::size_t{call.memory} * place.replicas.size() + replica];
    if (ready < 0) {
        const Stream dice = dice_.of(Purpose::connect, std::uint64_t{call.memory} << 32U | replica,
                                     static_cast<std::uint64_t>(now_));
        ready = now_ + place.options->connect->draw(dice).count();
    }
    return std::max(now_, ready);
}

template <class Agenda>
void World<Agenda>::wake(const Event& event) {
    turn_of(event.subject, Deadline{}).armed = -1;
    pump(event.subject, Outcome::bad);
}

template <class Agenda>
void World<Agenda>::answered(Index index) {
    const Request request = requests_[index];
    requests_.give_back(index);
    Call* call = calls_.find(request.call, request.call_stamp);
    if (!call) return;
    if (request.cause != Request::ok) return failed(request);
    const TimePoint now = time_point(now_);
    if (!call->turn) {
        Memory& memory = *links_[call->link].memories[call->memory];
        memory.note_first_success(memory.breaker(), Admission::admitted, time_point(call->started),
                                  now);
        return finish(request.call, Outcome::good, nullptr);
    }
    call->turn->ended(request.number);
    Progress& progress = call->turn->progress;
    progress.succeeded(request.number, now);
    if (progress.finished()) pump(request.call, Outcome::good);
}

template <class Agenda>
void World<Agenda>::failed(const Request& request) {
    Turn& turn = turn_of(request.call, Deadline{});
    turn.ended(request.number);
    Failure failure{.cause = static_cast<Cause>(request.cause)};
    if (request.called == Request::not_connected) failure.rule = "connect";
    const auto& hint = places_[request.service].options->retry_after;
    if (hint && request.called == Request::refused)
        failure.retry_after = hint->draw(dice_.of(Purpose::hint, request.call_number,
                                                  static_cast<std::uint64_t>(request.number)));
    turn.progress.failed(request.number, std::move(failure), Effect::none, time_point(now_));
    pump(request.call, Outcome::bad);
}

// Does what Progress says until it says wait or finish.
template <class Agenda>
void World<Agenda>::pump(Index index, Outcome outcome) {
    Turn& turn = *calls_[index].turn;
    for (;;) {
        const Step step = turn.progress.next(time_point(now_));
        const std::int64_t until = step.until.time_since_epoch().count();
        switch (step.kind) {
            case StepKind::attempt:
                if (!scenario_.places.empty()) go_elsewhere(calls_[index], step);
                send(index, step.number, until);
                break;
            case StepKind::cancel: cancel_attempt(index, step.number); break;
            case StepKind::prepare: turn.progress.prepared({}, time_point(now_)); break;
            case StepKind::ask:
                turn.progress.landed(Verdict::unknown, Duration::zero(), time_point(now_));
                break;
            case StepKind::finish: return finish(index, outcome, &turn.progress);
            case StepKind::wait:
                if (step.until == TimePoint::max() || turn.armed == until) return;
                turn.armed = until;
                turn.alarm = sequence_;
                const Call& call = calls_[index];
                const bool usual = until - now_ == links_[call.link].timeout.count();
                return push(What::wake, usual ? LaneAgenda::timeout : LaneAgenda::none, until,
                            index, call.stamp);
        }
    }
}

template <class Agenda>
void World<Agenda>::finish(Index index, Outcome outcome, const Progress* progress) {
    Call& call = calls_[index];
    if (call.link == 0) {
        if (outcome == Outcome::good) ledger_.ends_well(call, now_);
        else ledger_.ends_badly(call, progress ? progress->attempts() : 1);
    }
    const Index parent = call.parent;
    const Index client = call.memory;
    const bool of_client = call.link == 0;
    call.turn.reset();
    call.request = no_index;
    calls_.give_back(index);
    agenda_.forget(LaneAgenda::timeout, [&](const Event& alarm) { return is_stale(alarm); });
    if (parent != no_index) {
        Request& waiting = requests_[parent];
        if (outcome == Outcome::good) return call_behind(parent);
        waiting.cause = static_cast<std::uint8_t>(Cause::unavailable);
        return complete(parent);
    }
    if (!of_client || scenario_.clients.arrivals != Arrivals::closed) return;
    const Stream dice = dice_.of(Purpose::think, client, started_[client]);
    const std::int64_t at = now_ + scenario_.clients.think.draw(dice).count();
    if (at < scenario_.duration.count()) push(What::arrival, LaneAgenda::none, at, client);
}

template <class Agenda>
void World<Agenda>::cancel_attempt(Index index, int number) {
    const Call& call = calls_[index];
    const auto sent = call.turn->ended(number);
    if (!sent || scenario_.cancel == Cancel::nothing) return;
    const Stream dice = dice_.of(Purpose::cancel, call.number, static_cast<std::uint64_t>(number));
    const Duration way = scenario_.network.there.draw(dice);
    push(What::cancel, there_, now_ + way.count(), sent->request, sent->stamp);
}

}  // namespace sim
}  // namespace v0
}  // namespace perdure
