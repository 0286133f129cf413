// SPDX-License-Identifier: Apache-2.0
//
// Do timers that began together end together?
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "perdure/duration.hpp"

namespace perdure {

// The largest share of `waits` that lies in one tenth of the range from `least` to `most`; 1 if any lies
// outside it.
inline double fullest_tenth(const std::vector<Duration>& waits, Duration least, Duration most) {
    std::array<std::size_t, 10> counts{};
    for (const Duration wait : waits) {
        if (wait < least || wait > most) return 1;
        const auto tenth = static_cast<std::size_t>(10 * (wait - least) / (most - least));
        ++counts[std::min<std::size_t>(tenth, 9)];
    }
    return static_cast<double>(*std::ranges::max_element(counts)) /
           static_cast<double>(waits.size());
}

}  // namespace perdure
