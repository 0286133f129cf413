// SPDX-License-Identifier: Apache-2.0
//
// Numbers at the ends of their range, clocks that go wrong, and a fork in the middle.
#include "transcript.hpp"

#include "perdure/call/caller.hpp"
#include "perdure/testing/scripted.hpp"
#include "perdure/testing/virtual_clock.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <limits>

namespace perdure::testing {
namespace {

constexpr int most = std::numeric_limits<int>::max();

TEST(Robustness, a_rule_of_two_billion_attempts_is_counted_to_its_end) {
    // Nobody waits for two billion attempts: a rule that far along is asked directly.
    FixedRandom ceiling{1.0};
    const Rule rule{.attempts = most};
    for (const int made : {most - 1, most}) {
        const Decision decision = decide(rule, {.cause = Cause::throttled},
                                         {.now = TimePoint{Duration{1h}},
                                          .attempts_under_rule = made,
                                          .series = {.position = most}},
                                         ceiling);
        EXPECT_EQ(decision.stop, made == most ? Stop::attempts : Stop::none);
        if (made < most) {
            EXPECT_EQ(decision.delay, 5s) << "the cap, not an overflow";
            EXPECT_EQ(decision.series.position, most);
        }
    }
}

TEST(Robustness, thousands_of_attempts_stay_at_the_cap) {
    VirtualClock clock;
    FixedRandom ceiling{1.0};
    Caller caller{
        {.deadline = never, .rule = {.attempts = 5'000}, .budget = {.kind = BudgetKind::none}},
        {clock, ceiling}};
    Scripted<int> service{{fails(Cause::throttled)}};
    EXPECT_EQ(caller.run({}, service).error().attempts, 5'000);
    for (std::size_t i = 7; i < clock.naps().size(); ++i) ASSERT_EQ(clock.naps()[i], 5s);
}

TEST(Robustness, hints_of_any_length_neither_overflow_nor_wait_for_ever) {
    for (const Duration hint :
         {never, never - 1ns, Duration{24h * 365 * 290}, Duration::min(), -1ns}) {
        for (const HintUse use : {HintUse::at_least, HintUse::clamp, HintUse::replace,
                                  HintUse::plus, HintUse::ignore}) {
            for (const Duration deadline : {Duration{10s}, never}) {
                Transcript call{{.deadline = deadline, .rule = {.hint = {use, never}}}};
                call.next();
                call.fails({.cause = Cause::throttled, .retry_after = hint});
                const std::string step = call.next();
                if (hint == never) {
                    EXPECT_EQ(call.ending(), "permanent, effect none, throttled");
                } else if (hint < 0s || use == HintUse::ignore) {
                    EXPECT_EQ(step, "wait 50ms");
                } else if (deadline != never) {
                    EXPECT_EQ(call.ending(), "deadline, effect none, throttled");
                }
            }
        }
    }
}

TEST(Robustness, without_any_deadline_an_attempt_has_for_ever) {
    Memory memory{{.deadline = never}};
    FixedRandom ceiling{1.0};
    const Operation operation{};
    for (const Resolver resolver : {Resolver::none, Resolver::given}) {
        const TimePoint now = TimePoint::max() - 1h;  // even close to the end of time
        Progress call{memory, operation, {.now = now, .random = &ceiling, .resolver = resolver}};
        const Step step = call.next(now);
        EXPECT_EQ(step.kind, StepKind::attempt);
        EXPECT_GT(step.until, now);
        call.succeeded(1, now);
    }
}

TEST(Robustness, zero_durations_everywhere_still_end) {
    VirtualClock clock;
    FixedRandom ceiling{1.0};
    Caller caller{
        {.rule = {.attempts = 3, .backoff = {.base = 0s, .cap = 0s}}, .resolve_within = 0s},
        {clock, ceiling}};
    Scripted<int> service{{fails({.cause = Cause::throttled, .retry_after = 0s})}};
    EXPECT_EQ(caller.run({}, service).error().attempts, 3);
    EXPECT_TRUE(clock.naps().empty());
}

TEST(Robustness, a_spread_without_end_does_not_cost_the_call) {
    for (const Duration deadline : {Duration{10s}, never}) {
        Transcript call{{.deadline = deadline, .spread = never}};
        EXPECT_TRUE(deadline == never ? call.next().starts_with("wait")
                                      : call.next() == "attempt 1");
    }
}

TEST(Robustness, deadlines_at_both_ends_of_time_are_taken_as_they_are) {
    for (const Resolver resolver : {Resolver::none, Resolver::given}) {
        Transcript past{{}, {.deadline = Deadline{TimePoint::min()}}, {.resolver = resolver}};
        EXPECT_EQ(past.next(), "finish");
        EXPECT_EQ(past.ending(), "deadline, effect none, timed_out");
        Transcript future{{}, {.deadline = Deadline{TimePoint::max()}}, {.resolver = resolver}};
        EXPECT_EQ(future.next(), "attempt 1");
    }
}

// Every look at it is earlier than the one before.
class BackwardClock final : public Clock {
public:
    TimePoint now() const noexcept override { return now_ -= 10ms; }
    WallTime wall() const noexcept override { return {}; }
    Woken sleep_until(TimePoint until, const std::stop_token&) override {
        now_ = until + 1s;
        return Woken::on_time;
    }

private:
    mutable TimePoint now_{Duration{1h}};
};

TEST(Robustness, a_clock_that_goes_backwards_breaks_nothing) {
    BackwardClock clock;
    FixedRandom ceiling{1.0};
    Diagnostics diagnostics;
    for (const Plan& plan : {Plan{}, Plan{.breaker = BreakerOptions{}, .hedge = HedgeOptions{}},
                             Plan{.limiter = {.kind = LimiterKind::rate, .per_second = 100}}}) {
        Caller caller{plan, {clock, ceiling}};
        Scripted<int> failing{{fails(Cause::throttled)}};
        EXPECT_EQ(caller.run({.diagnostics = &diagnostics}, failing).error().attempts, 4);
        Scripted<int> fine{{succeeds(1)}};
        EXPECT_TRUE(caller.run({}, fine));
        EXPECT_EQ(caller.latencies().quantile(0.5), Duration::zero())
            << "negative latencies count as zero";
    }
}

TEST(Robustness, what_a_driver_says_at_the_wrong_moment_is_ignored) {
    Transcript call{{}, {}, {.resolver = Resolver::given}};
    call.progress.landed(Verdict::yes, {}, call.now);
    call.progress.resolver_failed({}, call.now);
    call.progress.prepared(fail({}), call.now);
    call.progress.failed(1, {}, Effect::applied, call.now);
    EXPECT_EQ(call.next(), "attempt 1");
    call.progress.landed(Verdict::yes, {}, call.now);
    call.progress.prepared({}, call.now);
    call.progress.failed(2, {}, Effect::applied, call.now);
    call.succeeds();
    call.progress.cancelled(call.now);
    call.progress.failed(1, {}, Effect::applied, call.now);
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.memory.counters()[Count::calls_failed], 0u);
}

TEST(Robustness, after_a_fork_the_child_can_make_calls_of_its_own) {
    VirtualClock clock;
    Caller caller{{}, {clock, system_random()}};
    Scripted<int> before{{fails(Cause::throttled), succeeds(1)}};
    ASSERT_TRUE(caller.run({}, before));
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        Scripted<int> service{{fails(Cause::throttled), succeeds(7)}};
        const auto result = caller.run({}, service);
        _exit(result && *result == 7 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace perdure::testing
