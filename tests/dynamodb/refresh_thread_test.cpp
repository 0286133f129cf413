// SPDX-License-Identifier: Apache-2.0
//
// Does the one thread fetch when it should, only then, and end when it should?
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "credentials_home.hpp"
#include "dynamodb/refresh.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/thread_limit.hpp"
#include "refresh_stage.hpp"

namespace perdure::dynamodb {
namespace {

Keys keys_of(int call, std::optional<WallTime> expires) {
    Keys keys{"KEY" + std::to_string(call), "HUSH-secret", "HUSH-token"};
    keys.expires = expires;
    return keys;
}

class SharedCredentials : public ::testing::Test {
protected:
    [[nodiscard]] std::shared_ptr<Credentials> make(std::optional<Keys> first = {},
                                                    int told_after = 1) {
        return refreshing(script.source(told_after), {clock, ceiling}, std::move(first));
    }
    std::string id_now(Credentials& credentials) {
        const auto keys = credentials.current(clock.wall());
        return keys ? keys->id : "none";
    }
    bool becomes_id(Credentials& credentials, const std::string& id) {
        return becomes([&] { return id_now(credentials) == id; });
    }

    HandClock clock;
    testing::FixedRandom ceiling{1.0};
    std::atomic<bool> broken = false;
    Duration life = 1h;
    ScriptedKeys script{[this](int call, const Attempt&) -> Result<Keys> {
        if (broken)
            return fail({.cause = Cause::unavailable, .code = "broken", .message = "not today"});
        return keys_of(call, clock.wall() + life);
    }};
};

TEST_F(SharedCredentials, ask_nobody_before_they_are_asked) {
    const auto credentials = make();
    EXPECT_EQ(script.calls(), 0);
    EXPECT_FALSE(credentials->problem());
}

TEST_F(SharedCredentials, without_a_thread_say_so_at_once_and_try_again_at_the_next_call) {
    const auto credentials = make({}, 5);
    {
        const testing::ThreadLimit none{0};
        EXPECT_FALSE(credentials->current(clock.wall()));
    }
    const auto problem = credentials->problem();
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->code, "no-thread");
    EXPECT_TRUE(becomes_id(*credentials, "KEY1"));
    EXPECT_FALSE(credentials->problem());
}

TEST_F(SharedCredentials, give_nothing_at_first_and_keys_soon) {
    const auto credentials = make();
    (void)credentials->current(clock.wall());
    EXPECT_TRUE(becomes_id(*credentials, "KEY1"));
    EXPECT_EQ(script.calls(), 1);
}

TEST_F(SharedCredentials, are_renewed_ahead_of_expiry_though_nobody_asks) {
    const auto credentials = make();
    ASSERT_TRUE(becomes_id(*credentials, "KEY1"));
    // 15 minutes before the end, and half of the time to the mandatory window.
    const Duration due = 1h - 15min + 150s;
    EXPECT_EQ(clock.skip_for(due), due);
    EXPECT_TRUE(script.reaches(2));
    EXPECT_TRUE(becomes_id(*credentials, "KEY2"));
    EXPECT_EQ(clock.skip_for(due), due);
    EXPECT_TRUE(becomes_id(*credentials, "KEY3"));
    EXPECT_EQ(script.calls(), 3);
}

TEST_F(SharedCredentials, serve_through_failures_and_say_so_when_it_gets_serious) {
    const auto credentials = make();
    ASSERT_TRUE(becomes_id(*credentials, "KEY1"));
    broken = true;
    clock.skip_for(1h - 15min + 150s);
    ASSERT_TRUE(script.reaches(2));
    EXPECT_EQ(id_now(*credentials), "KEY1");
    EXPECT_FALSE(credentials->problem());  // noted, not more
    std::vector<Duration> pauses;
    while (clock.wall() < WallTime{std::chrono::sys_days{std::chrono::year{2026} / 11 / 16}} + 1h)
        pauses.push_back(clock.skip());
    EXPECT_EQ(pauses[0], 500ms);
    EXPECT_EQ(pauses[1], 1s);
    EXPECT_EQ(pauses[2], 2s);
    EXPECT_EQ(pauses.back(), 30s);
    EXPECT_EQ(id_now(*credentials), "none");
    ASSERT_TRUE(becomes([&] { return credentials->problem().has_value(); }));
    EXPECT_EQ(credentials->problem()->code, "broken");
    EXPECT_TRUE(says(*credentials->problem(), "from a script: not today"));
    EXPECT_TRUE(tells_no_secret(*credentials->problem()));
    broken = false;
    clock.skip();
    EXPECT_TRUE(becomes([&] { return id_now(*credentials) != "none"; }));
    EXPECT_FALSE(credentials->problem());
}

TEST_F(SharedCredentials, that_the_service_refuses_are_fetched_once_however_many_say_so) {
    const auto credentials = make();
    ASSERT_TRUE(becomes_id(*credentials, "KEY1"));
    const auto refused = credentials->current(clock.wall());
    clock.skip_for(1min);  // they were good for a while
    std::vector<std::jthread> callers;
    for (int i = 0; i < 8; ++i)
        callers.emplace_back([&] {
            for (int n = 0; n < 100; ++n) credentials->renew(*refused);
        });
    callers.clear();
    EXPECT_TRUE(becomes_id(*credentials, "KEY2"));
    for (int n = 0; n < 100; ++n) credentials->renew(*refused);
    EXPECT_EQ(id_now(*credentials), "KEY2");
    EXPECT_EQ(script.calls(), 2);
}

TEST_F(SharedCredentials, with_keys_to_begin_with_start_no_thread_until_one_is_needed) {
    life = never / 2;
    const auto credentials = make(keys_of(0, std::nullopt));
    EXPECT_EQ(id_now(*credentials), "KEY0");
    EXPECT_EQ(script.calls(), 0);
    clock.jump(1min);
    credentials->renew(*credentials->current(clock.wall()));
    EXPECT_TRUE(becomes_id(*credentials, "KEY1"));
}

TEST_F(SharedCredentials, notice_when_the_machine_has_slept_past_their_expiry) {
    const auto credentials = make();
    ASSERT_TRUE(becomes_id(*credentials, "KEY1"));
    clock.jump(3h);
    (void)credentials->current(clock.wall());
    EXPECT_TRUE(becomes_id(*credentials, "KEY2"));
    EXPECT_FALSE(credentials->problem());
}

TEST_F(SharedCredentials, are_not_fetched_for_a_caller_whose_clock_is_ahead) {
    const auto credentials = make();
    ASSERT_TRUE(becomes_id(*credentials, "KEY1"));
    for (int n = 0; n < 1000; ++n) (void)credentials->current(clock.wall() + 50min);
    EXPECT_EQ(script.calls(), 1);
}

TEST(RefreshingSource, that_gives_expired_keys_is_a_problem_and_not_keys) {
    HandClock clock;
    testing::FixedRandom ceiling{1.0};
    ScriptedKeys script{
        [&](int call, const Attempt&) -> Result<Keys> { return keys_of(call, clock.wall() - 1s); }};
    const auto credentials = refreshing(script.source(), {clock, ceiling});
    EXPECT_EQ(credentials->current(clock.wall()), nullptr);
    ASSERT_TRUE(becomes([&] { return credentials->problem().has_value(); }));
    EXPECT_EQ(credentials->current(clock.wall()), nullptr);
    EXPECT_EQ(credentials->problem()->code, "expired-credentials");
    EXPECT_TRUE(says(*credentials->problem(), "clock"));
    EXPECT_TRUE(tells_no_secret(*credentials->problem()));
}

TEST(RefreshingSource, that_does_not_answer_does_not_hold_the_end_up) {
    ScriptedKeys script{[](int, const Attempt& attempt) -> Result<Keys> {
        std::mutex mutex;
        std::condition_variable_any never_told;
        std::unique_lock held{mutex};
        never_told.wait(held, attempt.stop(), [] { return false; });
        return fail({.cause = Cause::cancelled});
    }};
    const auto credentials = refreshing(script.source(), {});
    EXPECT_EQ(credentials->current(system_clock().wall()), nullptr);
    EXPECT_TRUE(script.reaches(1));
}

TEST(RefreshingSource, that_fails_does_not_hold_the_end_up_between_two_tries) {
    HandClock clock;  // on which nobody moves the time
    testing::FixedRandom ceiling{1.0};
    ScriptedKeys script{[](int, const Attempt&) -> Result<Keys> {
        return fail({.cause = Cause::forbidden, .message = "no"});
    }};
    const auto credentials = refreshing(script.source(3), {clock, ceiling});
    (void)credentials->current(clock.wall());
    EXPECT_TRUE(becomes([&] { return credentials->problem().has_value(); }));  // at once: forbidden
    EXPECT_EQ(script.calls(), 1);
    EXPECT_EQ(clock.skip(), 500ms);  // and yet it is tried again
    EXPECT_TRUE(script.reaches(2));
}

}  // namespace
}  // namespace perdure::dynamodb
