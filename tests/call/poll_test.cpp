// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/poll.hpp"

#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/scripted.hpp"
#include "perdure/testing/virtual_clock.hpp"

#include <gtest/gtest.h>

namespace perdure::testing {
namespace {

using Seen = std::optional<int>;

struct Polling : ::testing::Test {
    VirtualClock clock;
    FixedRandom ceiling{1.0};
    Caller caller{
        {.name = "tables", .deadline = 60s, .budget = {.kind = BudgetKind::fixed, .capacity = 2}},
        {clock, ceiling}};
};

TEST_F(Polling, asks_until_it_is_there_and_costs_no_tokens) {
    Scripted<Seen> service{{succeeds(Seen{}), succeeds(Seen{}), succeeds(Seen{}), succeeds(Seen{}),
                            succeeds(Seen{}), succeeds(Seen{}), succeeds(Seen{8})}};
    const Result<int> there = poll_until(caller, {.every = 2s}, service);
    ASSERT_TRUE(there);
    EXPECT_EQ(*there, 8);
    EXPECT_EQ(clock.naps(), std::vector<Duration>(6, 2s));
    EXPECT_EQ(caller.budget().milli_left(), 2'000);
}

TEST_F(Polling, may_double_its_pauses_up_to_the_longest) {
    Scripted<Seen> service{{succeeds(Seen{}), succeeds(Seen{}), succeeds(Seen{}), succeeds(Seen{}),
                            succeeds(Seen{1})}};
    EXPECT_TRUE(poll_until(caller, {.every = 1s, .factor = 2, .longest = 3s}, service));
    EXPECT_EQ(clock.naps(), (std::vector<Duration>{1s, 2s, 3s, 3s}));
}

TEST_F(Polling, that_meets_the_deadline_says_not_yet) {
    Scripted<Seen> service{{succeeds(Seen{})}};
    const TimePoint start = clock.now();
    const auto result = poll_until(caller, {.every = 25s}, service);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().stop, Stop::deadline);
    EXPECT_EQ(result.error().code, "not-yet");
    EXPECT_EQ(result.error().dependency, "tables");
    EXPECT_EQ(result.error().effect, Effect::none);
    EXPECT_EQ(result.error().attempts, 3);
    EXPECT_LE(clock.now() - start, 60s);
}

TEST_F(Polling, pays_for_failed_questions_from_the_caller_s_budget) {
    Scripted<Seen> service{
        {fails(Cause::unavailable), succeeds(Seen{}), fails(Cause::unavailable)}};
    const auto result = poll_until(caller, {.every = 1s}, service);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().stop, Stop::budget);
    EXPECT_EQ(caller.budget().milli_left(), 600);
    EXPECT_EQ(service.attempts().size(), 3u);
}

TEST_F(Polling, ends_at_once_when_the_question_is_wrong_or_the_caller_wants_out) {
    Scripted<Seen> wrong{{fails(Cause::forbidden)}};
    EXPECT_EQ(poll_until(caller, {}, wrong).error().stop, Stop::permanent);

    std::stop_source source;
    clock.at(clock.now() + 1500ms, [&] { source.request_stop(); });
    Scripted<Seen> service{{succeeds(Seen{})}};
    const TimePoint start = clock.now();
    EXPECT_EQ(poll_until(caller, {.every = 1s, .stop = source.get_token()}, service).error().stop,
              Stop::cancelled);
    EXPECT_EQ(clock.now() - start, 1500ms);
}

}  // namespace
}  // namespace perdure::testing
