// SPDX-License-Identifier: Apache-2.0
#include "perdure/policy/breaker.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "perdure/time/jitter.hpp"

namespace perdure {
inline namespace v0 {

namespace {

// Age, never negative: a caller's `now` may be a little older than the change it asks about.
Duration elapsed_since(TimePoint then, TimePoint now) noexcept {
    return now > then ? now - then : Duration::zero();
}

}  // namespace

struct Breaker::Guarded {
    std::mutex mutex;                // every change of state and of slice
    TimePoint changed_at{};          // into the present state
    TimePoint heard_at{};            // the last probe that went out or came back
    std::optional<Duration> rest{};  // `open_for` as drawn for this opening or these probes
    int probes_out = 0;
    int probes_good = 0;
    std::uint32_t round = 0;        // of probes: a new one whenever all permits are free again
    std::uint32_t first_round = 0;  // of this half-open period
};

class Breaker::Held {
public:
    explicit Held(Guarded& guarded) : guarded_{guarded}, lock_{guarded.mutex} {}
    Guarded* operator->() const noexcept { return &guarded_; }

private:
    Guarded& guarded_;
    std::lock_guard<std::mutex> lock_;
};

Breaker::Breaker(const BreakerOptions& options)
    : options_{options}, guarded_{std::make_unique<Guarded>()} {}

Breaker::~Breaker() = default;

Admission Breaker::admit_with_care(TimePoint now, Random& random) noexcept {
    const Held held{*guarded_};
    switch (state_.load(std::memory_order_relaxed)) {
        case BreakerState::closed: return Admission::admitted;
        case BreakerState::open:
            if (elapsed_since(held->changed_at, now) < rest(random, held))
                return Admission::refused;
            change(BreakerState::half_open, now, held);
            return admit_probe(now, random, held);
        case BreakerState::half_open: return admit_probe(now, random, held);
        case BreakerState::ramping: break;
    }
    const Duration age = elapsed_since(held->changed_at, now);
    if (age >= options_.ramp) {
        change(BreakerState::closed, now, held);
        return Admission::admitted;
    }
    const double share =
        static_cast<double>(age.count()) / static_cast<double>(options_.ramp.count());
    return random.next() < share ? Admission::admitted : Admission::refused;
}

// Drawn by the first call that needs it, because a failure opens the breaker without a source of chance.
Duration Breaker::rest(Random& random, const Held& held) const noexcept {
    if (!held->rest) held->rest = lengthened(options_.open_for, random.next());
    return *held->rest;
}

Admission Breaker::admit_probe(TimePoint now, Random& random, const Held& held) noexcept {
    const int permits = std::max(1, options_.probes);
    if (held->probes_out >= permits) {
        // A probe that never comes back must not keep the door shut for ever.
        if (elapsed_since(held->heard_at, now) < rest(random, held)) return Admission::refused;
        held->probes_out = 0;
        held->rest.reset();
        ++held->round;
    }
    ++held->probes_out;
    held->heard_at = now;
    return {Admission::probe, held->round};
}

void Breaker::record_with_care(TimePoint now, Duration took, Admission admission) noexcept {
    if (took > options_.slow_after) return record_failure(now, admission);
    const Held held{*guarded_};
    turn_to(now, held);
    if (admission.kind != Admission::probe)
        cell(this_thread_shard()).successes.fetch_add(1, std::memory_order_relaxed);
    else if (take_probe_back(admission, now, held) && ++held->probes_good >= options_.probes)
        change(options_.ramp > Duration::zero() ? BreakerState::ramping : BreakerState::closed, now,
               held);
}

void Breaker::record_failure(TimePoint now, Admission admission) noexcept {
    const Held held{*guarded_};
    turn_to(now, held);
    if (admission.kind == Admission::probe) {
        if (take_probe_back(admission, now, held)) change(BreakerState::open, now, held);
        return;
    }
    // Calls admitted before it opened may fail long afterwards; they say nothing new.
    const BreakerState state = state_.load(std::memory_order_relaxed);
    if (state == BreakerState::open || state == BreakerState::half_open) return;
    cell(this_thread_shard()).failures.fetch_add(1, std::memory_order_relaxed);
    if (must_open(state)) change(BreakerState::open, now, held);
}

void Breaker::withdraw(Admission admission) noexcept {
    if (admission.kind != Admission::probe) return;
    return_permit(admission, Held{*guarded_});
}

Breaker::Counts Breaker::counts() const noexcept {
    Counts sum;
    for (const Row& row : rows_) {
        for (const Cell& each : row.cells) {
            sum.successes += each.successes.load(std::memory_order_relaxed);
            sum.failures += each.failures.load(std::memory_order_relaxed);
        }
    }
    return sum;
}

bool Breaker::must_open(BreakerState state) const noexcept {
    int least = options_.least_calls;
    // While the load is let back in, calls are few, and a relapse must not wait for many of them.
    if (state == BreakerState::ramping)
        least = std::min(least, std::max(options_.probes, least / 10));
    const auto [successes, failures] = counts();
    const std::uint64_t calls = successes + failures;
    return calls >= static_cast<std::uint64_t>(std::max(1, least)) &&
           static_cast<double>(failures) >= options_.failure_share * static_cast<double>(calls);
}

// The permit of an earlier round was written off, and another probe may have it by now.
void Breaker::return_permit(Admission probe, const Held& held) noexcept {
    if (probe.round == held->round) held->probes_out = std::max(0, held->probes_out - 1);
}

// Whether the outcome of this probe counts: only in the half-open period in which it began. There
// it counts even if its permit was written off, or a service slower than `open_for` would never
// close the breaker.
bool Breaker::take_probe_back(Admission probe, TimePoint now, const Held& held) noexcept {
    if (state_.load(std::memory_order_relaxed) != BreakerState::half_open) return false;
    const std::uint32_t age = held->round - probe.round;  // in rounds, whose numbers may wrap
    if (age > held->round - held->first_round) return false;
    return_permit(probe, held);
    held->heard_at = std::max(held->heard_at, now);
    return true;
}

// Counts start again with every change: what was seen before says nothing about what comes.
void Breaker::change(BreakerState to, TimePoint now, const Held& held) noexcept {
    held->changed_at = held->heard_at = now;
    held->probes_out = held->probes_good = 0;
    held->rest.reset();
    if (to == BreakerState::half_open) held->first_round = ++held->round;
    clear(held);
    state_.store(to, std::memory_order_release);
}

void Breaker::clear(const Held& held) noexcept {
    for (unsigned slice = 0; slice < slices; ++slice) clear_slice(slice, held);
}

void Breaker::clear_slice(unsigned slice, const Held&) noexcept {
    for (Row& row : rows_) {
        row.cells[slice].successes.store(0, std::memory_order_relaxed);
        row.cells[slice].failures.store(0, std::memory_order_relaxed);
    }
}

// Brings the window up to `now`: slices that fell out of it are emptied and used again.
void Breaker::turn_to(TimePoint now, const Held& held) noexcept {
    if (now < slice_end()) return;
    const Duration width = std::max(options_.window / static_cast<int>(slices), Duration{1});
    TimePoint end = slice_end();
    if (after(end, options_.window) <= now) {
        clear(held);
        end = after(now, width);
    }
    while (end <= now) {
        const unsigned next = (slice_.load(std::memory_order_relaxed) + 1) % slices;
        clear_slice(next, held);
        slice_.store(next, std::memory_order_relaxed);
        end = after(end, width);
    }
    slice_end_.store(end.time_since_epoch().count(), std::memory_order_relaxed);
}

struct Breakers::Inside {
    explicit Inside(const BreakerOptions& how) : options{how}, rest{how} {}
    const BreakerOptions options;
    Breaker rest;
    std::mutex mutex;
    std::map<std::string, std::unique_ptr<Breaker>, std::less<>> by_key;
};

Breakers::Breakers(BreakerOptions options) : inside_{std::make_unique<Inside>(options)} {}

Breakers::~Breakers() = default;

Breaker& Breakers::at(std::string_view key) {
    auto& by_key = inside_->by_key;
    const std::lock_guard held{inside_->mutex};
    if (const auto found = by_key.find(key); found != by_key.end()) return *found->second;
    if (by_key.size() >= inside_->options.most_keys) return inside_->rest;
    return *by_key.emplace(key, std::make_unique<Breaker>(inside_->options)).first->second;
}

}  // namespace v0
}  // namespace perdure
