// SPDX-License-Identifier: Apache-2.0
#include "promises/support/plain_loop.hpp"

#include <algorithm>

#include "perdure/time/clock.hpp"
#include "perdure/time/random.hpp"

namespace perdure::promises {
namespace {

Duration wait_after(int number, Duration longest) {
    const Duration whole = std::min<Duration>(100ms * (1 << std::min(number, 10)), longest);
    return whole / 2 + std::chrono::duration_cast<Duration>(whole / 2 * system_random().next());
}

}  // namespace

Told plain_loop(const LoopRules& rules,
                const std::function<Result<void>(int, Deadline)>& try_once) {
    Clock& clock = system_clock();
    const Deadline deadline = Deadline::in(call_limit, clock.now());
    for (int number = 0;; ++number) {
        const auto result = try_once(number, deadline);
        if (result) return {};
        const TimePoint next = clock.now() + wait_after(number, rules.longest_wait);
        if (number + 1 == rules.tries || deadline.passed(next))
            return {Word::not_done, to_string(result.error())};
        clock.sleep_until(next, {});
    }
}

}  // namespace perdure::promises
