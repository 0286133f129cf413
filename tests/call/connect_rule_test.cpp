// SPDX-License-Identifier: Apache-2.0
//
// How long is a server waited for that cannot be reached, and what does it cost? (Plan::connect)
#include <gtest/gtest.h>

#include <string>

#include "transcript.hpp"

namespace perdure::testing {
namespace {

const Failure refused{.cause = Cause::unavailable, .effect = Effect::none, .rule = "connect"};

// How long until the call ends, when nobody ever listens.
Duration gives_up_after(Transcript& call) {
    const TimePoint began = call.now;
    for (std::string step = call.next(); step != "finish"; step = call.next())
        if (step.starts_with("attempt")) call.fails(refused);
    return call.now - began;
}

TEST(ConnectRule, ends_with_the_deadline_and_pays_nothing) {
    Transcript call{{}, get_operation};
    const int before = call.memory.budget().milli_left();
    const Duration took = gives_up_after(call);
    EXPECT_GT(took, 8s);
    EXPECT_LE(took, 10s);
    EXPECT_EQ(call.ending(), "deadline, effect none, unavailable");
    EXPECT_EQ(call.memory.budget().milli_left(), before);
}

TEST(ConnectRule, ends_after_thirty_seconds_where_there_is_no_deadline) {
    Transcript call{{.deadline = never}, get_operation};
    const Duration took = gives_up_after(call);
    EXPECT_GT(took, 28s);
    EXPECT_LE(took, 30s);
    EXPECT_EQ(call.ending(), "window, effect none, unavailable");
}

TEST(ConnectRule, goes_by_the_deadline_of_the_call_where_the_plan_has_none) {
    Transcript call{{.deadline = never},
                    {.name = "get",
                     .safety = Safety::read,
                     .deadline = Deadline{TimePoint{Duration{1h}} + 5min}}};
    const Duration took = gives_up_after(call);
    EXPECT_GT(took, 4min);
    EXPECT_LE(took, 5min);
}

TEST(ConnectRule, is_one_attempt_where_the_plan_wants_one) {
    // One attempt is what is tested.
    Transcript call{{.rule = {.attempts = 1}}, get_operation};
    EXPECT_EQ(gives_up_after(call), 0ms);
    EXPECT_EQ(call.ending(), "attempts, effect none, unavailable");
}

TEST(ConnectRule, uses_up_no_attempt_of_another_rule) {
    Transcript call{{}, get_operation};
    for (int number = 1; number <= 6; ++number) {
        EXPECT_EQ(call.next(), "attempt " + std::to_string(number));
        call.fails(refused);
        EXPECT_TRUE(call.next().starts_with("wait"));
    }
    EXPECT_EQ(call.next(), "attempt 7");
    call.fails({.cause = Cause::throttled});
    EXPECT_EQ(call.next(), "wait 50ms") << "the default rule's first retry";
}

}  // namespace
}  // namespace perdure::testing
