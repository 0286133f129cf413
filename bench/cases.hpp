// SPDX-License-Identifier: Apache-2.0
//
// Which ways to make a call are measured? The timing benchmarks and the probe run the same ones:
//
//     Full full;
//     for (…) keep(full.once());
//     full.expect(n);      // every one of the n calls was recorded
//
// Owned by one thread, except where a case says otherwise.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "perdure/call/caller.hpp"
#include "subject.hpp"

namespace bench {

using namespace std::chrono_literals;
using perdure::Attempt;
using perdure::Caller;
using perdure::Deadline;
using perdure::Duration;
using perdure::Plan;
using perdure::Safety;
using perdure::TimePoint;

// A number that was meant to be measured and was not is worse than none.
inline void expect_equal(const char* what, std::uint64_t found, std::uint64_t wanted) {
    if (found == wanted) return;
    std::fprintf(stderr, "%s holds %llu, not %llu\n", what, static_cast<unsigned long long>(found),
                 static_cast<unsigned long long>(wanted));
    std::abort();
}

// Deadline, attempt timeout, retry, budget, breaker and latency sketch, each one in use. The
// breaker's window is longer than any run, so that it must hold every call at the end.
inline Plan every_policy() {
    return {.name = "bench",
            .deadline = 3s,
            .attempt_timeout = 1s,
            .rule = {.attempts = 4, .backoff = {.base = 50ms, .cap = 1s}},
            .breaker = perdure::BreakerOptions{.window = 1h}};
}

// The callable and nothing else: what every other case is measured against.
struct Bare {
    Answer once() { return answer(Deadline{}); }
    void expect(std::uint64_t) const {}
};

// What one writes by hand: a loop, a deadline, and how long it took.
struct Floor {
    Answer once() {
        const TimePoint started = std::chrono::steady_clock::now();
        const Deadline deadline = Deadline::in(3s, started);
        for (int number = 1;; ++number) {
            Answer result = answer(deadline);
            const TimePoint now = std::chrono::steady_clock::now();
            if (result || number == 4 || deadline.passed(now)) {
                longest_ = std::max(longest_, now - started);
                return result;
            }
        }
    }
    void expect(std::uint64_t) const {}

    Duration longest_{};
};

// Safe for any number of threads.
struct Full {
    Answer once() {
        return caller.run({.name = "answer", .safety = Safety::read},
                          [](const Attempt& attempt) { return answer(attempt.deadline); });
    }
    void expect(std::uint64_t calls) {
        expect_equal("the sketch", caller.latencies().count(), calls);
        expect_equal("the breaker", caller.memory().breaker()->counts().successes, calls);
    }

    Caller caller{every_policy()};
};

// Full, but the callable is handed the whole attempt.
struct FullAttempt : Full {
    Answer once() { return caller.run({.name = "answer", .safety = Safety::read}, answer_attempt); }
};

// What somebody gets who sets nothing: no breaker.
struct FullDefault {
    Answer once() {
        return caller.run({.name = "answer"},
                          [](const Attempt& attempt) { return answer(attempt.deadline); });
    }
    void expect(std::uint64_t calls) const {
        expect_equal("the sketch", caller.latencies().count(), calls);
    }

    Caller caller;
};

// One retry without a wait, all policies on.
struct RetryOnce {
    static Plan at_once() {
        Plan plan = every_policy();
        plan.rule.backoff.base = 0ms;
        return plan;
    }
    Answer once() {
        return caller.run({.name = "stumble", .safety = Safety::read},
                          [](const Attempt& attempt) { return stumble(attempt.number); });
    }
    void expect(std::uint64_t calls) {
        expect_equal("the sketch", caller.latencies().count(), calls);
        expect_equal("the count of retries that helped", caller.counts().retries_helped, calls);
        expect_equal("the breaker", caller.memory().breaker()->counts().successes, 2 * calls);
    }

    Caller caller{at_once()};
};

}  // namespace bench
