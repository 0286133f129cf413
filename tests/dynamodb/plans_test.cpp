// SPDX-License-Identifier: Apache-2.0
//
// Do the plans repeat what they say, as often as they say, and the SDKs' plans nothing that the SDKs do
// not?
#include "perdure/dynamodb/plans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "perdure/call/caller.hpp"
#include "perdure/dynamodb/classify.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/virtual_clock.hpp"

namespace perdure::dynamodb {
namespace {

using perdure::testing::FixedRandom;
using perdure::testing::VirtualClock;

constexpr Retries every_way[] = {Retries::perdure, Retries::aws_2026, Retries::aws_2020,
                                 Retries::legacy, Retries::fail_fast};

Failure failure_of(std::string_view code, int status = 400) {
    const ServiceError error{.code = std::string{code}};
    return classify({.status = status, .error = &error, .operation = "CreateTable"});
}

// What becomes of a call that meets the same failure every time.
struct Outcome {
    int attempts = 0;
    Stop stop = Stop::none;
    Duration last_start{};
    std::vector<Duration> naps{};
};

Outcome meets(const Plan& plan, const Failure& failure, double chance = 1) {
    VirtualClock clock;
    FixedRandom random{chance};
    Caller caller{plan, {clock, random}};
    const TimePoint began = clock.now();
    Outcome outcome;
    const auto result =
        caller.run({.safety = Safety::idempotent, .prepare = {}}, [&]() -> Result<int> {
            outcome.last_start = clock.now() - began;
            clock.advance(1ms);
            return fail(failure);
        });
    outcome.attempts = result.error().attempts;
    outcome.stop = result.error().stop;
    outcome.naps = clock.naps();
    return outcome;
}

TEST(DynamoPlans, are_sound_and_named) {
    for (const Retries retries : every_way) {
        const Plan plan = plan_for(retries, "orders");
        SCOPED_TRACE(to_string(retries));
        EXPECT_EQ(plan.name, "orders");
        for (const Finding& finding : validate(plan))
            EXPECT_NE(finding.severity, Severity::problem) << finding.field << ' ' << finding.text;
        EXPECT_NE(plan.deadline, never);
        EXPECT_GE(attempt_timeout_of(plan), 3s);
        EXPECT_GT(plan.set_up, 0s);
        EXPECT_EQ(plan.resolve_within, 2s);
        EXPECT_EQ(plan.limiter.kind, LimiterKind::none) << "adapting is asked for";
    }
    EXPECT_EQ(plan_for().name, "dynamodb");
    EXPECT_EQ(plan_for().deadline, 10s);
    EXPECT_EQ(plan_for().budget, BudgetOptions{}) << "the budget follows own traffic";
    EXPECT_EQ(plan_for(Retries::aws_2026).budget.kind, BudgetKind::fixed);
}

TEST(DynamoPlans, have_the_rules_the_table_names) {
    const Plan plan = plan_for();
    const auto has = [&](std::string_view name) {
        return std::any_of(plan.rules.begin(), plan.rules.end(),
                           [&](const NamedRule& rule) { return rule.name == name; });
    };
    for (const char* const name :
         {"throttled", "contended", "transaction-in-progress", "limit-exceeded", "clock_skew",
          "credentials", "credentials-wait"})
        EXPECT_TRUE(has(name)) << name;
    for (const ErrorRow& row : error_rows())
        EXPECT_TRUE(row.rule.empty() || has(row.rule) || has(to_string(row.cause))) << row.code;
}

TEST(DynamoPlans, have_awss_timing_by_default) {
    const Outcome transient = meets(plan_for(), failure_of("InternalServerError", 500));
    EXPECT_EQ(transient.naps, (std::vector<Duration>{25ms, 50ms, 100ms}));
    EXPECT_EQ(transient.stop, Stop::attempts);
    const Outcome throttled = meets(plan_for(), failure_of("ThrottlingException"));
    EXPECT_EQ(throttled.naps, (std::vector<Duration>{1s, 2s, 4s}));
    EXPECT_EQ(throttled.attempts, 4);
}

TEST(DynamoPlans, repeat_contention_soon_and_for_nothing_where_they_are_perdures) {
    for (const char* const code :
         {"TransactionConflictException", "ReplicatedWriteConflictException"}) {
        VirtualClock clock;
        FixedRandom random{1};
        Caller caller{plan_for(), {clock, random}};
        const int before = caller.budget().milli_left();
        const auto result = caller.run({}, [&]() -> Result<int> { return fail(failure_of(code)); });
        EXPECT_EQ(result.error().attempts, 6) << code;
        EXPECT_EQ(clock.naps(), (std::vector<Duration>{25ms, 50ms, 100ms, 200ms, 400ms})) << code;
        EXPECT_EQ(caller.budget().milli_left(), before) << code;
    }
}

TEST(DynamoPlans, named_after_aws_repeat_what_the_sdks_repeat_and_nothing_else) {
    ServiceError cancelled{.code = "TransactionCanceledException",
                           .cancellation = {{.code = "ThrottlingError"}}};
    const Failure throttled_transaction = classify({.status = 400, .error = &cancelled});
    cancelled.cancellation = {{.code = "TransactionConflict"}};
    const Failure contended_transaction = classify({.status = 400, .error = &cancelled});
    EXPECT_GT(meets(plan_for(), throttled_transaction).attempts, 1);
    EXPECT_GT(meets(plan_for(), contended_transaction).attempts, 1);
    for (const auto& [retries, attempts] :
         {std::pair{Retries::aws_2026, 4}, {Retries::aws_2020, 3}, {Retries::legacy, 11}}) {
        const Plan plan = plan_for(retries);
        SCOPED_TRACE(to_string(retries));
        EXPECT_EQ(meets(plan, throttled_transaction).attempts, 1);
        EXPECT_EQ(meets(plan, contended_transaction).attempts, 1);
        EXPECT_EQ(meets(plan, failure_of("TransactionConflictException")).attempts, 1);
        EXPECT_EQ(meets(plan, failure_of("ExpiredTokenException")).attempts, 1);
        for (const char* const code :
             {"ReplicatedWriteConflictException", "LimitExceededException", "ThrottlingException",
              "TransactionInProgressException", "RequestTimeout"})
            EXPECT_EQ(meets(plan, failure_of(code)).attempts, attempts) << code;
        EXPECT_EQ(meets(plan, failure_of("", 503)).attempts, attempts);
        EXPECT_EQ(meets(plan, checksum_mismatch({.status = 400})).attempts, attempts);
        EXPECT_EQ(meets(plan, failure_of("ConditionalCheckFailedException")).attempts, 1);
    }
}

TEST(DynamoPlans, of_old_sleep_for_25_seconds) {
    const Outcome outcome = meets(plan_for(Retries::legacy), failure_of("", 500));
    EXPECT_EQ(outcome.attempts, 11);
    EXPECT_EQ(std::accumulate(outcome.naps.begin(), outcome.naps.end(), Duration{}), 25550ms);
}

TEST(DynamoPlans, that_fail_fast_try_once) {
    for (const ErrorRow& row : error_rows())
        EXPECT_EQ(meets(plan_for(Retries::fail_fast), failure_of(row.code)).attempts, 1)
            << row.code;
}

TEST(TransactionInProgress, is_asked_for_until_an_attempt_was_later_than_five_seconds) {
    const Failure running = failure_of("TransactionInProgressException");
    for (const double chance : {0.0, 0.1, 0.25, 0.5, 0.75, 0.999, 1.0}) {
        const Outcome outcome = meets(plan_for(), running, chance);
        EXPECT_GE(outcome.last_start, 5s) << chance;
        EXPECT_LT(outcome.last_start, 8s) << chance;
        EXPECT_EQ(outcome.stop, Stop::attempts) << chance;
        EXPECT_LE(outcome.attempts, 9) << chance;
    }
    EXPECT_LT(meets(plan_for(Retries::aws_2026), running, 0.5).last_start, 5s) << "as the SDKs do";
}

TEST(Credentials, are_renewed_once_and_waited_for_without_paying) {
    EXPECT_EQ(meets(plan_for(), failure_of("ExpiredTokenException")).attempts, 2);
    const Failure on_their_way{
        .cause = Cause::credentials, .remedies = {}, .rule = "credentials-wait"};
    for (const Retries retries : {Retries::perdure, Retries::aws_2026, Retries::legacy}) {
        const Outcome outcome = meets(plan_for(retries), on_their_way);
        EXPECT_GT(outcome.attempts, 20);
        EXPECT_EQ(outcome.stop, Stop::window);
        EXPECT_GT(outcome.last_start, 4700ms);
        EXPECT_LE(outcome.last_start, 5s);
    }
}

TEST(ClockSkew, counts_as_any_other_attempt_and_pays) {
    VirtualClock clock;
    FixedRandom random{1};
    Caller caller{plan_for(), {clock, random}};
    const int before = caller.budget().milli_left();
    int attempts = 0;
    const auto result = caller.run({}, [&]() -> Result<int> {
        if (++attempts % 2 == 1) return fail({.cause = Cause::clock_skew});
        return fail({.cause = Cause::unavailable, .effect = Effect::none});
    });
    EXPECT_EQ(result.error().attempts, 4);
    EXPECT_EQ(caller.budget().milli_left(), before - 3 * 1400);
    EXPECT_EQ(clock.naps(), (std::vector<Duration>{25ms, 50ms, 100ms}));
}

TEST(AwsSettings, change_the_plan_as_their_users_expect) {
    const auto no_mode = std::optional<RetryMode>{};
    EXPECT_EQ(with_settings(plan_for(), no_mode, std::nullopt).rule, plan_for().rule);
    EXPECT_EQ(with_settings(plan_for(), RetryMode::standard, std::nullopt).rules, plan_for().rules);
    const Plan legacy =
        with_settings(plan_for(Retries::perdure, "x"), RetryMode::legacy, std::nullopt);
    EXPECT_EQ(legacy.rule, plan_for(Retries::legacy).rule);
    EXPECT_EQ(legacy.name, "x");
    EXPECT_EQ(with_settings(plan_for(), RetryMode::adaptive, std::nullopt).limiter.kind,
              LimiterKind::adaptive);
}

TEST(AwsSettings, of_attempts_bound_all_of_a_call) {
    for (const int most : {1, 2, 3, 6, 10}) {
        Plan plan = with_settings(plan_for(), std::nullopt, most);
        plan.deadline = 1min;
        EXPECT_EQ(meets(plan, failure_of("", 500)).attempts, most) << most;
        EXPECT_LE(meets(plan, failure_of("ThrottlingException")).attempts, most);
        EXPECT_LE(meets(plan, failure_of("TransactionInProgressException")).attempts, most);
        EXPECT_LE(meets(plan, failure_of("TransactionConflictException")).attempts, most);
        EXPECT_EQ(meets(plan, failure_of("ExpiredTokenException")).attempts, std::min(most, 2));
    }
    EXPECT_EQ(meets(with_settings(plan_for(), RetryMode::legacy, 3), failure_of("", 500)).attempts,
              3);
}

TEST(AwsSettings, of_attempts_hold_for_the_requests_of_a_batch) {
    for (const int most : {1, 3, 20}) {
        const Plan plan = with_settings(plan_for(), {}, most);
        const auto batch = std::ranges::find(plan.rules, "batch", &NamedRule::name);
        ASSERT_NE(batch, plan.rules.end());
        EXPECT_EQ(batch->rule.attempts, most);
    }
}

TEST(AwsSettings, of_attempts_count_failures_of_all_kinds_together) {
    VirtualClock clock;
    FixedRandom random{1};
    Caller caller{with_settings(plan_for(), std::nullopt, 3), {clock, random}};
    int attempts = 0;
    (void)caller.run({.safety = Safety::idempotent}, [&]() -> Result<int> {
        const char* const codes[] = {"TransactionConflictException", "ThrottlingException",
                                     "InternalServerError"};
        return fail(failure_of(codes[attempts++ % 3]));
    });
    EXPECT_EQ(attempts, 3);
}

}  // namespace
}  // namespace perdure::dynamodb
