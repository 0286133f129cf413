// SPDX-License-Identifier: Apache-2.0
//
// The retry loops that Perdure is compared with: written by hand, as they stand in many programs. They
// repeat whatever failed, also a COMMIT that may have been carried out, and know nothing of each other.
#pragma once

#include <climits>
#include <functional>

#include "perdure/result.hpp"
#include "perdure/time/deadline.hpp"
#include "promises/support/tally.hpp"

namespace perdure::promises {

// The default deadline and attempt timeout of a plan: the loops have the same.
inline constexpr Duration call_limit = 10s;
inline constexpr Duration try_limit = call_limit / 3;

struct LoopRules {
    int tries = 4;
    Duration longest_wait = never;
};
inline constexpr LoopRules loop_of_four{};
inline constexpr LoopRules loop_until_deadline{.tries = INT_MAX, .longest_wait = 1s};

// Waits 100 ms × 2^n between tries, of which half is left to chance. A call that failed in the end is
// reported as not done. `try_once` gets the number of the try, from 0 on, and the call's deadline.
[[nodiscard]] Told plain_loop(const LoopRules& rules,
                              const std::function<Result<void>(int, Deadline)>& try_once);

}  // namespace perdure::promises
