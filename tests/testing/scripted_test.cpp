// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/caller.hpp"
#include "perdure/testing/fail_nth.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/scripted.hpp"
#include "perdure/try.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace perdure::testing {
namespace {

const Operation idempotent{.safety = Safety::idempotent};

struct ScriptedService : ::testing::Test {
    VirtualClock clock;
    FixedRandom ceiling{1.0};
    Caller caller{{.rule = {.attempts = 4}}, {clock, ceiling}};
};

TEST_F(ScriptedService, plays_its_lines_one_attempt_each) {
    Scripted<int> service{
        {fails(Cause::throttled), fails({.cause = Cause::timed_out, .code = "slow"}), succeeds(7)}};
    EXPECT_FALSE(service.ended());
    const auto result = caller.run(idempotent, service);
    ASSERT_TRUE(result);
    EXPECT_EQ(*result, 7);
    EXPECT_TRUE(service.ended());
    EXPECT_EQ(clock.naps(), (std::vector<Duration>{50ms, 100ms}));
}

TEST_F(ScriptedService, remembers_what_each_attempt_looked_like) {
    Scripted<int> service{{fails(Cause::wrong_region), succeeds(1)}};
    const TimePoint start = clock.now();
    EXPECT_TRUE(caller.run(idempotent, service));
    const auto& [first, second] = std::pair{service.attempts().at(0), service.attempts().at(1)};
    EXPECT_EQ(first.number, 1);
    EXPECT_EQ(first.deadline.at(), start + Duration{10s} / 3);
    EXPECT_EQ(first.call_deadline.at(), start + 10s);
    EXPECT_TRUE(first.remedies.empty());
    EXPECT_EQ(second.number, 2);
    EXPECT_EQ(second.remedies, Remedy::refresh_routing_account | Remedy::next_endpoint);
    EXPECT_EQ(second.endpoint, 1);
    EXPECT_EQ(second.deadline.at(), start + 50ms + Duration{10s} / 3);
}

TEST_F(ScriptedService, takes_its_time_on_a_virtual_clock) {
    Scripted<std::string> service{
        {fails(Cause::timed_out).takes(200ms), succeeds("late").takes(1s)}, clock};
    const TimePoint start = clock.now();
    const auto result = caller.run(idempotent, service);
    EXPECT_EQ(*result, "late");
    EXPECT_EQ(clock.now() - start, 200ms + 50ms + 1s);
}

TEST_F(ScriptedService, repeats_its_last_line_or_what_was_said_for_afterwards) {
    Scripted<int> stuck{{fails(Cause::throttled)}};
    EXPECT_FALSE(caller.run(idempotent, stuck));
    EXPECT_EQ(stuck.attempts().size(), 4u);

    Scripted<int> mended{{fails(Cause::throttled)}};
    mended.afterwards(succeeds(3));
    EXPECT_EQ(*caller.run(idempotent, mended), 3);
    EXPECT_EQ(*caller.run(idempotent, mended), 3);
    EXPECT_EQ(mended.attempts().size(), 3u);
}

TEST_F(ScriptedService, may_return_nothing_and_may_throw) {
    Scripted<void> service{
        {fails(Cause::throttled), succeeds(), throws(std::runtime_error{"boom"})}};
    EXPECT_TRUE(caller.run({}, service));
    EXPECT_THROW((void)caller.run({}, service), std::runtime_error);
}

// Three steps, any of which may fail; what is tested is that each failure is handed up.
Result<int> three_steps(FailNth& faults) {
    for (int step = 0; step < 3; ++step) PERDURE_TRY(faults.check());
    return 3;
}

TEST(FailNth, fails_the_nth_call_only) {
    for (std::uint64_t nth = 1;; ++nth) {
        FailNth faults{nth, {.cause = Cause::unavailable, .code = "injected"}};
        const auto result = three_steps(faults);
        EXPECT_EQ(result.has_value(), nth > 3);
        EXPECT_EQ(faults.calls(), std::min<std::uint64_t>(nth, 3));
        if (!faults.failed()) break;
        EXPECT_EQ(result.error().code, "injected");
        EXPECT_TRUE(three_steps(faults)) << "later calls do not fail";
        ASSERT_LT(nth, 10u);
    }
}

TEST(FailNth, of_zero_never_fails) {
    FailNth faults{0, {}};
    for (int i = 0; i < 5; ++i) EXPECT_EQ(faults.next(), std::nullopt);
    EXPECT_FALSE(faults.failed());
}

TEST(FailNthThreads, one_of_many_threads_meets_the_failure) {
    FailNth faults{2000, {.cause = Cause::internal}};
    std::atomic<int> met{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int call = 0; call < 1000; ++call)
                if (faults.next()) ++met;
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(met, 1);
    EXPECT_EQ(faults.calls(), 4000u);
}

}  // namespace
}  // namespace perdure::testing
