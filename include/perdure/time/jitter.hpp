// SPDX-License-Identifier: Apache-2.0
//
// How do the timers of a fleet stay apart? By jitter: each period is drawn anew, a little longer or shorter
// than its option says.
//
//     const TimePoint next = after(now, lengthened(5s, random.next()));   // in 5 s to 5.5 s
//
// Processes that start together, or lose a service together, would otherwise return to it together, and
// go on so for every later period. Retries have more jitter than this: policy/backoff.hpp.
#pragma once

#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {

// Of the period, for timers without an option for it. A tenth spreads the load of a fleet over seconds
// where the period is a minute, and nobody who reads the option is surprised.
inline constexpr double timer_jitter = 0.1;

namespace detail {

// The period and `share` of it more, or less if the share is negative; exact if the share is 0. A share
// beyond −1 to 1, or that is no number, is taken for a mistake: no period becomes negative.
constexpr Duration changed_by(Duration period, double share) noexcept {
    if (period <= Duration::zero() || period == never || !(share >= -1 && share <= 1))
        return period;
    const double change = static_cast<double>(period.count()) * share;
    if (change >= static_cast<double>((never - period).count())) return never;
    return period + Duration{static_cast<Duration::rep>(change)};
}

}  // namespace detail

// A larger draw from [0, 1) is a longer period, in each of them.

// From `period` to `share` more: for waits that must not be shorter than promised.
constexpr Duration lengthened(Duration period, double draw, double share = timer_jitter) noexcept {
    return detail::changed_by(period, share * draw);
}
// From `share` less to `period`: for what must not be used for longer than promised.
constexpr Duration shortened(Duration period, double draw, double share = timer_jitter) noexcept {
    return detail::changed_by(period, share * (draw - 1));
}
// From `share` less to `share` more: where the mean is to stay.
constexpr Duration varied(Duration period, double draw, double share = timer_jitter) noexcept {
    return detail::changed_by(period, share * (2 * draw - 1));
}

}  // namespace v0
}  // namespace perdure
