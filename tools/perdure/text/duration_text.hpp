// SPDX-License-Identifier: Apache-2.0
//
// How do people write a duration, and how do they like to read one?
//
//     parse_duration("1.5s")      // 1500 ms; also 50ms, 2m, 1h30m
//     in_words(1234ms)            // "1.23 s"
#pragma once

#include <string>
#include <string_view>

#include "perdure/duration.hpp"
#include "perdure/result.hpp"

namespace tool {

using namespace perdure;

// Never negative. What is wrong stands in the failure's message, with what to write instead.
Result<Duration> parse_duration(std::string_view text);

// Rounded to three digits, for a line of a log.
std::string in_words(Duration duration);

// "1437.250": seconds to the millisecond.
std::string in_seconds(Duration duration);
std::string in_milliseconds(Duration duration);  // to the microsecond

}  // namespace tool
