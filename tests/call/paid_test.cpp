// SPDX-License-Identifier: Apache-2.0
//
// Does the budget hear of every call's beginning and end, and when a paid attempt is over?
#include "transcript.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace perdure::testing {
namespace {

constexpr Failure unavailable() { return {.cause = Cause::unavailable}; }

// Room for one retry in the whole process: who does not give it back is found out by the next.
Plan one_place() {
    return {.rule = {.attempts = 3, .cost = 1},
            .budget = {.kind = BudgetKind::in_flight, .deposit = 0, .least = 1}};
}

struct Paid : ::testing::Test {
    Memory memory{one_place()};
    FixedRandom ceiling{1.0};
    const Operation read{.safety = Safety::read};
    TimePoint now{Duration{1h}};

    Setting setting() { return {.now = now, .random = &ceiling}; }
    bool free() { return memory.budget().milli_left() == 1000; }

    // Leaves the call where attempt 2, a paid retry, is about to start.
    void fail_once(Progress& call) {
        EXPECT_EQ(call.next(now).kind, StepKind::attempt);
        call.failed(1, unavailable(), Effect::none, now);
        const Step wait = call.next(now);
        EXPECT_EQ(wait.kind, StepKind::wait);
        EXPECT_FALSE(free()) << "held from the decision on, the wait included";
        now = wait.until;
    }
};

TEST_F(Paid, retries_are_over_when_they_succeed) {
    Progress call{memory, read, setting()};
    fail_once(call);
    EXPECT_EQ(call.next(now).number, 2);
    call.succeeded(2, now);
    EXPECT_TRUE(free());
}

TEST_F(Paid, retries_are_over_when_they_fail_and_the_next_one_takes_the_place) {
    Progress call{memory, read, setting()};
    fail_once(call);
    EXPECT_EQ(call.next(now).number, 2);
    call.failed(2, unavailable(), Effect::none, now);
    now = call.next(now).until;
    EXPECT_EQ(call.next(now).number, 3) << "its own place was free again";
    EXPECT_FALSE(free());
    call.failed(3, unavailable(), Effect::none, now);
    EXPECT_EQ(call.next(now).kind, StepKind::finish);
    EXPECT_TRUE(free());
}

TEST_F(Paid, retries_are_over_when_the_call_is_dropped_or_cancelled) {
    for (const bool cancel : {false, true}) {
        for (const bool started : {false, true}) {
            std::optional<Progress> call;
            call.emplace(memory, read, setting());
            fail_once(*call);
            if (started) (void)call->next(now);
            if (cancel) call->cancelled(now);
            call.reset();
            EXPECT_TRUE(free());
        }
    }
}

TEST_F(Paid, a_second_call_finds_no_place_and_ends_with_its_own_failure) {
    Progress first{memory, read, setting()};
    fail_once(first);
    Progress second{memory, read, setting()};
    EXPECT_EQ(second.next(now).number, 1);
    second.failed(1, unavailable(), Effect::none, now);
    EXPECT_EQ(second.next(now).kind, StepKind::finish);
    EXPECT_EQ(second.take_failure().stop, Stop::budget);
}

TEST(PaidHedges, hold_a_place_until_the_race_is_over) {
    Plan plan = one_place();
    plan.hedge = HedgeOptions{.after = 30ms, .extra = 2};
    Transcript call{plan, {.safety = Safety::read}, {.driving = Driving::concurrent}};
    EXPECT_EQ(call.next(), "attempt 1");
    EXPECT_EQ(call.next(), "wait 30ms");
    EXPECT_EQ(call.next(), "attempt 2");
    EXPECT_EQ(call.memory.budget().milli_left(), 0);
    EXPECT_EQ(call.next(), "wait 30ms");
    EXPECT_TRUE(call.next().starts_with("wait")) << "no place for a second copy";
    call.succeeds_in(1);
    EXPECT_EQ(call.memory.budget().milli_left(), 1000);
}

TEST(PaidRequests, pay_in_at_the_start_of_each_call_and_once) {
    Memory memory{{.rule = {.attempts = 3, .cost = 1},
                   .budget = {.kind = BudgetKind::requests, .deposit = 0.5}}};
    FixedRandom ceiling{1.0};
    const Operation read{.safety = Safety::read};
    const TimePoint now{Duration{1h}};
    for (int call = 1; call <= 4; ++call) {
        Progress progress{memory, read, {.now = now, .random = &ceiling}};
        EXPECT_EQ(progress.next(now).number, 1);
        progress.failed(1, unavailable(), Effect::none, now);
        EXPECT_EQ(progress.next(now).kind, call % 2 == 0 ? StepKind::wait : StepKind::finish)
            << "two calls pay for one retry";
    }
}

}  // namespace
}  // namespace perdure::testing
