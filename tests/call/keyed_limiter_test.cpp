// SPDX-License-Identifier: Apache-2.0
//
// Does a call keep to the limiter its operation names, and does that limiter learn how it went?
#include <gtest/gtest.h>

#include "perdure/call/caller.hpp"
#include "perdure/policy/adaptive.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/virtual_clock.hpp"
#include "transcript.hpp"

namespace perdure::testing {
namespace {

Result<int> seven() { return 7; }

struct KeyedLimiter : ::testing::Test {
    VirtualClock clock;
    FixedRandom ceiling{1.0};
};

TEST_F(KeyedLimiter, slows_down_the_table_that_throttles_and_no_other) {
    Caller caller{
        {.deadline = 1h, .rule = {.attempts = 1}, .limiter = {.kind = LimiterKind::adaptive}},
        {clock, ceiling}};
    Limiter* hot = caller.limiter("hot");
    Limiter* cold = caller.limiter("cold");
    const auto calls = [&](Limiter* limiter, Cause cause) {
        const TimePoint before = clock.now();
        for (int i = 0; i < 20; ++i)
            (void)caller.run({.safety = Safety::read, .limiter = limiter}, [&]() -> Result<int> {
                clock.advance(10ms);
                if (cause == Cause::throttled) return fail({.cause = cause});
                return 7;
            });
        return clock.now() - before;
    };
    EXPECT_EQ(calls(hot, Cause::conflict), 200ms);
    EXPECT_GT(calls(hot, Cause::throttled), 10s) << "down to one in two seconds";
    EXPECT_EQ(calls(cold, Cause::conflict), 200ms);
    const auto* learned = dynamic_cast<AdaptiveLimiter*>(hot);
    ASSERT_NE(learned, nullptr);
    EXPECT_TRUE(learned->state().limiting);
    EXPECT_FALSE(dynamic_cast<AdaptiveLimiter*>(cold)->state().limiting);
}

TEST_F(KeyedLimiter, is_kept_to_by_a_plan_that_has_none_itself) {
    Caller caller{{.rule = {.attempts = 1}}, {clock, ceiling}};
    EXPECT_EQ(caller.limiter("orders"), nullptr);
    const auto one = make_limiter({.kind = LimiterKind::concurrency, .concurrent = 1});
    const Operation limited{.safety = Safety::read, .limiter = one.get()};
    EXPECT_TRUE(caller.run(limited, seven));
    EXPECT_TRUE(caller.run(limited, seven)) << "the permit came back";
    ASSERT_EQ(one->enter(clock.now(), clock.now()).kind, Entry::Kind::admitted);
    const auto refused = caller.run(limited, seven);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().stop, Stop::limited);
    EXPECT_TRUE(caller.run({.safety = Safety::read}, seven)) << "others are not concerned";
}

TEST_F(KeyedLimiter, that_waits_past_the_deadline_refuses_at_once) {
    AdaptiveLimiter slow;
    for (int i = 0; i < 3; ++i) slow.leave(clock.now(), Left::throttled);
    Caller caller{{.deadline = 1s, .rule = {.attempts = 1}}, {clock, ceiling}};
    const auto result = caller.run({.safety = Safety::read, .limiter = &slow}, seven);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().stop, Stop::limited);
    EXPECT_EQ(result.error().effect, Effect::none);
    EXPECT_TRUE(clock.naps().empty());
    EXPECT_EQ(slow.state().tokens, 0) << "nothing was reserved";
}

TEST_F(KeyedLimiter, costs_one_slot_per_attempt_beside_the_backoff) {
    AdaptiveLimiter limiter;
    Transcript call{{.deadline = 1min, .rule = {.attempts = 3, .backoff = {.base = 100ms}}},
                    {.safety = Safety::read, .limiter = &limiter}};
    EXPECT_EQ(call.next(), "attempt 1");
    call.fails({.cause = Cause::throttled});
    EXPECT_EQ(call.next(), "wait 100ms");
    EXPECT_EQ(call.next(), "wait 1900ms") << "half a token a second, 50 ms of it are there";
    EXPECT_EQ(call.next(), "attempt 2");
    call.fails({.cause = Cause::throttled});
    EXPECT_EQ(call.next(), "wait 200ms");
    EXPECT_EQ(call.next(), "wait 1800ms");
    EXPECT_EQ(call.next(), "attempt 3");
}

}  // namespace
}  // namespace perdure::testing
