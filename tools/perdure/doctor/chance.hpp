// SPDX-License-Identifier: Apache-2.0
//
// Is a difference more than chance, and more than trifling? Small statistics for counts.
//
//     at_least(12, 500)                     // the share is at least 1.2 %, 99 % sure
//     by_chance({9, 40}, {12, 2000})        // how likely is a share so much larger, if both were alike?
//     ramp(0.4, 0.3, 0.6)                   // evidence from 0 to 1
#pragma once

#include <algorithm>
#include <cstdint>

namespace tool::doctor {

struct Share {
    std::uint64_t part = 0;
    std::uint64_t of = 0;

    [[nodiscard]] double value() const {
        return of == 0 ? 0 : static_cast<double>(part) / static_cast<double>(of);
    }
};

// The lower bound of the share behind what was seen (Wilson, one-sided, 99 %).
double at_least(Share seen);

// Fisher's exact test, one-sided: the chance of a table like this or more one-sided, if the share were
// the same in both. 1 if either is empty.
double by_chance(Share group, Share rest);

// The same share, known from so many observations only.
Share known_from(std::uint64_t lines, Share share);

// How much larger the share of the group is; half a case is added where there was none.
double lift(Share group, Share rest);

// 0 up to `from`, 1 from `to` on, a straight line between.
constexpr double ramp(double value, double from, double to) {
    return std::clamp((value - from) / (to - from), 0.0, 1.0);
}

}  // namespace tool::doctor
