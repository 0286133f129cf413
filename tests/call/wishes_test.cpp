// SPDX-License-Identifier: Apache-2.0
//
// What may one operation know better than the table: repeats of its own, changes to the request,
// and how remedies are applied?
#include "transcript.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace perdure::testing {
namespace {

const auto mends_nothing = [](RemedySet, const Attempt&) -> Result<void> { return {}; };
const auto is_404 = [](const Failure& failure) { return failure.status == 404; };
const Failure missing{.cause = Cause::not_found, .status = 404};
const Failure throttled_failure{.cause = Cause::throttled};

TEST(AlsoRepeat, repeats_what_the_table_calls_final_within_its_own_limit) {
    for (const int limit : {1, 2, 3, 6}) {
        SCOPED_TRACE(limit);
        Transcript call{{}, {.also_repeat = {.when = is_404, .attempts = limit}}};
        for (int number = 1; number < limit; ++number) {
            EXPECT_EQ(call.next(), "attempt " + std::to_string(number));
            call.fails(missing);
            EXPECT_EQ(call.next(), "wait " + in_words(50ms * (1 << (number - 1))));
        }
        call.next();
        call.fails(missing);
        EXPECT_EQ(call.next(), "finish");
        EXPECT_EQ(call.ending(), "attempts, effect none, not_found");
    }
}

TEST(AlsoRepeat, repeats_also_what_the_server_said_never_to_repeat) {
    const Failure not_again{
        .cause = Cause::unavailable, .effect = Effect::none, .retry_after = never, .status = 404};
    Transcript call{{}, {.also_repeat = {.when = is_404, .attempts = 2}}};
    call.next();
    call.fails(not_again);
    EXPECT_EQ(call.next(), "wait 50ms");
    EXPECT_EQ(call.next(), "attempt 2");
    call.fails(not_again);
    EXPECT_EQ(call.next(), "finish");
    Transcript without{{}, {}};
    without.next();
    without.fails(not_again);
    EXPECT_EQ(without.next(), "finish");
}

TEST(AlsoRepeat, without_a_limit_follows_the_default_rule) {
    Transcript call{{.rule = {.attempts = 2}}, {.also_repeat = {.when = is_404}}};
    call.next();
    call.fails(missing);
    EXPECT_EQ(call.next(), "wait 50ms");
    call.next();
    call.fails(missing);
    EXPECT_EQ(call.next(), "finish");
}

TEST(AlsoRepeat, counts_for_itself_and_leaves_the_rules_alone) {
    Transcript call{{.rule = {.attempts = 2}}, {.also_repeat = {.when = is_404, .attempts = 2}}};
    call.next();
    call.fails(missing);
    call.next();
    call.next();
    call.fails(throttled_failure);
    EXPECT_EQ(call.next(), "wait 50ms") << "the default rule's first retry";
    EXPECT_EQ(call.next(), "attempt 3");
    call.fails(throttled_failure);
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.ending(), "attempts, effect none, throttled");
}

TEST(AlsoRepeat, does_not_repeat_what_is_unsafe_or_was_cancelled) {
    const auto always = [](const Failure&) { return true; };
    const struct {
        Failure failure;
        const char* ending;
    } cases[] = {
        {{.cause = Cause::not_found, .effect = Effect::unknown},
         "unsafe, effect unknown, not_found"},
        {{.cause = Cause::cancelled, .effect = Effect::none}, "cancelled, effect none, cancelled"},
    };
    for (const auto& [failure, ending] : cases) {
        Transcript call{{}, {.also_repeat = {.when = always, .attempts = 5}}};
        call.next();
        call.fails(failure);
        EXPECT_EQ(call.next(), "finish");
        EXPECT_EQ(call.ending(), ending);
    }
}

TEST(AlsoRepeat, pays_from_the_budget_like_every_retry) {
    Transcript call{{.budget = {.kind = BudgetKind::fixed, .capacity = 1.4}},
                    {.also_repeat = {.when = is_404, .attempts = 5}}};
    call.next();
    call.fails(missing);
    EXPECT_EQ(call.next(), "wait 50ms");
    EXPECT_EQ(call.memory.budget().milli_left(), 0);
    call.next();
    call.fails(missing);
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.ending(), "budget, effect none, not_found");
}

TEST(Amend, changes_the_request_after_a_final_failure_and_tries_it_so) {
    int asked = 0;
    const auto widen = [&](const Failure& failure) {
        ++asked;
        return failure.code == "partition-key";
    };
    Transcript call{{}, {.amend = widen}};
    call.next();
    call.fails({.cause = Cause::invalid, .code = "partition-key"});
    EXPECT_EQ(call.next(), "wait 50ms");
    EXPECT_EQ(call.next(), "attempt 2");
    call.fails({.cause = Cause::invalid, .code = "syntax"});
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.ending(), "permanent, effect none, invalid");
    EXPECT_EQ(asked, 2);
}

TEST(Amend, is_asked_only_while_the_effect_is_none_and_the_failure_final) {
    int asked = 0;
    const auto count = [&](const Failure&) { return ++asked > 0; };
    for (const Failure& failure :
         {Failure{.cause = Cause::invalid, .effect = Effect::unknown},
          Failure{.cause = Cause::invalid, .effect = Effect::applied}, throttled_failure}) {
        Transcript call{{}, {.safety = Safety::idempotent, .amend = count}};
        call.next();
        call.fails(failure);
        call.next();
    }
    EXPECT_EQ(asked, 0);
}

TEST(Amend, ends_even_when_it_always_finds_something_to_change) {
    const auto always = [](const Failure&) { return true; };
    // Without a budget, a limit of attempts or a near deadline: nothing else may end it.
    Transcript call{{.deadline = never,
                     .rule = {.attempts = 0, .window = 1000h},
                     .budget = {.kind = BudgetKind::none}},
                    {.amend = always}};
    int attempts = 0;
    for (std::string step = call.next(); step != "finish"; step = call.next()) {
        if (!step.starts_with("attempt")) continue;
        ASSERT_LT(++attempts, 100);
        call.fails({.cause = Cause::invalid});
    }
    EXPECT_EQ(attempts, 5);
    EXPECT_EQ(call.ending(), "permanent, effect none, invalid");
}

TEST(Prepare, failing_for_good_ends_the_call_with_its_own_failure) {
    Transcript call{{}, {.prepare = mends_nothing}};
    call.next();
    call.fails({.cause = Cause::credentials});
    call.next();
    EXPECT_EQ(call.next(), "prepare refresh_credentials");
    call.progress.prepared(
        fail({.cause = Cause::forbidden, .effect = Effect::unknown, .code = "no-role"}), call.now);
    EXPECT_EQ(call.next(), "finish");
    const Failure ending = call.progress.take_failure();
    EXPECT_EQ(ending.code, "no-role");
    EXPECT_EQ(ending.stop, Stop::permanent);
    EXPECT_EQ(ending.effect, Effect::none) << "the operation itself was not sent";
    EXPECT_EQ(ending.attempts, 1);
    EXPECT_EQ(ending.first_cause, Cause::credentials);
}

TEST(Prepare, failing_for_now_is_repeated_under_its_own_rule_until_that_is_used_up) {
    Transcript call{{.rule = {.attempts = 3}}, {.prepare = mends_nothing}};
    call.next();
    call.fails({.cause = Cause::stale_route});
    EXPECT_EQ(call.next(), "wait 50ms");
    EXPECT_EQ(call.next(), "prepare refresh_routing_item");
    call.progress.prepared(fail({.cause = Cause::unavailable}), call.now);
    EXPECT_EQ(call.next(), "wait 100ms");
    EXPECT_EQ(call.next(), "prepare refresh_routing_item") << "the remedy is still owed";
    call.progress.prepared(fail({.cause = Cause::unavailable}), call.now);
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.ending(), "attempts, effect none, unavailable");
    EXPECT_EQ(call.memory.counters()[Count::retries_made], 0u);
}

TEST(Prepare, is_asked_for_nothing_when_there_is_nothing_to_mend) {
    Transcript call{{}, {.prepare = mends_nothing}};
    call.next();
    call.fails(throttled_failure);
    call.next();
    EXPECT_EQ(call.next(), "attempt 2");
}

TEST(Prepare, that_is_missing_leaves_the_remedies_to_the_work) {
    Memory memory{{}};
    const Operation put{};
    FixedRandom ceiling{1.0};
    TimePoint now{Duration{1h}};
    Progress call{memory, put, {.now = now, .random = &ceiling}};
    EXPECT_TRUE(call.next(now).remedies.empty());
    call.failed(1, {.cause = Cause::wrong_region}, Effect::none, now);
    now = call.next(now).until;
    const Step second = call.next(now);
    EXPECT_EQ(second.kind, StepKind::attempt);
    EXPECT_EQ(second.remedies, Remedy::refresh_routing_account | Remedy::next_endpoint);
    EXPECT_EQ(second.endpoint, 1);
    call.failed(2, throttled_failure, Effect::none, now);
    now = call.next(now).until;
    const Step third = call.next(now);
    EXPECT_TRUE(third.remedies.empty()) << "a remedy is shown once";
    EXPECT_EQ(third.endpoint, 1) << "but where we moved to, we stay";
}

TEST(Prepare, of_another_dependency_is_not_ours) {
    Transcript call{{.name = "ours"}, {.prepare = mends_nothing}};
    call.next();
    call.fails({.cause = Cause::credentials, .dependency = "theirs"});
    call.next();
    EXPECT_EQ(call.next(), "attempt 2");
    call.fails({.cause = Cause::stale_route, .dependency = "ours"});
    call.next();
    EXPECT_EQ(call.next(), "prepare refresh_routing_item");
}

TEST(Rules, are_named_by_the_failure_else_by_its_cause_else_the_default_serves) {
    const auto waits = [](Duration base) { return Rule{.backoff = {.base = base}}; };
    const struct {
        Failure failure;
        const char* step;
    } cases[] = {
        {{.cause = Cause::contended, .rule = "449"}, "wait 3ms"},
        {{.cause = Cause::throttled}, "wait 2ms"},
        {{.cause = Cause::throttled, .rule = "449"}, "wait 3ms"},
        {{.cause = Cause::throttled, .rule = "no such rule"}, "wait 2ms"},
        {{.cause = Cause::contended}, "wait 1ms"},
    };
    for (const auto& [failure, step] : cases) {
        Transcript call{
            {.rule = waits(1ms), .rules = {{"throttled", waits(2ms)}, {"449", waits(3ms)}}}};
        call.next();
        call.fails(failure);
        EXPECT_EQ(call.next(), step);
    }
}

TEST(Rules, each_counts_its_own_attempts) {
    Transcript call{
        {.deadline = 100s, .rule = {.attempts = 2}, .rules = {{"throttled", {.attempts = 3}}}}};
    for (const Cause cause : {Cause::throttled, Cause::contended, Cause::throttled}) {
        call.next();
        call.fails({.cause = cause});
        EXPECT_TRUE(call.next().starts_with("wait"));
    }
    EXPECT_EQ(call.next(), "attempt 4");
    call.fails(throttled_failure);
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.ending(), "attempts, effect none, throttled");
}

}  // namespace
}  // namespace perdure::testing
