// SPDX-License-Identifier: Apache-2.0
//
// Is everything given back that a call has borrowed, however it ended?
#include "transcript.hpp"

#include "perdure/call/caller.hpp"
#include "perdure/testing/virtual_clock.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

namespace perdure::testing {
namespace {

struct Permits : ::testing::Test {
    VirtualClock clock;
    FixedRandom ceiling{1.0};
    const BreakerOptions one_probe{.least_calls = 1, .open_for = 1s, .probes = 1, .ramp = 0s};
    static constexpr Duration longest_open = 1100ms;  // the ceiling draws a tenth more

    Plan narrow() const {
        return {.limiter = {.kind = LimiterKind::concurrency, .concurrent = 1},
                .breaker = one_probe};
    }
    // Half open: the next call is the one probe, and nobody else gets in before it is back.
    void half_open(Caller& caller) {
        caller.memory().breaker()->record_failure(clock.now(), Admission::admitted);
        clock.advance(longest_open);
    }
    static Result<int> seven() { return 7; }
};

TEST_F(Permits, of_limiter_and_breaker_come_back_however_the_call_ends) {
    std::stop_source source;
    const struct {
        const char* how;
        std::function<Result<int>(const Attempt&)> work;
    } cases[] = {
        {"success", [](const Attempt&) -> Result<int> { return 1; }},
        {"exception", [](const Attempt&) -> Result<int> { throw std::runtime_error{"boom"}; }},
        {"an answer about state",
         [](const Attempt&) -> Result<int> { return fail({.cause = Cause::conflict}); }},
        {"cancelled work",
         [](const Attempt&) -> Result<int> { return fail({.cause = Cause::cancelled}); }},
        {"cancelled call",
         [&](const Attempt&) -> Result<int> {
             source.request_stop();
             return fail({.cause = Cause::throttled});
         }},
    };
    for (const auto& [how, work] : cases) {
        SCOPED_TRACE(how);
        Caller caller{narrow(), {clock, ceiling}};
        half_open(caller);
        try {
            (void)caller.run({.stop = source.get_token()}, work);
        } catch (const std::runtime_error& error) {
            EXPECT_STREQ(error.what(), "boom");
        }
        EXPECT_TRUE(caller.run({}, seven)) << "limiter of 1 and probe of 1 are free again";
    }
}

TEST_F(Permits, come_back_when_the_call_is_cancelled_in_its_sleep) {
    Caller caller{narrow(), {clock, ceiling}};
    std::stop_source source;
    clock.at(clock.now() + 10ms, [&] { source.request_stop(); });
    const auto result = caller.run({.stop = source.get_token()}, []() -> Result<int> {
        return fail({.cause = Cause::throttled});
    });
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().stop, Stop::cancelled);
    EXPECT_TRUE(caller.run({}, seven));
}

TEST_F(Permits, reserved_for_a_later_slot_come_back_when_the_call_is_dropped_before_it) {
    const Plan plan{.limiter = {.kind = LimiterKind::rate, .per_second = 10}, .breaker = one_probe};
    Caller caller{plan, {clock, ceiling}};
    half_open(caller);
    ASSERT_TRUE(caller.memory().limiter()->enter(clock.now(), TimePoint::max()).kind ==
                Entry::Kind::admitted);
    for (const bool cancel : {false, true}) {
        const Operation operation{};
        Progress call{caller.memory(), operation, {.now = clock.now(), .random = &ceiling}};
        const Step step = call.next(clock.now());
        ASSERT_EQ(step.kind, StepKind::wait) << "the probe has its permit and waits for its slot";
        if (cancel) call.cancelled(clock.now());
    }
    EXPECT_TRUE(caller.run({}, seven));
}

TEST_F(Permits, of_hedges_come_back_when_the_call_is_dropped) {
    const Plan plan{.limiter = {.kind = LimiterKind::concurrency, .concurrent = 2},
                    .hedge = HedgeOptions{.after = 30ms}};
    Memory memory{plan};
    const Operation get{.safety = Safety::read};
    TimePoint now = clock.now();
    for (int round = 0; round < 3; ++round) {
        Progress call{
            memory, get, {.now = now, .random = &ceiling, .driving = Driving::concurrent}};
        EXPECT_EQ(call.next(now).kind, StepKind::attempt);
        now = call.next(now).until;
        EXPECT_EQ(call.next(now).number, 2) << "both permits were free";
        EXPECT_EQ(memory.limiter()->enter(now, TimePoint::max()).kind, Entry::Kind::refused);
    }
}

TEST_F(Permits, a_hedge_the_limiter_has_no_room_for_is_left_out) {
    const Plan plan{.limiter = {.kind = LimiterKind::concurrency, .concurrent = 1},
                    .hedge = HedgeOptions{.after = 30ms}};
    Transcript call{plan, {.safety = Safety::read}, {.driving = Driving::concurrent}};
    EXPECT_EQ(call.next(), "attempt 1");
    EXPECT_EQ(call.next(), "wait 30ms");
    EXPECT_TRUE(call.next().starts_with("wait"));
    call.succeeds_in(1);
    EXPECT_EQ(call.memory.limiter()->enter(call.now, TimePoint::max()).kind, Entry::Kind::admitted);
}

TEST_F(Permits, a_hedge_goes_out_past_a_rate_limiter_with_room) {
    const Plan plan{.limiter = {.kind = LimiterKind::rate, .per_second = 1000, .burst = 10},
                    .hedge = HedgeOptions{.after = 30ms}};
    Transcript call{plan, {.safety = Safety::read}, {.driving = Driving::concurrent}};
    EXPECT_EQ(call.next(), "attempt 1");
    EXPECT_EQ(call.next(), "wait 30ms");
    EXPECT_EQ(call.next(), "attempt 2");
}

TEST_F(Permits, a_limiter_that_lets_wait_is_waited_for) {
    Caller caller{{.limiter = {.kind = LimiterKind::rate, .per_second = 10}}, {clock, ceiling}};
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(caller.run({}, seven));
    EXPECT_EQ(clock.naps(), (std::vector<Duration>{100ms, 100ms}));
}

TEST_F(Permits, a_probe_that_fails_opens_the_breaker_again) {
    Caller caller{{.breaker = one_probe}, {clock, ceiling}};
    half_open(caller);
    const auto down =
        caller.run({}, []() -> Result<int> { return fail({.cause = Cause::unavailable}); });
    EXPECT_EQ(down.error().effect, Effect::unknown);
    EXPECT_EQ(caller.memory().breaker()->state(), BreakerState::open);
    const auto refused = caller.run({}, seven);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().stop, Stop::breaker);
    EXPECT_EQ(refused.error().attempts, 0);
    clock.advance(longest_open);
    EXPECT_TRUE(caller.run({}, seven));
    EXPECT_EQ(caller.memory().breaker()->state(), BreakerState::closed);
}

TEST_F(Permits, a_probe_that_was_cancelled_says_nothing_about_the_service) {
    Caller caller{{.breaker = one_probe}, {clock, ceiling}};
    half_open(caller);
    EXPECT_FALSE(caller.run({}, []() -> Result<int> { return fail({.cause = Cause::cancelled}); }));
    EXPECT_EQ(caller.memory().breaker()->state(), BreakerState::half_open);
    EXPECT_EQ(caller.memory().breaker()->counts().successes, 0u);
    EXPECT_TRUE(caller.run({}, seven));
    EXPECT_EQ(caller.memory().breaker()->state(), BreakerState::closed);
}

TEST_F(Permits, a_ramping_breaker_is_asked_once_per_call) {
    const BreakerOptions ramping{.least_calls = 1, .open_for = 1s, .probes = 1, .ramp = 10s};
    Memory memory{{.breaker = ramping}};
    Breaker& breaker = *memory.breaker();
    TimePoint now = clock.now();
    breaker.record_failure(now, Admission::admitted);
    now += longest_open;
    breaker.record_success(now, 1ms, breaker.admit(now, ceiling));
    ASSERT_EQ(breaker.state(), BreakerState::ramping);
    now += 5s;  // half of the load is let in: a draw of 0.9 is not
    ListedRandom draws{{0.9, 0.1}};
    const Operation operation{};
    Progress call{memory, operation, {.now = now, .random = &draws}};
    EXPECT_EQ(call.next(now).kind, StepKind::finish);
    EXPECT_EQ(call.take_failure().stop, Stop::breaker);
    EXPECT_EQ(draws.drawn(), 1u);
}

TEST_F(Permits, an_operation_may_bring_the_breaker_of_its_shard) {
    Caller caller{{.breaker = one_probe}, {clock, ceiling}};
    Breaker* seventh = caller.breaker("orders/7");
    ASSERT_NE(seventh, nullptr);
    EXPECT_EQ(seventh, caller.breaker("orders/7"));
    seventh->record_failure(clock.now(), Admission::admitted);
    EXPECT_EQ(caller.run({.breaker = seventh}, seven).error().stop, Stop::breaker);
    EXPECT_TRUE(caller.run({.breaker = caller.breaker("orders/8")}, seven));
    EXPECT_TRUE(caller.run({}, seven));
    Caller without{{}, {clock, ceiling}};
    EXPECT_EQ(without.breaker("orders/7"), nullptr);
}

TEST(Slots, a_reserved_slot_that_was_overslept_past_the_deadline_is_not_used) {
    Transcript call{
        {.deadline = 2s, .limiter = {.kind = LimiterKind::rate, .per_second = 1, .burst = 1}}};
    EXPECT_EQ(call.memory.limiter()->enter(call.now, call.now + 1h).kind, Entry::Kind::admitted);
    EXPECT_EQ(call.next(), "wait 1000ms");
    call.took(5s);
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.progress.attempts(), 0);
    EXPECT_EQ(call.ending(), "deadline, effect none, timed_out");
}

}  // namespace
}  // namespace perdure::testing
