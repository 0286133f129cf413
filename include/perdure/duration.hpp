// SPDX-License-Identifier: Apache-2.0
//
// Which time does everything here count in? Nanoseconds of a clock that never jumps.
//
//     perdure::TimePoint later = clock.now() + 50ms;
//
// `TimePoint` is the standard steady clock's, so that users' own deadlines fit in without a cast.
// Arithmetic on it saturates through `after`, because "no deadline" is `TimePoint::max()`.
#pragma once

#include <chrono>

namespace perdure {
inline namespace v0 {

using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""us;
using std::chrono_literals::operator""ns;

// "Not at all": a server's word that a call must not be repeated, or a limit that never comes.
inline constexpr Duration never = Duration::max();

// `time + wait`, held at the ends of the range instead of overflowing.
constexpr TimePoint after(TimePoint time, Duration wait) noexcept {
    if (wait > Duration::zero() && time > TimePoint::max() - wait) return TimePoint::max();
    if (wait < Duration::zero() && time < TimePoint::min() - wait) return TimePoint::min();
    return time + wait;
}

namespace detail {

// std::min and std::max without <algorithm>, which has more lines than all of ours. By reference, as
// they are: by value, g++ 12 makes two instructions more of a call that succeeds.
constexpr const TimePoint& earlier(const TimePoint& a, const TimePoint& b) noexcept {
    return b < a ? b : a;
}
constexpr const TimePoint& later(const TimePoint& a, const TimePoint& b) noexcept {
    return a < b ? b : a;
}

}  // namespace detail

}  // namespace v0
}  // namespace perdure
