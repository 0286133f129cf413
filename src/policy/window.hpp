// SPDX-License-Identifier: Apache-2.0
//
// What happened in the last while? Two counts, forgotten a slice at a time.
//
//     window.turn_to(now);
//     window.add(1, 0);
//     if (window.first() > 2 * window.second()) …
//
// The slice that is being filled is one of the ten, so between nine and ten slices are remembered.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {

// Used by one thread at a time.
class Window {
public:
    static constexpr std::size_t slices = 10;

    explicit Window(Duration remembers) noexcept
        : width_{std::max(remembers / static_cast<int>(slices), Duration{1})} {}

    // A `now` before the last one changes nothing: clocks of two threads differ a little.
    void turn_to(TimePoint now) noexcept {
        const std::int64_t slice = now.time_since_epoch().count() / width_.count();
        if (slice <= slice_) return;
        const std::int64_t passed = slice_ == unset ? 0 : slice - slice_;
        for (std::int64_t i = 1; i <= std::min<std::int64_t>(passed, slices); ++i)
            forget(ring_[index(slice_ + i)]);
        slice_ = slice;
    }
    // When the slice that is being filled ends; at the beginning of time before the first turn.
    [[nodiscard]] TimePoint end() const noexcept {
        return slice_ == unset ? TimePoint::min() : TimePoint{(slice_ + 1) * width_};
    }
    void add(std::int64_t first, std::int64_t second) noexcept {
        Pair& now = ring_[index(slice_)];
        now.first += first;
        now.second += second;
        sum_.first += first;
        sum_.second += second;
    }
    [[nodiscard]] std::int64_t first() const noexcept { return sum_.first; }
    [[nodiscard]] std::int64_t second() const noexcept { return sum_.second; }

private:
    struct Pair {
        std::int64_t first = 0, second = 0;
    };
    static constexpr std::int64_t unset = INT64_MIN;

    static std::size_t index(std::int64_t slice) noexcept {
        return static_cast<std::size_t>(static_cast<std::uint64_t>(slice) % slices);
    }
    void forget(Pair& slice) noexcept {
        sum_.first -= slice.first;
        sum_.second -= slice.second;
        slice = {};
    }

    const Duration width_;
    std::int64_t slice_ = unset;
    std::array<Pair, slices> ring_{};
    Pair sum_{};
};

}  // namespace v0
}  // namespace perdure
