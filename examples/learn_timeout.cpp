// SPDX-License-Identifier: Apache-2.0
//
// Can the attempt timeout follow the service, and stand still when the service is overloaded? For
// docs/guide/learn-a-timeout.md.
#include <cstdio>

#include "perdure/perdure.hpp"
#include "perdure/testing/virtual_clock.hpp"

using namespace perdure;

namespace {

// Answers after 10 to 40 ms, times `slower`, or not before the attempt is given up.
Result<int> answer(const Attempt& attempt, testing::VirtualClock& clock, Random& dice,
                   double slower) {
    const auto latency = std::chrono::duration_cast<Duration>((10ms + 30ms * dice.next()) * slower);
    if (latency < attempt.time_left()) {
        clock.advance(latency);
        return 1;
    }
    clock.advance(attempt.time_left());
    return fail({.cause = Cause::timed_out});
}

}  // namespace

int main() {
    testing::VirtualClock clock;
    SeededRandom dice{7};

    // [plan]
    const Plan plan{.name = "users",
                    .deadline = 3s,
                    .learn_timeout = LearnTimeout{.false_timeouts = 0.001, .margin = 1.5}};
    Caller users{plan, {.clock = clock, .random = dice}};
    // [/plan]

    const auto minutes = [&](int count, double slower) {
        for (const TimePoint end = clock.now() + count * 60s; clock.now() < end;)
            (void)users.run({.name = "get", .safety = Safety::read}, [&](const Attempt& attempt) {
                return answer(attempt, clock, dice, slower);
            });
        // [ask]
        const Duration timeout = users.memory().attempt_timeout();
        // [/ask]
        std::printf("%4.1f times as slow: %6.1f ms, %llu attempts timed out so far\n", slower,
                    std::chrono::duration<double, std::milli>(timeout).count(),
                    static_cast<unsigned long long>(users.counts().attempts_timed_out));
        return timeout;
    };

    const Duration first = minutes(1, 1);        // on its way from a second down
    const Duration settled = minutes(30, 1);     // 1.5 times 40 ms
    const Duration overloaded = minutes(5, 10);  // nearly all time out: it stands still
    const Duration faster = minutes(30, 0.5);    // and follows again
    const bool good = first > settled && settled > 55ms && settled < 65ms &&
                      overloaded == settled && faster > 27ms && faster < 33ms;
    return good ? 0 : 1;
}
