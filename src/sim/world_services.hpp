// SPDX-License-Identifier: Apache-2.0
//
// What do services do? Take a request or refuse it, let it wait, work on it, call on, answer.
#pragma once

#include "world.hpp"

namespace perdure {
inline namespace v0 {
namespace sim {

template <class Agenda>
void World<Agenda>::reach(Index index) {
    Request& request = requests_[index];
    const std::int64_t sent = std::exchange(request.arrived, now_);
    Place& place = places_[request.service];
    Replica& replica = place.replicas[request.replica];
    const Service& service = *place.options;
    ++ledger_.service(request.service).reached;
    ledger_.present(request.service, 1, now_);
    if (request.stage == Stage::cancelled) {
        ++ledger_.service(request.service).cancelled;
        ledger_.leaves(request, now_);
        return requests_.give_back(index);
    }
    if (place.down || sent < place.went_down) return turn_away(index, sent);
    if (place.breaks && service.failing.when == FailsWhen::at_once && fails(request)) {
        ++ledger_.service(request.service).failed_at_once;
        request.called = Request::refused;
        return answer(index, static_cast<std::uint8_t>(service.failing.cause));
    }
    if (replica.busy < service.workers) return begin(index);
    if (replica.waiting < service.queue.limit) return enqueue(index);
    ledger_.rejects(request.service, now_);
    replica.debt += service.rejection_cost.count();
    request.called = Request::refused;
    answer(index, static_cast<std::uint8_t>(service.rejects_as));
}

// It finds nobody there: no connection if it was sent since, a lost session if it had one.
template <class Agenda>
void World<Agenda>::turn_away(Index index, std::int64_t sent) {
    Request& request = requests_[index];
    ++ledger_.service(request.service).down;
    if (sent >= places_[request.service].went_down) request.called = Request::not_connected;
    answer(index, static_cast<std::uint8_t>(Cause::unavailable));
}

// By its shard, or by chance.
template <class Agenda>
bool World<Agenda>::fails(const Request& request) const {
    const Place& place = places_[request.service];
    const std::uint64_t number = request.call_number;
    if (place.shards_down > 0) {
        Stream dice = dice_.of(Purpose::shard, request.key, request.service);
        if (dice.below(static_cast<std::uint32_t>(place.options->shards)) < place.shards_down)
            return true;
    }
    return place.failing > 0 &&
           dice_.of(Purpose::failure, number, static_cast<std::uint64_t>(request.number)).next() <
               place.failing;
}

template <class Agenda>
void World<Agenda>::enqueue(Index index) {
    Request& request = requests_[index];
    Place& place = places_[request.service];
    Replica& replica = place.replicas[request.replica];
    request.stage = Stage::queued;
    request.next = no_index;
    ++replica.waiting;
    if (request.service == 0) ledger_.queue_length(++place.queued, now_);
    if (replica.head == no_index) {
        replica.head = replica.tail = index;
    } else if (place.options->queue.order == Order::fifo) {
        requests_[replica.tail].next = index;
        replica.tail = index;
    } else {
        request.next = replica.head;
        replica.head = index;
    }
}

template <class Agenda>
void World<Agenda>::begin(Index index) {
    Request& request = requests_[index];
    Place& place = places_[request.service];
    Replica& replica = place.replicas[request.replica];
    request.stage = Stage::running;
    request.begun = now_;
    ++replica.busy;
    const Stream dice =
        dice_.of(Purpose::work, request.call_number,
                 static_cast<std::uint64_t>(request.number) << 8U | request.service);
    const Duration work = place.options->work.draw(dice, place.slower);
    push(What::done, LaneAgenda::none, now_ + work.count() + std::exchange(replica.debt, 0), index,
         request.stamp);
}

template <class Agenda>
void World<Agenda>::done(const Event& event) {
    const Request* request = requests_.find(event.subject, event.stamp);
    if (!request || request->stage != Stage::running) return;  // called off, or cut off
    const Index index = event.subject;
    if (!places_[requests_[index].service].options->calls.empty()) {
        requests_[index].stage = Stage::calling;
        // The first of the services behind; call_behind counts what has been answered.
        requests_[index].called = Request::none_called;
        return call_behind(index);
    }
    complete(index);
}

template <class Agenda>
void World<Agenda>::call_behind(Index index) {
    Request& request = requests_[index];
    const Service& service = *places_[request.service].options;
    const std::uint8_t next = ++request.called;
    if (next >= service.calls.size()) return complete(index);
    const std::uint64_t number =
        scramble(scramble(request.call_number) + static_cast<std::uint64_t>(request.number)) + next;
    Deadline deadline{};
    if (scenario_.deadlines == Scenario::Deadlines::passed_on)
        deadline = Deadline{after(time_point(request.deadline), -scenario_.deadline_margin)};
    begin_call(request.replica, number, static_cast<std::uint16_t>(request.service + 1),
               static_cast<std::uint8_t>(service.calls[next]), index, deadline);
}

// A worker is free again.
template <class Agenda>
void World<Agenda>::complete(Index index) {
    Request& request = requests_[index];
    const std::uint8_t service = request.service;
    const Index replica = request.replica;
    const Service& options = *places_[service].options;
    if (request.cause == Request::ok && places_[service].breaks &&
        options.failing.when == FailsWhen::after_work && fails(request))
        request.cause = static_cast<std::uint8_t>(options.failing.cause);
    if (request.cause != Request::ok) ++ledger_.service(service).failed;
    ledger_.works(request, nobody_waits(request), now_);
    --places_[service].replicas[replica].busy;
    answer(index, request.cause);
    take_next(service, replica);
}

template <class Agenda>
bool World<Agenda>::nobody_waits(const Request& request) const {
    return calls_[request.call].stamp != request.call_stamp || now_ >= request.deadline;
}

template <class Agenda>
void World<Agenda>::take_next(std::uint8_t service, Index which) {
    Place& place = places_[service];
    Replica& replica = place.replicas[which];
    while (replica.head != no_index && replica.busy < place.options->workers) {
        const Index index = replica.head;
        Request& request = requests_[index];
        replica.head = request.next;
        if (request.stage == Stage::cancelled) {
            --replica.cancelled;
            requests_.give_back(index);
            continue;
        }
        --replica.waiting;
        if (service == 0) ledger_.queue_length(place.queued--, now_);
        if (too_late(index)) continue;
        ledger_.taken_from_queue(request, now_);
        begin(index);
    }
}

// Its turn has come, and it is not worth beginning any more.
template <class Agenda>
bool World<Agenda>::too_late(Index index) {
    const Request& request = requests_[index];
    const Queue& queue = places_[request.service].options->queue;
    const bool old = now_ - request.arrived > queue.longest_wait.count();
    const bool expired = queue.expired == Expired::dropped &&
                         time_point(request.deadline) - time_point(now_) < queue.margin;
    if (!old && !(expired || (queue.expired == Expired::dropped && now_ >= request.deadline)))
        return false;
    ++ledger_.service(request.service).dropped;
    answer(index, static_cast<std::uint8_t>(old ? places_[request.service].options->rejects_as
                                                : Cause::timed_out));
    return true;
}

template <class Agenda>
void World<Agenda>::answer(Index index, std::uint8_t cause) {
    Request& request = requests_[index];
    ledger_.leaves(request, now_);
    request.cause = cause;
    request.stage = Stage::answered;
    const auto which = static_cast<std::uint64_t>(request.number);
    const std::uint64_t number = request.call_number;
    if (loss_ > 0 && dice_.of(Purpose::loss, number, 2 * which + 1).next() < loss_)
        return requests_.give_back(index);
    const Duration way = scenario_.network.back.draw(dice_.of(Purpose::back, number, which));
    push(What::answer, back_, now_ + way.count(), index);
}

template <class Agenda>
void World<Agenda>::call_off(const Event& event) {
    Request* request = requests_.find(event.subject, event.stamp);
    if (!request) return;
    const std::uint8_t service = request->service;
    const Index which = request->replica;
    Replica& replica = places_[service].replicas[which];
    if (request->stage == Stage::travelling) {
        request->stage = Stage::cancelled;
    } else if (request->stage == Stage::queued) {
        request->stage = Stage::cancelled;
        --replica.waiting;
        if (service == 0) --places_[service].queued;
        ++ledger_.service(service).cancelled;
        ledger_.leaves(*request, now_);
        if (++replica.cancelled > replica.waiting + 64) sweep(replica);
    } else if (request->stage == Stage::running && scenario_.cancel == Cancel::running_too) {
        --replica.busy;
        ++ledger_.service(service).cancelled;
        ledger_.cut_off(*request, now_);
        ledger_.leaves(*request, now_);
        request->stage = Stage::cancelled;
        requests_.give_back(event.subject);
        take_next(service, which);
    }
}

// Takes those out of the queue that were called off. Each sweep has as many to take as it has to
// pass, so in the long run it costs nothing.
template <class Agenda>
void World<Agenda>::sweep(Replica& replica) {
    Index last = no_index;
    for (Index at = replica.head; at != no_index;) {
        const Index next = requests_[at].next;
        if (requests_[at].stage != Stage::cancelled) {
            last = at;
        } else {
            (last == no_index ? replica.head : requests_[last].next) = next;
            requests_.give_back(at);
        }
        at = next;
    }
    replica.tail = last;
    replica.cancelled = 0;
}

}  // namespace sim
}  // namespace v0
}  // namespace perdure
