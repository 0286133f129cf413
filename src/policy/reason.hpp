// SPDX-License-Identifier: Apache-2.0
//
// Private to the policy room: how are the reasons for a number put into words? Thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {

// As printf; what is longer than a line is cut.
std::string reason(const char* format, auto... values) {
    char text[200];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

// "2,995", as `perdure tune` writes its other numbers.
inline std::string with_commas(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
    return text;
}

inline double in_milliseconds(Duration wait) {
    return std::chrono::duration<double, std::milli>(wait).count();
}

}  // namespace v0
}  // namespace perdure
