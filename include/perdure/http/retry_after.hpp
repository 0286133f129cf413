// SPDX-License-Identifier: Apache-2.0
//
// How long does the server want us to stay away? Retry-After is a number of seconds or a date.
//
//     parse_retry_after("120", clock.wall())      // 2 minutes
#pragma once

#include <optional>
#include <string_view>

#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// Longer waits are cut to this. No call waits for a day, so nothing is lost, and one wrong digit or a
// server whose calendar is off cannot put a dependency away for years.
inline constexpr Duration longest_retry_after = 24h;

// Nothing for what is neither a whole number nor a date: our own backoff then serves alone. A date in
// the past is zero. `now` is the time on the clock that made the date: the server's, if it is known.
// Pure; any thread.
std::optional<Duration> parse_retry_after(std::string_view value, WallTime now);

}  // namespace http
}  // namespace v0
}  // namespace perdure
