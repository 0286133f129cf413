// SPDX-License-Identifier: Apache-2.0
#include "perdure/policy/breaker.hpp"

#include <algorithm>

namespace perdure {
inline namespace v0 {

namespace {

// Age, never negative: a caller's `now` may be a little older than the change it asks about.
Duration elapsed_since(TimePoint then, TimePoint now) noexcept {
    return now > then ? now - then : Duration::zero();
}

}  // namespace

Breaker::Breaker(const BreakerOptions& options) : options_{options} {}

Admission Breaker::admit_with_care(TimePoint now, Random& random) noexcept {
    const Held held{mutex_};
    switch (state_.load(std::memory_order_relaxed)) {
        case BreakerState::closed: return Admission::admitted;
        case BreakerState::open:
            if (elapsed_since(changed_at_, now) < options_.open_for) return Admission::refused;
            change(BreakerState::half_open, now, held);
            return admit_probe(now, held);
        case BreakerState::half_open: return admit_probe(now, held);
        case BreakerState::ramping: break;
    }
    const Duration age = elapsed_since(changed_at_, now);
    if (age >= options_.ramp) {
        change(BreakerState::closed, now, held);
        return Admission::admitted;
    }
    const double share =
        static_cast<double>(age.count()) / static_cast<double>(options_.ramp.count());
    return random.next() < share ? Admission::admitted : Admission::refused;
}

Admission Breaker::admit_probe(TimePoint now, const Held&) noexcept {
    const int permits = std::max(1, options_.probes);
    if (probes_out_ >= permits) {
        // A probe that never comes back must not keep the door shut for ever.
        if (elapsed_since(heard_at_, now) < options_.open_for) return Admission::refused;
        probes_out_ = 0;
    }
    ++probes_out_;
    heard_at_ = now;
    return Admission::probe;
}

void Breaker::record_with_care(TimePoint now, Duration took, Admission admission) noexcept {
    if (took > options_.slow_after) return record_failure(now, admission);
    const Held held{mutex_};
    turn_to(now, held);
    if (admission != Admission::probe)
        cell(this_thread_shard()).successes.fetch_add(1, std::memory_order_relaxed);
    else if (take_probe_back(now, held) && ++probes_good_ >= options_.probes)
        change(options_.ramp > Duration::zero() ? BreakerState::ramping : BreakerState::closed, now,
               held);
}

void Breaker::record_failure(TimePoint now, Admission admission) noexcept {
    const Held held{mutex_};
    turn_to(now, held);
    if (admission == Admission::probe) {
        if (take_probe_back(now, held)) change(BreakerState::open, now, held);
        return;
    }
    // Calls admitted before it opened may fail long afterwards; they say nothing new.
    const BreakerState state = state_.load(std::memory_order_relaxed);
    if (state == BreakerState::open || state == BreakerState::half_open) return;
    cell(this_thread_shard()).failures.fetch_add(1, std::memory_order_relaxed);
    if (must_open(state)) change(BreakerState::open, now, held);
}

void Breaker::withdraw(Admission admission) noexcept {
    if (admission != Admission::probe) return;
    const Held held{mutex_};
    probes_out_ = std::max(0, probes_out_ - 1);
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

// Whether this probe still matters: one from before a renewed opening does not.
bool Breaker::take_probe_back(TimePoint now, const Held&) noexcept {
    if (state_.load(std::memory_order_relaxed) != BreakerState::half_open) return false;
    probes_out_ = std::max(0, probes_out_ - 1);
    heard_at_ = std::max(heard_at_, now);
    return true;
}

// Counts start again with every change: what was seen before says nothing about what comes.
void Breaker::change(BreakerState to, TimePoint now, const Held& held) noexcept {
    changed_at_ = heard_at_ = now;
    probes_out_ = probes_good_ = 0;
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

Breakers::Breakers(BreakerOptions options) : options_{options}, rest_{options} {}

Breaker& Breakers::at(std::string_view key) {
    const std::lock_guard held{mutex_};
    if (const auto found = by_key_.find(key); found != by_key_.end()) return *found->second;
    if (by_key_.size() >= options_.most_keys) return rest_;
    return *by_key_.emplace(key, std::make_unique<Breaker>(options_)).first->second;
}

}  // namespace v0
}  // namespace perdure
