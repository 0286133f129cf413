// SPDX-License-Identifier: Apache-2.0
//
// The one-liner and its neighbours: catching, or_throw, fall_back.
#include "perdure/call/retry.hpp"

#include "perdure/call/catching.hpp"
#include "perdure/call/fallback.hpp"
#include "perdure/call/or_throw.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/scripted.hpp"
#include "perdure/testing/virtual_clock.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace perdure::testing {
namespace {

struct OneLine : ::testing::Test {
    VirtualClock clock;
    FixedRandom ceiling{1.0};
    Caller caller{{}, {clock, ceiling}};
    int calls = 0;
};

TEST_F(OneLine, understands_bool) {
    const Result<void> mended = retry(caller, [&] { return ++calls == 3; });
    EXPECT_TRUE(mended);
    EXPECT_EQ(calls, 3);
    const Result<void> broken = retry(caller, [] { return false; });
    EXPECT_EQ(broken.error().message, "returned false");
    EXPECT_EQ(broken.error().stop, Stop::attempts);
}

TEST_F(OneLine, understands_optional) {
    const Result<int> found = retry(caller, [&]() -> std::optional<int> {
        return ++calls == 2 ? std::optional{5} : std::nullopt;
    });
    EXPECT_EQ(*found, 5);
    EXPECT_FALSE(retry(caller, []() -> std::optional<int> { return std::nullopt; }));
}

TEST_F(OneLine, understands_error_code) {
    EXPECT_TRUE(retry(caller, [&] {
        return ++calls == 2 ? std::error_code{} : std::make_error_code(std::errc::timed_out);
    }));
    calls = 0;
    const Result<void> denied = retry(caller, [&] {
        ++calls;
        return std::make_error_code(std::errc::permission_denied);
    });
    EXPECT_EQ(denied.error().cause, Cause::forbidden);
    EXPECT_EQ(denied.error().status, static_cast<int>(std::errc::permission_denied));
    EXPECT_EQ(calls, 1);
}

TEST_F(OneLine, understands_result_values_and_void) {
    EXPECT_EQ(*retry(caller, []() -> Result<int> { return 4; }), 4);
    EXPECT_EQ(*retry(caller, [] { return std::string{"plain"}; }), "plain");
    const Result<void> nothing = retry(caller, [&] { ++calls; });
    EXPECT_TRUE(nothing);
    EXPECT_EQ(*retry(caller, [](const Attempt& attempt) { return attempt.number; }), 1);
}

TEST_F(OneLine, repeats_what_throws_because_the_name_says_that_it_is_harmless) {
    const Result<int> value = retry(caller, [&]() -> int {
        if (++calls < 3) throw std::runtime_error{"flaky"};
        return 9;
    });
    EXPECT_EQ(*value, 9);
    EXPECT_EQ(clock.naps(), (std::vector<Duration>{50ms, 100ms}));
    const Result<void> always = retry(caller, [] { throw std::runtime_error{"flaky"}; });
    EXPECT_EQ(always.error().message, "flaky");
    EXPECT_EQ(always.error().attempts, 4);
}

TEST_F(OneLine, with_a_plan_or_without_has_the_process_s_own_clock) {
    EXPECT_EQ(*retry([] { return 1; }), 1);
    EXPECT_EQ(*retry(Plan{.name = "page"}, [] { return 2; }), 2);
    EXPECT_EQ(retry(Plan{.name = ""}, [] { return 2; }).error().code, "invalid-plan");
}

TEST_F(OneLine, catching_repeats_what_classify_calls_repeatable) {
    const auto classify = [](const std::exception& e) {
        return Failure{.cause = std::string_view{e.what()} == "busy" ? Cause::throttled
                                                                     : Cause::invalid};
    };
    auto work = catching(classify, [&]() -> int {
        if (++calls == 1) throw std::runtime_error{"busy"};
        if (calls == 2) throw std::runtime_error{"wrong"};
        return 1;
    });
    const Result<int> result = caller.run({}, work);
    ASSERT_FALSE(result);
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(result.error().cause, Cause::invalid);
    EXPECT_EQ(result.error().first_cause, Cause::throttled);
}

TEST_F(OneLine, catching_keeps_a_failure_that_was_thrown_and_lets_strangers_pass) {
    auto work = catching(classify_exception, [](const Attempt&) -> Result<int> {
        throw FailureError{{.cause = Cause::conflict, .code = "409"}};
    });
    EXPECT_EQ(caller.run({}, work).error().code, "409");
    EXPECT_THROW((void)caller.run({}, catching(classify_exception, []() -> int { throw 5; })), int);
}

TEST(Classify, exceptions_by_their_kind) {
    const auto cause = [](const std::exception& e) { return classify_exception(e).cause; };
    EXPECT_EQ(cause(std::runtime_error{"?"}), Cause::internal);
    EXPECT_EQ(classify_exception(std::runtime_error{"?"}).effect, Effect::unknown);
    EXPECT_EQ(cause(std::invalid_argument{"?"}), Cause::invalid);
    EXPECT_EQ(cause(std::bad_alloc{}), Cause::invalid);
    const auto system = [](std::errc code) {
        return std::system_error{std::make_error_code(code)};
    };
    EXPECT_EQ(cause(system(std::errc::connection_reset)), Cause::unavailable);
    EXPECT_EQ(cause(system(std::errc::too_many_files_open)), Cause::exhausted);
    EXPECT_EQ(cause(system(std::errc::operation_canceled)), Cause::cancelled);
    EXPECT_EQ(classify_exception(system(std::errc::connection_reset)).effect, Effect::unknown);
    EXPECT_EQ(classify_exception(system(std::errc::connection_refused)).effect, Effect::none)
        << "known before anything was sent";
}

TEST(OrThrow, gives_the_value_or_throws_the_failure) {
    EXPECT_EQ(or_throw(Result<int>{3}), 3);
    or_throw(Result<void>{});
    try {
        or_throw(Result<int>{fail({.cause = Cause::throttled, .code = "429"})});
        FAIL() << "nothing was thrown";
    } catch (const FailureError& error) {
        EXPECT_EQ(error.failure().code, "429");
        EXPECT_STREQ(error.what(), "throttled, effect none, code 429");
    }
    EXPECT_THROW(or_throw(Result<void>{fail({})}), FailureError);
}

TEST(FallBack, gives_a_substitute_but_hides_no_unknown_effect) {
    const auto nine = [](const Failure&) { return 9; };
    const auto failing = [](Effect effect) {
        return Result<int>{fail({.cause = Cause::timed_out, .effect = effect})};
    };
    EXPECT_EQ(*fall_back(Result<int>{3}, nine), 3);
    EXPECT_EQ(*fall_back(failing(Effect::none), nine), 9);
    EXPECT_FALSE(fall_back(failing(Effect::unknown), nine));
    EXPECT_FALSE(fall_back(failing(Effect::applied), nine));
    EXPECT_EQ(*fall_back(failing(Effect::unknown), nine, FallBack::whatever_happened), 9);
}

TEST_F(OneLine, a_substitute_may_fail_itself_and_sees_why) {
    const auto worse = [](const Failure& failure) -> Result<int> {
        return fail({.cause = Cause::not_found, .message = std::string{to_string(failure.cause)}});
    };
    Scripted<int> service{{fails(Cause::throttled)}};
    const auto result = fall_back(caller.run({}, service), worse);
    EXPECT_EQ(result.error().message, "throttled");
}

Result<void> dead() { return fail({.cause = Cause::overloaded, .message = "dead"}); }

// The attempts of the last of these calls. A full budget pays for the six retries of two calls that
// fail. On the real clock, because retry() without a caller has no other; it waits 0.2 s for a call.
template <class Call>
int attempts_of_call(int number, const Call& call) {
    for (int before = 1; before < number; ++before) (void)call();
    return call().error().attempts;
}

TEST(OneLineBudget, of_two_failing_functions_takes_no_attempts_from_a_third) {
    const auto first = [] { return retry([] { return dead(); }); };
    const auto second = [] { return retry(dead); };
    const auto third = [] { return retry(dead); };
    EXPECT_EQ(attempts_of_call(3, first), 1) << "its own budget is empty";
    EXPECT_EQ(attempts_of_call(1, second), 4);
    EXPECT_EQ(attempts_of_call(1, third), 4);
}

TEST(OneLineBudget, is_shared_by_name) {
    const auto here = [] { return retry("one-line-shared", dead); };
    const auto there = [] { return retry("one-line-shared", [] { return dead(); }); };
    EXPECT_EQ(attempts_of_call(3, here), 1);
    const Result<void> failed = there();
    EXPECT_EQ(failed.error().attempts, 1);
    EXPECT_EQ(failed.error().stop, Stop::budget);
    EXPECT_EQ(failed.error().dependency, "one-line-shared");
}

TEST(OneLineBudget, names_the_place_in_the_source_as_the_dependency) {
    const unsigned line = __LINE__ + 1;
    const auto failed = retry([]() -> Result<void> { return fail({.cause = Cause::invalid}); });
    EXPECT_EQ(failed.error().dependency, "retry retry_test.cpp:" + std::to_string(line));
}

// The type counts too: a helper that is a template has one line and many users.
TEST(OneLineBudget, is_one_for_each_place_and_type_of_work_however_often_it_is_called) {
    const CallSite site = CallSite::here();
    EXPECT_EQ(&callers.get(site.of<int>()), &callers.get(site.of<int>()));
    EXPECT_NE(&callers.get(site.of<int>()), &callers.get(site.of<long>()));
    EXPECT_NE(&callers.get(site), &callers.get(CallSite::here()));
}

}  // namespace
}  // namespace perdure::testing
