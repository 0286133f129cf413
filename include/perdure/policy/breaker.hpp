// SPDX-License-Identifier: Apache-2.0
//
// Should we ask at all just now? Off unless a plan asks for it: a breaker turns a partial failure
// into a total one when its key is too coarse, so key it by host, shard or partition.
//
//     Plan{.breaker = BreakerOptions{.failure_share = 0.5}}
//     Breaker& shard = breakers.at("orders/7");   // once, not per call
//
// closed → (share of failures in the window) → open → (time) → half open, a few probes → ramping:
// admits a share that grows evenly → closed.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "perdure/cause.hpp"
#include "perdure/duration.hpp"
#include "perdure/stats/shard.hpp"
#include "perdure/time/random.hpp"

namespace perdure {
inline namespace v0 {

struct BreakerOptions {
    double failure_share = 0.5;  // of the window's calls; below 0.5 `validate` warns
    int least_calls = 100;       // in the window, before it may open
    Duration window = 30s;
    // Each time up to a tenth longer, so that not all clients return at once.
    Duration open_for = 5s;
    int probes = 3;                // at once while half open; as many successes begin the ramp
    Duration ramp = 10s;           // zero: close at once
    Duration slow_after = never;   // a call that took longer counts as a failure
    std::size_t most_keys = 1024;  // further keys share one breaker
    friend bool operator==(const BreakerOptions&, const BreakerOptions&) noexcept = default;
};

enum class BreakerState : std::uint8_t { closed, open, half_open, ramping };

// The answer to one call; the outcome of the call is recorded with it.
struct Admission {
    // As wide as the round: without padding g++ moves both in one instruction.
    enum Kind : std::uint32_t { refused, admitted, probe };
    // Implicit, so that Admission::admitted can be passed for a call that no breaker admitted.
    constexpr Admission(Kind of = admitted, std::uint32_t in_round = 0) noexcept
        : kind{of}, round{in_round} {}

    Kind kind;
    std::uint32_t round;  // of a probe: the set of permits that its permit belongs to
};

// An answer about state (conflict, not found) says that the service works; so does a throttle.
constexpr bool counts_against_service(Cause cause) noexcept {
    return cause == Cause::overloaded || cause == Cause::unavailable || cause == Cause::timed_out ||
           cause == Cause::internal || cause == Cause::corrupt;
}

// Safe for any number of threads.
class Breaker {
public:
    explicit Breaker(const BreakerOptions& options);
    Breaker(const Breaker&) = delete;
    Breaker& operator=(const Breaker&) = delete;
    ~Breaker();

    // A closed breaker admits everything.
    [[nodiscard]] bool closed() const noexcept { return state() == BreakerState::closed; }
    [[nodiscard]] Admission admit(TimePoint now, Random& random) noexcept {
        if (closed()) [[likely]]
            return Admission::admitted;
        return admit_with_care(now, random);
    }
    void record_success(TimePoint now, Duration took, Admission admission,
                        unsigned shard = this_thread_shard()) noexcept {
        if (now >= slice_end() || took > options_.slow_after || admission.kind == Admission::probe)
            [[unlikely]]
            return record_with_care(now, took, admission);
        cell(shard).successes.fetch_add(1, std::memory_order_relaxed);
    }
    void record_failure(TimePoint now, Admission admission) noexcept;
    // The call ended without telling anything (cancelled, threw): gives a probe's permit back.
    void withdraw(Admission admission) noexcept;

    struct Counts {
        std::uint64_t successes = 0, failures = 0;
    };
    [[nodiscard]] BreakerState state() const noexcept {
        return state_.load(std::memory_order_acquire);
    }
    [[nodiscard]] Counts counts() const noexcept;  // of the window

private:
    static constexpr unsigned slices = 10;
    struct Cell {
        std::atomic<std::uint64_t> successes{0}, failures{0};
    };
    struct alignas(64) Row {
        std::array<Cell, slices> cells{};
    };

    [[nodiscard]] TimePoint slice_end() const noexcept {
        return TimePoint{Duration{slice_end_.load(std::memory_order_relaxed)}};
    }
    Cell& cell(unsigned shard) noexcept {
        return rows_[shard].cells[slice_.load(std::memory_order_relaxed)];
    }
    Admission admit_with_care(TimePoint now, Random& random) noexcept;
    void record_with_care(TimePoint now, Duration took, Admission admission) noexcept;
    [[nodiscard]] bool must_open(BreakerState state) const noexcept;

    struct Guarded;  // a lock, and what only changes under it
    class Held;      // holds that lock
    Admission admit_probe(TimePoint now, Random& random, const Held& held) noexcept;
    Duration rest(Random& random, const Held& held) const noexcept;
    void return_permit(Admission probe, const Held& held) noexcept;
    bool take_probe_back(Admission probe, TimePoint now, const Held& held) noexcept;
    void change(BreakerState to, TimePoint now, const Held& held) noexcept;
    void turn_to(TimePoint now, const Held& held) noexcept;
    void clear(const Held& held) noexcept;
    void clear_slice(unsigned slice, const Held& held) noexcept;

    const BreakerOptions options_;
    std::atomic<BreakerState> state_{BreakerState::closed};
    std::atomic<Duration::rep> slice_end_{Duration::min().count()};  // a first call sets it
    std::atomic<unsigned> slice_{0};
    std::array<Row, shard_count> rows_{};
    // Behind a pointer, because calls that succeed on a closed breaker do not need it.
    const std::unique_ptr<Guarded> guarded_;
};

// One breaker per key, made on first use, never removed. Safe for any number of threads; references
// stay valid as long as this lives.
class Breakers {
public:
    explicit Breakers(BreakerOptions options);
    Breakers(const Breakers&) = delete;
    Breakers& operator=(const Breakers&) = delete;
    ~Breakers();
    [[nodiscard]] Breaker& at(std::string_view key);

private:
    struct Inside;  // src/policy
    const std::unique_ptr<Inside> inside_;
};

}  // namespace v0
}  // namespace perdure
