// SPDX-License-Identifier: Apache-2.0
//
// When is a resolver asked whether an earlier attempt landed, and what follows from its answer?
#include "transcript.hpp"

#include <gtest/gtest.h>

namespace perdure::testing {
namespace {

constexpr TranscriptOptions with_resolver{.resolver = Resolver::given};
const Failure lost{.cause = Cause::timed_out};                             // effect unknown
const Failure unread{.cause = Cause::corrupt, .effect = Effect::applied};  // a 200 with a bad body

Plan bank(Rule rule = {}) { return {.name = "bank", .rule = rule}; }

TEST(Asking, comes_before_every_repeat_of_a_once_whose_outcome_is_unknown) {
    Transcript call{bank(), {}, with_resolver};
    const int tokens = call.memory.budget().milli_left();
    for (int number = 1; number < 4; ++number) {
        EXPECT_EQ(call.next(), "attempt " + std::to_string(number));
        call.fails(lost);
        EXPECT_EQ(call.next(), "ask");
        call.progress.landed(Verdict::no, {}, call.now);
        EXPECT_TRUE(call.next().starts_with("wait"));
    }
    EXPECT_EQ(call.memory.budget().milli_left(), tokens - 3 * 1'400) << "asking costs nothing";
}

TEST(Asking, also_comes_after_the_last_attempt) {
    Transcript call{bank({.attempts = 1}), {}, with_resolver};
    EXPECT_EQ(call.next(), "attempt 1");
    call.fails(lost);
    EXPECT_EQ(call.next(), "ask");
    call.progress.landed(Verdict::no, {}, call.now);
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.ending(), "attempts, effect none, timed_out");
}

TEST(Asking, also_comes_after_an_error_that_is_final) {
    Transcript call{bank(), {}, with_resolver};
    EXPECT_EQ(call.next(), "attempt 1");
    call.fails({.cause = Cause::invalid, .effect = Effect::unknown, .code = "08P01"});
    EXPECT_EQ(call.next(), "ask");
    call.progress.landed(Verdict::no, {}, call.now);
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.ending(), "permanent, effect none, invalid");
}

// Neither the plan nor the call has a deadline, so something else must end it.
TEST(Asking, without_any_deadline_ends_after_five_minutes) {
    Plan plan = bank();
    plan.deadline = never;
    Transcript call{plan, {}, with_resolver};
    call.next();
    call.fails(lost);
    const TimePoint began = call.now;
    std::string step = call.next();
    for (int question = 0; step == "ask" && question < 10'000; ++question) {
        call.progress.landed(Verdict::pending, {}, call.now);
        step = call.next();
        if (step.starts_with("wait")) step = call.next();
    }
    EXPECT_EQ(step, "finish");
    EXPECT_EQ(call.ending(), "unsafe, effect unknown, timed_out");
    EXPECT_GT(call.now - began, 4min);
    EXPECT_LE(call.now - began, 5min);
}

TEST(Asking, that_the_caller_stopped_ends_the_call_as_cancelled) {
    Transcript call{bank(), {}, with_resolver};
    call.next();
    call.fails(lost);
    EXPECT_EQ(call.next(), "ask");
    call.progress.resolver_failed({.cause = Cause::cancelled, .effect = Effect::none}, call.now);
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.ending(), "cancelled, effect unknown, timed_out");
}

TEST(Asking, is_left_out_when_surely_nothing_happened) {
    Transcript call{bank({.attempts = 2}), {}, with_resolver};
    call.next();
    call.fails({.cause = Cause::throttled});
    EXPECT_EQ(call.next(), "wait 50ms");
    EXPECT_EQ(call.next(), "attempt 2");
    call.fails({.cause = Cause::throttled});
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.memory.counters()[Count::resolver_asked], 0u);
}

TEST(Asking, without_a_resolver_an_unknown_once_stops_as_unsafe) {
    const struct {
        const char* when;
        Failure failure;
        const char* ending;
    } cases[] = {
        {"unknown", lost, "unsafe, effect unknown, timed_out"},
        {"applied", unread, "unsafe, effect applied, corrupt"},
        {"unknown and final: unsafe is the stronger word",
         {.cause = Cause::invalid, .effect = Effect::unknown},
         "unsafe, effect unknown, invalid"},
        {"never, but unknown",
         {.cause = Cause::unavailable, .retry_after = never},
         "unsafe, effect unknown, unavailable"},
    };
    for (const auto& [when, failure, ending] : cases) {
        SCOPED_TRACE(when);
        Transcript call{bank()};
        call.next();
        call.fails(failure);
        EXPECT_EQ(call.next(), "finish");
        EXPECT_EQ(call.ending(), ending);
    }
}

TEST(Asking, of_an_applied_once_gives_the_value_or_stops_but_never_repeats) {
    const struct {
        Verdict verdict;
        bool success;
    } cases[] = {{Verdict::yes, true}, {Verdict::no, false}, {Verdict::unknown, false}};
    for (const auto& [verdict, success] : cases) {
        SCOPED_TRACE(static_cast<int>(verdict));
        Transcript call{bank(), {}, with_resolver};
        call.next();
        call.fails(unread);
        EXPECT_EQ(call.next(), "ask");
        call.progress.landed(verdict, {}, call.now);
        EXPECT_EQ(call.next(), "finish");
        EXPECT_EQ(call.memory.counters()[Count::calls_failed], success ? 0u : 1u);
        if (!success) {
            EXPECT_EQ(call.ending(), "unsafe, effect applied, corrupt");
        }
    }
}

TEST(Asking, of_a_guarded_write_waits_for_a_conflict_or_for_the_end) {
    Transcript conflicting{bank(), {.safety = Safety::guarded}, with_resolver};
    conflicting.next();
    conflicting.fails(lost);
    EXPECT_EQ(conflicting.next(), "wait 50ms");
    conflicting.next();
    conflicting.fails({.cause = Cause::conflict});
    EXPECT_EQ(conflicting.next(), "ask");
    conflicting.progress.landed(Verdict::no, {}, conflicting.now);
    EXPECT_EQ(conflicting.next(), "finish");
    EXPECT_EQ(conflicting.ending(), "permanent, effect none, conflict");

    Transcript exhausted{bank({.attempts = 2}), {.safety = Safety::guarded}, with_resolver};
    exhausted.next();
    exhausted.fails(lost);
    exhausted.next();
    exhausted.next();
    exhausted.fails({.cause = Cause::throttled});
    EXPECT_EQ(exhausted.next(), "ask");
    exhausted.progress.landed(Verdict::unknown, {}, exhausted.now);
    EXPECT_EQ(exhausted.next(), "finish");
    EXPECT_EQ(exhausted.ending(), "attempts, effect unknown, throttled");
}

TEST(Asking, once_in_vain_is_not_done_again_for_the_same_failure) {
    Transcript call{bank({.attempts = 1}), {}, with_resolver};
    call.next();
    call.fails(lost);
    EXPECT_EQ(call.next(), "ask");
    call.progress.landed(Verdict::unknown, {}, call.now);
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.memory.counters()[Count::resolver_asked], 1u);
    EXPECT_EQ(call.ending(), "unsafe, effect unknown, timed_out");
}

TEST(Asking, again_follows_the_resolve_rule_and_the_resolver_s_own_wish) {
    Plan plan = bank();
    plan.resolve = {.attempts = 4, .backoff = {.base = 50ms, .cap = 500ms}, .cost = 0};
    Transcript call{plan, {}, with_resolver};
    call.next();
    call.fails(lost);
    EXPECT_EQ(call.next(), "ask");
    call.progress.landed(Verdict::pending, {}, call.now);
    EXPECT_EQ(call.next(), "wait 50ms");
    EXPECT_EQ(call.next(), "ask");
    call.progress.landed(Verdict::pending, 700ms, call.now);
    EXPECT_EQ(call.next(), "wait 700ms");
    EXPECT_EQ(call.next(), "ask");
    call.progress.resolver_failed({.cause = Cause::throttled, .retry_after = 300ms}, call.now);
    EXPECT_EQ(call.next(), "wait 300ms");
    EXPECT_EQ(call.next(), "ask");
    call.progress.landed(Verdict::pending, {}, call.now);
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.ending(), "unsafe, effect unknown, timed_out");
}

TEST(Asking, again_stays_within_the_window_of_the_resolve_rule) {
    for (const WindowCounts counts : {WindowCounts::elapsed, WindowCounts::waiting}) {
        Plan plan = bank();
        plan.resolve.window = 650ms;  // delays are 100, 200 and 400 ms
        plan.resolve.window_counts = counts;
        Transcript call{plan, {}, with_resolver};
        EXPECT_EQ(call.next(), "attempt 1");
        call.fails(lost);
        for (const char* wait : {"wait 100ms", "wait 200ms"}) {
            EXPECT_EQ(call.next(), "ask");
            if (wait == std::string_view{"wait 200ms"}) call.took(30ms);
            call.progress.landed(Verdict::pending, {}, call.now);
            EXPECT_EQ(call.next(), wait);
        }
        EXPECT_EQ(call.next(), "ask");
        call.progress.landed(Verdict::pending, {}, call.now);
        EXPECT_EQ(call.next(), "finish");
        EXPECT_EQ(call.ending(), "unsafe, effect unknown, timed_out");
    }
}

TEST(Asking, takes_the_window_from_the_first_answer_that_told_nothing) {
    Plan plan = bank();
    plan.resolve.window = 350ms;
    Transcript slow{plan, {}, with_resolver};
    EXPECT_EQ(slow.next(), "attempt 1");
    slow.fails(lost);
    EXPECT_EQ(slow.next(), "ask");
    slow.took(2s);
    slow.progress.landed(Verdict::pending, {}, slow.now);
    EXPECT_EQ(slow.next(), "wait 100ms");
    EXPECT_EQ(slow.next(), "ask");
    slow.took(200ms);
    slow.progress.landed(Verdict::pending, {}, slow.now);
    EXPECT_EQ(slow.next(), "finish") << "300 ms have passed, and 200 more are too many";
}

TEST(Asking, ends_when_the_resolver_cannot_know_or_the_deadline_comes_first) {
    Transcript hopeless{bank(), {}, with_resolver};
    hopeless.next();
    hopeless.fails(lost);
    hopeless.next();
    hopeless.progress.resolver_failed({.cause = Cause::forbidden}, hopeless.now);
    EXPECT_EQ(hopeless.next(), "finish");
    EXPECT_EQ(hopeless.ending(), "unsafe, effect unknown, timed_out");

    Transcript late{bank(), {}, with_resolver};
    late.next();
    late.fails(lost);
    late.next();
    late.progress.landed(Verdict::pending, 10s, late.now);
    EXPECT_EQ(late.next(), "finish");
    EXPECT_EQ(late.ending(), "unsafe, effect unknown, timed_out");
}

TEST(Asking, goes_on_until_the_deadline_and_uses_the_last_of_it) {
    Transcript call{bank(), {}, with_resolver};
    call.next();
    call.fails(lost);
    const TimePoint begin = call.now;
    int asked = 0;
    for (std::string step = call.next(); step != "finish"; step = call.next()) {
        if (step != "ask") continue;
        ++asked;
        call.progress.resolver_failed({.cause = Cause::unavailable}, call.now);
    }
    EXPECT_GT(call.now - begin, 9'800ms) << "a wait of 2 s is cut to what is left";
    EXPECT_LT(call.now - begin, 10s);
    EXPECT_LT(asked, 20);
    EXPECT_EQ(call.ending(), "unsafe, effect unknown, timed_out");
}

TEST(Asking, has_no_limit_but_the_deadline) {
    Plan plan = bank();
    plan.deadline = 10min;
    Transcript call{plan, {}, with_resolver};
    call.next();
    call.fails(lost);
    for (int asked = 0; asked < 100; ++asked) {
        ASSERT_EQ(call.next(), "ask");
        call.progress.resolver_failed({.cause = Cause::exhausted}, call.now);
        ASSERT_TRUE(call.next().starts_with("wait"));
    }
    EXPECT_EQ(call.next(), "ask");
    call.progress.landed(Verdict::yes, {}, call.now);
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.memory.counters()[Count::calls_failed], 0u);
}

TEST(Asking, has_time_kept_free_for_it_before_the_deadline) {
    const struct {
        const char* when;
        Duration deadline, reserve, kept;
    } cases[] = {{"a second by default", 10s, 1s, 1s},
                 {"at most a third of the deadline", 900ms, 1s, 300ms},
                 {"more where a database waits on locks", 30s, 8s, 8s},
                 {"none", 10s, 0s, 0s}};
    for (const auto& [when, deadline, reserve, kept] : cases) {
        SCOPED_TRACE(when);
        const Plan plan{.name = "bank",
                        .deadline = deadline,
                        .attempt_timeout = deadline,
                        .rule = {.attempts = 0, .backoff = {.base = 7ms, .cap = 7ms}},
                        .resolve_within = reserve,
                        .budget = {.kind = BudgetKind::none}};
        Memory memory{plan};
        FixedRandom ceiling{1.0};
        TimePoint now{Duration{1h}};
        const TimePoint latest = now + deadline - kept;
        const Operation once{};
        Progress call{memory, once, {.now = now, .random = &ceiling, .resolver = Resolver::given}};
        TimePoint last_start{};
        for (Step step = call.next(now); step.kind != StepKind::finish; step = call.next(now)) {
            if (step.kind == StepKind::wait) {
                now = step.until;
                continue;
            }
            ASSERT_EQ(step.kind, StepKind::attempt);
            EXPECT_LE(step.until, latest);
            ASSERT_LT(now, latest);
            last_start = now;
            call.failed(step.number, {.cause = Cause::throttled}, Effect::none, now);
        }
        EXPECT_GE(last_start, latest - 7ms) << "the rest of the time is used";
        EXPECT_EQ(call.take_failure().stop, Stop::deadline);
    }
}

TEST(Asking, an_answer_that_proves_what_earlier_attempts_did_makes_it_needless) {
    Transcript call{bank(), {.safety = Safety::guarded}, with_resolver};
    call.next();
    call.fails(lost);
    call.next();
    call.next();
    call.fails({.cause = Cause::conflict, .settles_earlier = true});
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.ending(), "permanent, effect none, conflict");
}

TEST(Asking, may_be_answered_with_the_failure_that_the_call_ends_with) {
    const struct {
        const char* when;
        Failure failure;
        const char* ending;
    } cases[] = {
        {"another did it",
         {.cause = Cause::conflict, .effect = Effect::applied, .settles_earlier = true},
         "unsafe, effect applied, conflict"},
        {"nobody did it, and it cannot be done",
         {.cause = Cause::invalid, .effect = Effect::none, .settles_earlier = true},
         "permanent, effect none, invalid"},
        {"settles nothing: it could not ask",
         {.cause = Cause::conflict, .effect = Effect::unknown, .settles_earlier = true},
         "unsafe, effect unknown, timed_out"},
    };
    for (const auto& [when, failure, ending] : cases) {
        SCOPED_TRACE(when);
        Transcript call{bank(), {}, with_resolver};
        call.next();
        call.fails(lost);
        EXPECT_EQ(call.next(), "ask");
        call.progress.resolver_failed(failure, call.now);
        EXPECT_EQ(call.next(), "finish");
        EXPECT_EQ(call.ending(), ending);
        EXPECT_EQ(call.memory.counters()[Count::resolver_asked], 1u);
    }
}

TEST(Asking, an_early_unknown_is_not_forgotten_because_a_later_attempt_did_nothing) {
    Transcript call{bank({.attempts = 2}), {.safety = Safety::idempotent}};
    call.next();
    call.fails(lost);
    call.next();
    call.next();
    call.fails({.cause = Cause::throttled});
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.ending(), "attempts, effect unknown, throttled");
}

TEST(Asking, a_read_has_no_effect_whatever_its_failures_say) {
    Transcript call{bank({.attempts = 1}), {.safety = Safety::read}, with_resolver};
    call.next();
    call.fails(unread);
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.ending(), "attempts, effect none, corrupt");
}

TEST(Asking, of_a_guarded_write_comes_before_a_conflict_is_repeated) {
    const auto is_409 = [](const Failure& failure) { return failure.status == 409; };
    const Operation create{.safety = Safety::guarded, .also_repeat = {.when = is_409}};
    Transcript call{bank(), create, with_resolver};
    call.next();
    call.fails(lost);
    call.next();
    call.next();
    call.fails({.cause = Cause::conflict, .status = 409});
    EXPECT_EQ(call.next(), "ask");
    call.progress.landed(Verdict::no, {}, call.now);
    EXPECT_EQ(call.next(), "wait 50ms");
}

TEST(Asking, is_left_out_when_the_work_itself_was_cancelled) {
    for (const Safety safety : {Safety::once, Safety::guarded}) {
        Transcript call{bank(), {.safety = safety}, with_resolver};
        call.next();
        call.fails({.cause = Cause::cancelled});
        EXPECT_EQ(call.next(), "finish");
        EXPECT_EQ(call.ending(), "cancelled, effect unknown, cancelled");
    }
}

TEST(Asking, is_over_when_the_caller_wants_out) {
    Transcript call{bank(), {}, with_resolver};
    call.next();
    call.fails(lost);
    EXPECT_EQ(call.next(), "ask");
    call.progress.cancelled(call.now);
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.ending(), "cancelled, effect unknown, cancelled");
}

}  // namespace
}  // namespace perdure::testing
