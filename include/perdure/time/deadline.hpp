// SPDX-License-Identifier: Apache-2.0
//
// How much time is left? An absolute point, fixed once, that every layer passes down unchanged.
//
//     if (deadline.passed(now)) return …;
//     socket.wait(deadline.left(now));
#pragma once

#include <compare>

#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {

// A plain value.
class Deadline {
public:
    constexpr Deadline() noexcept = default;  // none: never passes
    constexpr explicit Deadline(TimePoint at) noexcept : at_{at} {}
    static constexpr Deadline in(Duration wait, TimePoint now) noexcept {
        return Deadline{after(now, wait)};
    }

    [[nodiscard]] constexpr TimePoint at() const noexcept { return at_; }
    [[nodiscard]] constexpr bool passed(TimePoint now) const noexcept { return now >= at_; }
    // Never negative; `never` without a deadline.
    [[nodiscard]] constexpr Duration left(TimePoint now) const noexcept {
        if (at_ == TimePoint::max()) return never;
        return passed(now) ? Duration::zero() : at_ - now;
    }
    [[nodiscard]] constexpr Deadline tighter(Deadline other) const noexcept {
        return at_ < other.at_ ? *this : other;
    }
    friend constexpr auto operator<=>(Deadline, Deadline) noexcept = default;

private:
    TimePoint at_ = TimePoint::max();
};

}  // namespace v0
}  // namespace perdure
