// SPDX-License-Identifier: Apache-2.0
//
// What did retrying cost and what did it bring? Counts of everything that is not a plain success.
//
//     counters.add(Count::retries_made);
//     const CallCounts counts = counters.snapshot();
//     const bool worth_it = counts.retries_helped > counts.retries_wasted;
//
// How many calls there were is not counted here but by the latency sketch: a call that succeeds at
// once touches none of these, and so plain atomics, shared by all threads, are cheap enough.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace perdure {
inline namespace v0 {

enum class Count : std::uint8_t {
    calls_failed,        // ended in a failure, for whatever reason
    retries_made,        // extra attempts, hedges not included
    retries_helped,      // calls that succeeded after at least one retry
    retries_wasted,      // calls that failed although they were retried
    retries_refused,     // retries the budget did not pay for
    hedges_made,         // second copies sent
    hedges_won,          // second copies that answered first
    attempts_timed_out,  // attempts given up at their own time limit
    resolver_asked,      // times a resolver was asked whether an unknown outcome landed
    resolved_yes,        // … and it had
    resolved_no,         // … and it had not, and can no longer
    unknown_outcomes,    // calls that ended without knowing whether they took effect
    attempts_overran,    // blocking attempts that ended well after their deadline
};

inline constexpr std::size_t count_kinds = 13;

std::string_view to_string(Count count) noexcept;

// The values at one moment. A plain value.
struct CallCounts {
    std::uint64_t calls_failed = 0;
    std::uint64_t retries_made = 0;
    std::uint64_t retries_helped = 0;
    std::uint64_t retries_wasted = 0;
    std::uint64_t retries_refused = 0;
    std::uint64_t hedges_made = 0;
    std::uint64_t hedges_won = 0;
    std::uint64_t attempts_timed_out = 0;
    std::uint64_t resolver_asked = 0;
    std::uint64_t resolved_yes = 0;
    std::uint64_t resolved_no = 0;
    std::uint64_t unknown_outcomes = 0;
    std::uint64_t attempts_overran = 0;

    // By name, for those who print them all.
    std::uint64_t operator[](Count count) const noexcept;

    friend bool operator==(const CallCounts&, const CallCounts&) = default;
};

// Added to and read by any number of threads at once. Each count is exact; a snapshot taken in the
// middle of a call may have its retry but not yet its end.
class Counters {
public:
    void add(Count count, std::uint64_t times = 1) noexcept {
        values_[static_cast<std::size_t>(count)].fetch_add(times, std::memory_order_relaxed);
    }

    std::uint64_t operator[](Count count) const noexcept {
        return values_[static_cast<std::size_t>(count)].load(std::memory_order_relaxed);
    }

    CallCounts snapshot() const noexcept;

private:
    std::array<std::atomic<std::uint64_t>, count_kinds> values_{};
};

}  // namespace v0
}  // namespace perdure
