// SPDX-License-Identifier: Apache-2.0
//
// Where did the time go? Attempts under each other on one scale of time, each a bar of its phases.
//
//     for (const std::string& line : timeline(legs, elapsed, {.width = 100})) say(line);
//
//                0                                               412 ms
//     attempt 1  dc-------------x
//     attempt 2                  ~~~~~~c---------------------####+
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "perdure/call/diagnostics.hpp"

namespace tool {

using namespace perdure;

enum class Letters : unsigned char { ascii, unicode };
enum class Colour : unsigned char { off, on };

struct TimelineStyle {
    std::size_t width = 80;
    Letters letters = Letters::ascii;
    Colour colour = Colour::off;
};

// One call of the client's: the first, or one that a redirect led to.
struct Leg {
    Duration began{};  // since the first began
    std::vector<AttemptRecord> attempts{};
    std::size_t left_out = 0;  // behind the first that are kept
};

// The bars, what their signs mean, and the same in numbers. The same for the same arguments.
std::vector<std::string> timeline(const std::vector<Leg>& legs, Duration elapsed,
                                  const TimelineStyle& style);

// What standard error can show: its width, whether the locale has more than ASCII, whether it is a
// terminal that may be coloured (NO_COLOR).
TimelineStyle style_of_standard_error();

}  // namespace tool
