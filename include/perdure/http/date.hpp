// SPDX-License-Identifier: Apache-2.0
//
// Which moment does an HTTP date name? All three forms of RFC 9110 5.6.7 are read, the first is
// written.
//
//     parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT", clock.wall())
//     parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT", clock.wall())     the two old forms
//     parse_http_date("Sun Nov  6 08:49:37 1994", clock.wall())
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// Nothing for what is not exactly one of the forms, letter by letter. The name of the weekday must be
// one but is not compared with the date: a server that errs there has still said when. A leap second
// is the first of the next day. What lies beyond the range of WallTime (1677 to 2262) is held at its
// end. `now` serves the two-digit year: a date more than 50 years ahead is the one a century before.
// Pure; any thread.
std::optional<WallTime> parse_http_date(std::string_view text, WallTime now);

// In whole seconds, rounded down.
std::string http_date(WallTime at);

}  // namespace http
}  // namespace v0
}  // namespace perdure
