// SPDX-License-Identifier: Apache-2.0
//
// How far is a service's clock from ours, and may we follow it? Its `Date` decides by which time a request
// is signed, and a signature for another year is good in that year. So the date is followed only where
// nobody on the way can have changed it, and only for a clock that is wrong by a day at most.
//
//     if (const auto skew = measured_skew(response.headers, sent, received); skew && may_follow(*skew, dates))
//         sign(corrected(clock.wall(), *skew));
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "perdure/duration.hpp"
#include "perdure/http/headers.hpp"
#include "perdure/http/url.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// A clock further off than this is set by a person: no clock drifts that far, and the wrong zone is 14 h.
inline constexpr Duration most_skew = 24h;

// Whether the dates of a server can be followed: over TLS, and from this machine itself.
enum class Dates : std::uint8_t { trusted, untrusted };
Dates dates_of(const Url& url);

// `to` - `from`, held within a century: a server may name any year. Pure; any thread, as all of these.
Duration time_between(WallTime from, WallTime to) noexcept;

// By how much the service's clock was ahead of ours half-way between sending and receiving. Nothing
// without a Date that can be read, with an Age (a cache answered, its Date is old), after a round
// trip of more than 15 minutes, or when our own clock went back meanwhile. Held within a century.
std::optional<Duration> measured_skew(const Headers& headers, WallTime sent, WallTime received);

// Whether `skew` may be used for signing.
bool may_follow(Duration skew, Dates dates) noexcept;

// `now` by the service's clock, held at the ends of the range.
WallTime corrected(WallTime now, Duration skew) noexcept;

// For a failure whose skew may not be followed: both times, and why. The answer must have a date that can
// be read.
std::string unfollowed(const Headers& headers, WallTime now, Dates dates);

}  // namespace http
}  // namespace v0
}  // namespace perdure
