// SPDX-License-Identifier: Apache-2.0
//
// The short way of a call must be indistinguishable from the long one, except by its speed.
#include "perdure/call/caller.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/virtual_clock.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace perdure::testing {
namespace {

// Somebody who watches sends every call the long way.
struct Watcher final : Observer {
    void on_event(const Event&) noexcept override {}
};

// One caller on a clock of its own.
struct Way {
    explicit Way(const Plan& plan, Observer* observer = nullptr)
        : caller{plan, {.clock = clock, .random = ceiling, .observer = observer}} {}

    VirtualClock clock;
    FixedRandom ceiling{1.0};
    Caller caller;
};

Plan with_breaker(Duration deadline = 3s, Duration attempt_timeout = 1s) {
    return {.deadline = deadline,
            .attempt_timeout = attempt_timeout,
            .breaker = BreakerOptions{.least_calls = 2, .ramp = 0s}};
}

void expect_same_memory(Way& a, Way& b) {
    EXPECT_EQ(a.caller.latencies(), b.caller.latencies());
    EXPECT_EQ(a.caller.budget().milli_left(), b.caller.budget().milli_left());
    EXPECT_EQ(a.caller.counts().retries_helped, b.caller.counts().retries_helped);
    EXPECT_EQ(a.caller.counts().calls_failed, b.caller.counts().calls_failed);
    EXPECT_EQ(a.clock.naps(), b.clock.naps());
    if (Breaker* breaker = a.caller.memory().breaker()) {
        EXPECT_EQ(breaker->counts().successes, b.caller.memory().breaker()->counts().successes);
        EXPECT_EQ(breaker->counts().failures, b.caller.memory().breaker()->counts().failures);
        EXPECT_EQ(breaker->state(), b.caller.memory().breaker()->state());
    }
}

TEST(Opening, leaves_the_same_memory_as_the_long_way_whatever_the_attempts_do) {
    Watcher watcher;
    Way quick{with_breaker()}, watched{with_breaker(), &watcher};
    for (const char* outcomes : {"+", "-+", "+", "x", "--+", "----", "+", "-----+", "+"}) {
        SCOPED_TRACE(outcomes);
        std::string ends[2];
        for (Way* way : {&quick, &watched}) {
            const char* next = outcomes;
            const auto work = [&](const Attempt& attempt) -> Result<int> {
                way->clock.advance(Duration{7us} * attempt.number);
                const char now = *next ? *next++ : '-';
                if (now == '+') return attempt.number;
                return fail({.cause = now == 'x' ? Cause::invalid : Cause::unavailable});
            };
            const auto result = way->caller.run({.safety = Safety::idempotent}, work);
            ends[way == &watched] = result ? std::to_string(*result) : to_string(result.error());
        }
        EXPECT_EQ(ends[0], ends[1]);
        expect_same_memory(quick, watched);
    }
}

TEST(Opening, gives_the_attempt_the_same_deadlines_as_the_long_way) {
    const Deadline soon{TimePoint{Duration{1h + 10ms}}}, past{TimePoint{Duration{1min}}};
    const struct {
        const char* what;
        Plan plan;
        Deadline deadline;
    } cases[] = {
        {"plan's", with_breaker(), {}},
        {"a third of the plan's", with_breaker(3s, 0s), {}},
        {"a timeout beyond the deadline", with_breaker(3s, 5s), {}},
        {"no deadline", with_breaker(never, 0s), {}},
        {"no deadline but a timeout", with_breaker(never, 1s), {}},
        {"the operation's is tighter", with_breaker(), soon},
        {"the operation's has passed", with_breaker(), past},
    };
    for (const auto& [what, plan, deadline] : cases) {
        SCOPED_TRACE(what);
        Watcher watcher;
        Way quick{plan}, watched{plan, &watcher};
        std::vector<Deadline> seen[2];
        for (Way* way : {&quick, &watched})
            (void)way->caller.run(
                {.deadline = deadline}, [&](const Attempt& attempt) -> Result<void> {
                    seen[way == &watched] = {attempt.deadline, attempt.call_deadline};
                    return {};
                });
        EXPECT_EQ(seen[0], seen[1]);
        expect_same_memory(quick, watched);
    }
}

TEST(Opening, is_not_taken_while_the_breaker_is_open) {
    Way way{with_breaker()};
    for (int i = 0; i < 2; ++i)
        way.caller.memory().breaker()->record_failure(way.clock.now(), Admission::admitted);
    int ran = 0;
    const auto result = way.caller.run({}, [&]() -> Result<int> { return ++ran; });
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().stop, Stop::breaker);
    EXPECT_EQ(ran, 0);
}

TEST(Opening, is_not_taken_when_the_caller_has_already_asked_to_stop) {
    Way way{Plan{}};
    std::stop_source source;
    source.request_stop();
    int ran = 0;
    const auto result =
        way.caller.run({.stop = source.get_token()}, [&]() -> Result<int> { return ++ran; });
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().stop, Stop::cancelled);
    EXPECT_EQ(ran, 0);
}

TEST(Opening, lets_an_exception_through_and_remembers_nothing_of_it) {
    Way way{with_breaker()};
    const int tokens = way.caller.budget().milli_left();
    const auto work = []() -> Result<int> { throw std::runtime_error{"boom"}; };
    EXPECT_THROW((void)way.caller.run({}, work), std::runtime_error);
    EXPECT_EQ(way.caller.latencies().count(), 0U);
    EXPECT_EQ(way.caller.memory().breaker()->counts().successes, 0U);
    EXPECT_EQ(way.caller.budget().milli_left(), tokens);
}

}  // namespace
}  // namespace perdure::testing
