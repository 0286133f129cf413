// SPDX-License-Identifier: Apache-2.0
#include "service.hpp"

#include <algorithm>

#include "perdure/time/random.hpp"

namespace demo {

using perdure::Cause;
using perdure::Effect;
using perdure::fail;
using perdure::Origin;

namespace {

enum : std::uint64_t { for_fault = 1, for_moment, for_delay };

void pass(perdure::Clock& clock, Duration time) { clock.sleep_until(clock.now() + time, {}); }

// All the caller sees of a request that got no answer: it may or may not have arrived.
perdure::Fail no_answer() {
    return fail(
        {.cause = Cause::unavailable, .origin = Origin::network, .message = "connection lost"});
}

}  // namespace

double Service::luck(std::uint64_t a, std::uint64_t b, std::uint64_t c) const {
    perdure::SeededRandom dice{seed_ * 0x9e3779b97f4a7c15U ^ a * 0xbf58476d1ce4e5b9U ^
                               b * 0x94d049bb133111ebU ^ c * 0xd6e8feb86659fd93U};
    return dice.next();
}

bool Service::away(TimePoint now) const {
    return now >= faults_.away_from && now < faults_.away_until;
}

Duration Service::throttled_for(int process, TimePoint now) const {
    const auto moment = now.time_since_epoch() / faults_.moment;
    const auto who = static_cast<std::uint64_t>(process);
    if (luck(who, static_cast<std::uint64_t>(moment), for_moment) >= faults_.throttled) return {};
    return (moment + 1) * faults_.moment - now.time_since_epoch();
}

Service::Fault Service::draw(const Order& order, int attempt, TimePoint now) const {
    const double drawn = luck(order.id, static_cast<std::uint64_t>(attempt), for_fault);
    if (away(now)) return drawn < faults_.reaches ? Fault::lost : Fault::refused;
    if (drawn < faults_.lost) return Fault::lost;
    return drawn < faults_.lost + faults_.refused ? Fault::refused : Fault::none;
}

void Service::book(const Order& order, int attempt, TimePoint now) {
    const double share = luck(order.id, static_cast<std::uint64_t>(attempt), for_delay);
    Entry& entry = ledger_[order.id];
    if (entry.times++ == 0)
        entry.booked = now + std::chrono::duration_cast<Duration>(faults_.books_late * share);
}

void Service::count(std::int64_t Load::* kind, TimePoint now) {
    ++(load_.*kind);
    if (away(now)) ++(load_while_away_.*kind);
}

Result<int> Service::pay(const Order& order, int attempt, perdure::Clock& clock) {
    const TimePoint now = clock.now();
    count(&Load::attempts, now);
    pass(clock, faults_.answers_in);
    if (!away(now))
        if (const Duration wait = throttled_for(order.process, now); wait > Duration::zero())
            return fail({.cause = Cause::throttled, .retry_after = wait, .status = 429});
    const Fault fault = draw(order, attempt, now);
    if (fault == Fault::refused) return no_answer();
    book(order, attempt, now);
    if (fault == Fault::lost) return no_answer();
    return order.cents;
}

Result<int> Service::read(const Order& order, int attempt, perdure::Clock& clock) {
    const TimePoint now = clock.now();
    count(&Load::attempts, now);
    pass(clock, faults_.answers_in);
    if (!away(now))
        if (const Duration wait = throttled_for(order.process, now); wait > Duration::zero())
            return fail({.cause = Cause::throttled, .retry_after = wait, .status = 429});
    if (draw(order, attempt, now) != Fault::none) return no_answer();
    return order.cents;
}

Result<Service::Entry> Service::look_up(const Order& order, perdure::Clock& clock) {
    const TimePoint now = clock.now();
    count(&Load::questions, now);
    pass(clock, faults_.answers_in);
    if (away(now)) return no_answer();
    const auto entry = ledger_.find(order.id);
    return entry == ledger_.end() ? Entry{} : entry->second;
}

int Service::times_booked(const Order& order) const {
    const auto entry = ledger_.find(order.id);
    return entry == ledger_.end() ? 0 : entry->second.times;
}

}  // namespace demo
