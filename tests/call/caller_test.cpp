// SPDX-License-Identifier: Apache-2.0
//
// The blocking driver on a virtual clock: what a user of Caller::run sees.
#include "perdure/call/caller.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/scripted.hpp"
#include "perdure/testing/virtual_clock.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <vector>

namespace perdure::testing {
namespace {

TEST(Retry, doubles_its_wait_up_to_the_cap_and_never_sleeps_past_the_deadline) {
    VirtualClock clock;
    FixedRandom ceiling{1.0};
    Caller caller{
        {.deadline = 1s, .rule = {.attempts = 9, .backoff = {.base = 100ms, .cap = 400ms}}},
        {clock, ceiling}};
    const auto result = caller.run({.name = "probe"}, [](const Attempt&) -> Result<int> {
        return fail({.cause = Cause::throttled});
    });
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().cause, Cause::throttled);
    EXPECT_EQ(result.error().stop, Stop::deadline);
    EXPECT_EQ(clock.naps(), (std::vector<Duration>{100ms, 200ms, 400ms}));
}

struct Calling : ::testing::Test {
    VirtualClock clock;
    FixedRandom ceiling{1.0};
    Caller caller{{.name = "service"}, {clock, ceiling}};
    std::stop_source source;
    const TimePoint start = clock.now();
};

TEST_F(Calling, a_success_comes_back_at_once_and_leaves_a_latency) {
    Scripted<int> service{{succeeds(7).takes(3ms)}, clock};
    const auto result = caller.run({}, service);
    ASSERT_TRUE(result);
    EXPECT_EQ(*result, 7);
    EXPECT_TRUE(clock.naps().empty());
    EXPECT_EQ(caller.latencies().count(), 1u);
    EXPECT_NEAR(static_cast<double>(caller.latencies().quantile(0.5)->count()), 3e6, 3e4);
    EXPECT_EQ(caller.counts(), CallCounts{});
}

TEST_F(Calling, work_may_take_the_attempt_or_nothing_and_give_any_type) {
    EXPECT_EQ(*caller.run({}, []() -> Result<std::string> { return "text"; }), "text");
    EXPECT_TRUE(caller.run({}, [](const Attempt&) -> Result<void> { return {}; }));
    auto moved =
        caller.run({}, []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(3); });
    EXPECT_EQ(**moved, 3);
}

TEST_F(Calling, the_attempt_knows_its_clock_and_its_time_left) {
    (void)caller.run({}, [&](const Attempt& attempt) -> Result<int> {
        EXPECT_EQ(attempt.number, 1);
        EXPECT_EQ(attempt.time_left(), Duration{10s} / 3);
        EXPECT_EQ(attempt.call_deadline.at(), start + 10s);
        clock.advance(1s);
        EXPECT_EQ(attempt.time_left(), Duration{10s} / 3 - 1s);
        clock.advance(10s);
        EXPECT_EQ(attempt.time_left(), 0s);
        return 1;
    });
    EXPECT_EQ(Attempt{}.time_left(), never);
    EXPECT_FALSE(Attempt{}.stop().stop_possible());
}

TEST_F(Calling, an_operation_may_have_a_tighter_deadline_of_its_own) {
    Scripted<int> service{{fails(Cause::throttled).takes(30ms)}, clock};
    const auto result = caller.run({.deadline = Deadline{start + 100ms}}, service);
    EXPECT_EQ(result.error().stop, Stop::deadline);
    EXPECT_EQ(service.attempts().at(0).call_deadline.at(), start + 100ms);
    EXPECT_EQ(service.attempts().size(), 2u) << "30 + 50 + 30 ms; another 100 ms do not fit";
    EXPECT_LE(clock.now() - start, 110ms);
}

TEST_F(Calling, cancelling_during_a_sleep_ends_it_at_once) {
    Scripted<int> service{{fails({.cause = Cause::throttled, .retry_after = 5s})}};
    clock.at(start + 2s, [&] { source.request_stop(); });
    const auto result = caller.run({.stop = source.get_token()}, service);
    ASSERT_FALSE(result);
    EXPECT_EQ(clock.now() - start, 2s);
    EXPECT_EQ(result.error().stop, Stop::cancelled);
    EXPECT_EQ(result.error().cause, Cause::cancelled);
    EXPECT_EQ(result.error().effect, Effect::none);
    EXPECT_EQ(result.error().first_cause, Cause::throttled);
    EXPECT_EQ(result.error().attempts, 1);
}

TEST_F(Calling, what_was_cancelled_before_it_began_is_not_attempted_and_had_no_effect) {
    source.request_stop();
    Scripted<int> service{{succeeds(1)}};
    const auto result = caller.run({.stop = source.get_token()}, service);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().stop, Stop::cancelled);
    EXPECT_EQ(result.error().effect, Effect::none);
    EXPECT_EQ(result.error().attempts, 0);
    EXPECT_TRUE(service.attempts().empty());
}

TEST_F(Calling, a_success_counts_although_the_caller_wanted_out_meanwhile) {
    const auto result =
        caller.run({.stop = source.get_token()}, [&](const Attempt& attempt) -> Result<int> {
            source.request_stop();
            EXPECT_TRUE(attempt.stop().stop_requested());
            return 1;
        });
    EXPECT_TRUE(result);
}

TEST_F(Calling, an_unknown_outcome_stays_unknown_when_the_caller_wants_out) {
    const auto result = caller.run({.safety = Safety::idempotent, .stop = source.get_token()},
                                   [&]() -> Result<int> {
                                       source.request_stop();
                                       return fail({.cause = Cause::timed_out});
                                   });
    EXPECT_EQ(result.error().stop, Stop::cancelled);
    EXPECT_EQ(result.error().effect, Effect::unknown);
    EXPECT_TRUE(clock.naps().empty());
}

TEST_F(Calling, exceptions_pass_through_untouched_and_are_never_repeated) {
    Scripted<int> service{{throws(std::out_of_range{"index 9"}), succeeds(1)}};
    try {
        (void)caller.run({.safety = Safety::read}, service);
        FAIL() << "nothing was thrown";
    } catch (const std::out_of_range& thrown) {
        EXPECT_STREQ(thrown.what(), "index 9");
    }
    EXPECT_EQ(service.attempts().size(), 1u);
    EXPECT_EQ(caller.counts(), CallCounts{});
    Scripted<int> later{{fails(Cause::throttled), throws(7)}};
    EXPECT_THROW((void)caller.run({}, later), int);
    EXPECT_EQ(later.attempts().size(), 2u);
}

TEST_F(Calling, a_resolver_gives_the_value_of_an_attempt_whose_answer_was_lost) {
    Scripted<int> service{{fails(Cause::timed_out), succeeds(1)}};
    Scripted<Landed<int>> resolver{{fails(Cause::unavailable),
                                    succeeds(Landed<int>::pending(100ms)),
                                    succeeds(Landed<int>::yes(42))}};
    const auto result = caller.run({}, service, resolver);
    ASSERT_TRUE(result);
    EXPECT_EQ(*result, 42);
    EXPECT_EQ(service.attempts().size(), 1u);
    EXPECT_EQ(resolver.attempts().size(), 3u);
    EXPECT_EQ(resolver.attempts()[0].deadline.at(), start + 10s);
    EXPECT_EQ(clock.naps(), (std::vector<Duration>{100ms, 200ms}));
}

TEST_F(Calling, a_resolver_s_no_lets_the_operation_run_again) {
    Scripted<void> service{{fails(Cause::timed_out), succeeds()}};
    Scripted<Landed<void>> resolver{{succeeds(Landed<void>::no())}};
    EXPECT_TRUE(caller.run({}, service, resolver));
    EXPECT_EQ(service.attempts().size(), 2u);
    EXPECT_EQ(caller.counts().resolved_no, 1u);
    EXPECT_EQ(caller.counts().retries_helped, 1u);

    Scripted<void> lost{{fails(Cause::timed_out)}};
    Scripted<Landed<void>> landed{{succeeds(Landed<void>::yes())}};
    EXPECT_TRUE(caller.run({}, lost, landed));
}

TEST_F(Calling, remedies_are_applied_before_the_next_attempt) {
    std::vector<std::string> story;
    const auto prepare = [&](RemedySet remedies, const Attempt& attempt) -> Result<void> {
        story.push_back("prepare " + to_string(remedies) + " before " +
                        std::to_string(attempt.number));
        EXPECT_EQ(attempt.call_deadline.at(), start + 10s);
        return {};
    };
    const auto result =
        caller.run({.prepare = prepare}, [&](const Attempt& attempt) -> Result<int> {
            story.push_back("attempt " + std::to_string(attempt.number));
            if (attempt.number == 1) return fail({.cause = Cause::credentials});
            EXPECT_EQ(attempt.remedies, Remedy::refresh_credentials);
            return 1;
        });
    EXPECT_TRUE(result);
    EXPECT_EQ(story, (std::vector<std::string>{"attempt 1", "prepare refresh_credentials before 2",
                                               "attempt 2"}));
}

TEST_F(Calling, a_plan_with_problems_is_refused_before_the_work_is_called) {
    Caller unsound{{.name = "", .deadline = 0s, .rule = {.attempts = -1}}, {clock, ceiling}};
    Scripted<int> service{{succeeds(1)}};
    const auto result = unsound.run({}, service);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, "invalid-plan");
    EXPECT_EQ(result.error().stop, Stop::permanent);
    for (const char* field : {"name", "deadline", "rule.attempts"})
        EXPECT_NE(result.error().message.find(field), std::string::npos) << result.error().message;
    EXPECT_TRUE(service.attempts().empty());
}

TEST_F(Calling, hedging_needs_a_driver_that_holds_two_attempts) {
    Caller hedging{{.hedge = HedgeOptions{.after = 1ms}}, {clock, ceiling}};
    Scripted<int> service{{succeeds(1).takes(2s)}, clock};
    EXPECT_TRUE(hedging.run({.safety = Safety::read}, service));
    EXPECT_EQ(service.attempts().size(), 1u);
}

TEST_F(Calling, counts_say_whether_retrying_helped) {
    Scripted<int> helped{{fails(Cause::throttled), fails(Cause::throttled), succeeds(1)}};
    EXPECT_TRUE(caller.run({}, helped));
    Scripted<int> wasted{{fails(Cause::throttled)}};
    EXPECT_FALSE(caller.run({}, wasted));
    Scripted<int> final{{fails(Cause::invalid)}};
    EXPECT_FALSE(caller.run({}, final));
    Scripted<int> unknown{{fails(Cause::timed_out)}};
    EXPECT_FALSE(caller.run({}, unknown));
    const CallCounts counts = caller.counts();
    EXPECT_EQ(counts.retries_made, 2u + 3u);
    EXPECT_EQ(counts.retries_helped, 1u);
    EXPECT_EQ(counts.retries_wasted, 1u);
    EXPECT_EQ(counts.calls_failed, 3u);
    EXPECT_EQ(counts.unknown_outcomes, 1u);
    EXPECT_EQ(counts.attempts_timed_out, 1u);
    EXPECT_EQ(caller.latencies().count(), 1u);
    EXPECT_EQ(caller.memory().first_successes(), 0u);
    Scripted<int> fine{{succeeds(1)}};
    EXPECT_TRUE(caller.run({}, fine));
    EXPECT_EQ(caller.memory().first_successes(), 1u);
}

TEST_F(Calling, callers_may_share_a_budget) {
    Plan plan{.name = "a", .budget = {.kind = BudgetKind::fixed, .capacity = 0.5}};
    Caller first{plan, {clock, ceiling}};
    plan.name = "b";
    plan.shared_budget = {std::shared_ptr<void>{}, &first.budget()};
    Caller second{plan, {clock, ceiling}};
    Scripted<int> service{{fails(Cause::throttled)}};
    EXPECT_EQ(second.run({}, service).error().attempts, 2);
    EXPECT_EQ(first.run({}, service).error().stop, Stop::budget);
}

TEST_F(Calling, callers_that_share_a_budget_make_no_tokens_by_taking_turns) {
    Caller busy{{.name = "busy"}, {clock, ceiling}};
    Plan plan{.name = "quiet"};
    plan.shared_budget = {std::shared_ptr<void>{}, &busy.budget()};
    Caller quiet{plan, {clock, ceiling}};
    const int start_tokens = busy.budget().milli_left();
    Scripted<int> fine{{succeeds(1)}};
    for (int i = 0; i < 30; ++i) EXPECT_TRUE(busy.run({}, fine));
    for (int turn = 0; turn < 5; ++turn) {
        for (Caller* each : {&busy, &quiet}) {
            clock.advance(2s);
            Scripted<int> mended{{fails(Cause::throttled), succeeds(1)}};  // its cost comes back
            EXPECT_TRUE(each->run({}, mended));
            EXPECT_LE(busy.budget().milli_left(), start_tokens + 30 * 100);
        }
    }
}

}  // namespace
}  // namespace perdure::testing
