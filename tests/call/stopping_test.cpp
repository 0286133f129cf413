// SPDX-License-Identifier: Apache-2.0
//
// In which order are the five questions asked, and what does the caller hear when one says stop?
#include "transcript.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace perdure::testing {
namespace {

const Failure slow_down{.cause = Cause::throttled, .status = 429, .code = "slow-down"};

// What `expected` says of the original failure, beside why we stopped.
void expect_original(Transcript& call, Stop stop, const Failure& expected, int attempts) {
    EXPECT_EQ(call.next(), "finish");
    const Failure ending = call.progress.take_failure();
    EXPECT_EQ(ending.stop, stop);
    EXPECT_EQ(ending.cause, expected.cause);
    EXPECT_EQ(ending.status, expected.status);
    EXPECT_EQ(ending.code, expected.code);
    EXPECT_EQ(ending.attempts, attempts);
    EXPECT_EQ(ending.dependency, call.memory.plan().name);
    EXPECT_EQ(ending.elapsed, call.now - call.progress.started());
}

TEST(Stopping, by_the_budget_gives_the_original_failure) {
    Transcript call{{.budget = {.kind = BudgetKind::fixed, .capacity = 0.4}}};
    call.next();
    call.fails(slow_down);
    expect_original(call, Stop::budget, slow_down, 1);
    EXPECT_EQ(call.memory.counters()[Count::retries_refused], 1u);
    EXPECT_EQ(call.memory.budget().milli_left(), 400);
}

TEST(Stopping, by_the_deadline_gives_the_original_failure_and_costs_nothing) {
    Transcript call{{.deadline = 1s, .rule = {.backoff = {.base = 600ms}}}};
    const int tokens = call.memory.budget().milli_left();
    call.next();
    call.took(400ms);
    call.fails(slow_down);
    expect_original(call, Stop::deadline, slow_down, 1);
    EXPECT_EQ(call.memory.budget().milli_left(), tokens);
}

TEST(Stopping, a_retry_that_fits_by_a_nanosecond_is_made) {
    Transcript call{{.deadline = 1s, .rule = {.backoff = {.base = 600ms}}}};
    call.next();
    call.took(400ms - 1ns);
    call.fails(slow_down);
    EXPECT_EQ(call.next(), "wait 600ms");
    EXPECT_EQ(call.next(), "attempt 2");
}

TEST(Stopping, by_the_breaker_gives_the_original_failure) {
    Transcript call{{.breaker = BreakerOptions{.least_calls = 2}}, {.safety = Safety::idempotent}};
    const Failure down{.cause = Cause::unavailable, .status = 503, .code = "down"};
    call.next();
    call.fails(down);
    EXPECT_EQ(call.next(), "wait 50ms");
    EXPECT_EQ(call.next(), "attempt 2");
    call.fails(down);  // the second opens it
    EXPECT_EQ(call.next(), "wait 100ms");
    expect_original(call, Stop::breaker, down, 2);
}

TEST(Stopping, by_the_limiter_gives_the_original_failure) {
    Transcript call{{.limiter = {.kind = LimiterKind::concurrency, .concurrent = 1}}};
    call.next();
    call.fails(slow_down);
    EXPECT_EQ(call.next(), "wait 50ms");
    const Entry other = call.memory.limiter()->enter(call.now, TimePoint::max());
    ASSERT_EQ(other.kind, Entry::Kind::admitted);
    expect_original(call, Stop::limited, slow_down, 1);
}

TEST(Stopping, before_the_first_attempt_says_that_nothing_was_attempted) {
    Plan open_door{.name = "shut", .breaker = BreakerOptions{.least_calls = 1, .open_for = 1h}};
    Transcript breaker{open_door};
    breaker.memory.breaker()->record_failure(breaker.now, Admission::admitted);
    EXPECT_EQ(breaker.next(), "finish");
    EXPECT_EQ(breaker.ending(), "breaker, effect none, unavailable");

    Transcript limiter{{.limiter = {.kind = LimiterKind::concurrency, .concurrent = 1}}};
    ASSERT_EQ(limiter.memory.limiter()->enter(limiter.now, TimePoint::max()).kind,
              Entry::Kind::admitted);
    EXPECT_EQ(limiter.next(), "finish");
    EXPECT_EQ(limiter.ending(), "limited, effect none, exhausted");

    for (const Duration left : {0ns, -1ns, Duration{-1h}}) {
        const TimePoint start{Duration{1h}};
        Transcript deadline{{}, {.deadline = Deadline{start + left}}};
        EXPECT_EQ(deadline.next(), "finish");
        EXPECT_EQ(deadline.progress.attempts(), 0);
        EXPECT_EQ(deadline.ending(), "deadline, effect none, timed_out");
    }
}

TEST(Stopping, follows_the_order_of_the_questions) {
    const Rule one{.attempts = 1, .window = 0s, .backoff = {.base = 20s, .cap = 20s}};
    const Rule windowed{.attempts = 2, .window = 0s, .backoff = {.base = 20s, .cap = 20s}};
    const Rule long_wait{.attempts = 2, .backoff = {.base = 20s, .cap = 20s}};
    const Rule good{.attempts = 2};
    const BudgetOptions empty{.kind = BudgetKind::fixed, .capacity = 0};
    const struct {
        const char* when;
        Rule rule;
        Failure failure;
        Stop stop;
    } cases[] = {
        {"unsafe before permanent",
         one,
         {.cause = Cause::invalid, .effect = Effect::unknown},
         Stop::unsafe},
        {"permanent before attempts", one, {.cause = Cause::invalid}, Stop::permanent},
        {"never is permanent",
         one,
         {.cause = Cause::throttled, .retry_after = never},
         Stop::permanent},
        {"attempts before window", one, slow_down, Stop::attempts},
        {"window before deadline", windowed, slow_down, Stop::window},
        {"deadline before budget", long_wait, slow_down, Stop::deadline},
        {"budget last", good, slow_down, Stop::budget},
        {"a free repeat asks no budget", good, {.cause = Cause::contended}, Stop::none},
        {"cancelled before all", one, {.cause = Cause::cancelled}, Stop::cancelled},
    };
    for (const auto& [when, rule, failure, stop] : cases) {
        SCOPED_TRACE(when);
        Transcript call{{.rule = rule, .budget = empty}};
        call.next();
        call.fails(failure);
        if (stop == Stop::none) {
            EXPECT_EQ(call.next(), "wait 50ms");
            continue;
        }
        EXPECT_EQ(call.next(), "finish");
        EXPECT_EQ(call.progress.take_failure().stop, stop);
    }
}

TEST(Stopping, keeps_the_first_cause_beside_the_last) {
    Transcript call{{.rule = {.attempts = 2}}, {.safety = Safety::idempotent}};
    call.next();
    call.fails({.cause = Cause::timed_out});
    call.next();
    call.next();
    call.fails(slow_down);
    EXPECT_EQ(call.next(), "finish");
    const Failure ending = call.progress.take_failure();
    EXPECT_EQ(ending.first_cause, Cause::timed_out);
    EXPECT_EQ(ending.cause, Cause::throttled);
    EXPECT_EQ(to_string(ending), "unnamed: throttled, effect unknown, status 429, code slow-down; "
                                 "gave up: attempts after 2 attempts, first timed_out");
}

TEST(Stopping, spread_waits_before_the_first_attempt_and_draws_once) {
    Transcript call{{.spread = 400ms}, {}, {.random = 0.5}};
    EXPECT_EQ(call.next(), "wait 200ms");
    EXPECT_EQ(call.next(), "attempt 1");
    call.succeeds();
    EXPECT_EQ(call.next(), "finish");

    Transcript short_of_time{{.deadline = 300ms, .spread = 400ms}};
    EXPECT_EQ(short_of_time.next(), "attempt 1");  // spreading must not cost the call
}

TEST(Stopping, the_floor_counts_from_the_first_attempt_and_not_from_the_start_of_the_call) {
    const Rule floored{.attempts = 2, .not_before_giving_up = 1s, .backoff = {.base = 900ms}};
    Transcript call{{.deadline = 100s, .rule = floored, .spread = 10s}};
    EXPECT_EQ(call.next(), "wait 10000ms");
    for (const char* wait : {"wait 900ms", "wait 1800ms"}) {
        call.next();
        call.fails(slow_down);
        EXPECT_EQ(call.next(), wait);
    }
    call.next();
    call.fails(slow_down);
    EXPECT_EQ(call.next(), "finish");
}

TEST(Stopping, an_attempt_with_too_little_time_is_not_started) {
    const Plan plan{
        .deadline = 1s, .rule = {.backoff = {.base = 500ms}}, .shortest_attempt = 300ms};
    Transcript enough{plan};
    enough.next();
    enough.took(199ms);
    enough.fails(slow_down);
    EXPECT_EQ(enough.next(), "wait 500ms");
    EXPECT_EQ(enough.next(), "attempt 2");

    Transcript too_late{plan};
    too_late.next();
    too_late.took(200ms);
    too_late.fails(slow_down);
    EXPECT_EQ(too_late.next(), "finish");
    EXPECT_EQ(too_late.ending(), "deadline, effect none, throttled");

    Transcript overslept{plan};
    overslept.next();
    overslept.fails(slow_down);
    EXPECT_EQ(overslept.next(), "wait 500ms");
    overslept.took(200ms);
    EXPECT_EQ(overslept.next(), "finish");
    EXPECT_EQ(overslept.ending(), "deadline, effect none, throttled");
}

TEST(Stopping, an_attempt_gets_its_own_time_limit_inside_the_deadline) {
    const struct {
        Duration deadline, timeout, expected;
    } cases[] = {{9s, 0s, 3s}, {9s, 2s, 2s}, {9s, 9s, 9s}, {never, 0s, never}, {never, 5s, 5s}};
    for (const auto& [deadline, timeout, expected] : cases) {
        Memory memory{{.deadline = deadline, .attempt_timeout = timeout}};
        FixedRandom ceiling{1.0};
        const TimePoint now{Duration{1h}};
        const Operation once{};
        Progress call{memory, once, {.now = now, .random = &ceiling}};
        EXPECT_EQ(call.next(now).until, after(now, expected));
    }
}

TEST(Stopping, a_plan_with_problems_refuses_and_names_them_all) {
    Transcript call{{.name = "", .deadline = -1s, .rule = {.attempts = -3}}};
    EXPECT_EQ(call.next(), "finish");
    const Failure ending = call.progress.take_failure();
    EXPECT_EQ(ending.stop, Stop::permanent);
    EXPECT_EQ(ending.cause, Cause::invalid);
    EXPECT_EQ(ending.code, "invalid-plan");
    EXPECT_EQ(ending.attempts, 0);
    for (const char* field : {"name: ", "; deadline: ", "; rule.attempts: "})
        EXPECT_NE(ending.message.find(field), std::string::npos) << ending.message;
}

TEST(Stopping, at_the_window_counts_from_the_first_failure_under_the_rule) {
    const Rule rule{.attempts = 0, .window = 1s, .backoff = {.base = 300ms, .cap = 300ms}};
    Transcript call{{.rules = {{"throttled", rule}}}, {.safety = Safety::idempotent}};
    call.next();
    call.took(3s);
    call.fails({.cause = Cause::internal});  // another rule: the window has not begun
    call.next();
    call.next();
    std::vector<std::string> waits;
    for (int i = 0; i < 3; ++i) {
        call.fails(slow_down);
        waits.push_back(call.next());
        call.next();
    }
    EXPECT_EQ(waits, (std::vector<std::string>(3, "wait 300ms")));
    call.fails(slow_down);
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.ending(), "window, effect unknown, throttled");
}

}  // namespace
}  // namespace perdure::testing
