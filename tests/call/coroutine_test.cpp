// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "perdure/call/block_on.hpp"
#include "perdure/call/sleep.hpp"
#include "perdure/call/start.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/virtual_loop.hpp"

// Every closure here outlives its coroutine.
// NOLINTBEGIN(cppcoreguidelines-avoid-capturing-lambda-coroutines)
namespace perdure::testing {
namespace {

class Coroutine : public ::testing::Test {
protected:
    Environment environment() { return {loop.clock(), ceiling, nullptr, &loop}; }
    Duration elapsed() { return loop.clock().now().time_since_epoch() - 1h; }

    VirtualLoop loop;
    FixedRandom ceiling{1.0};
};

const Operation users_get{.name = "get"};

// An attempt that takes `time` unless it is stopped.
Task<Result<int>> takes(Executor& executor, Duration time, const Attempt& attempt, int value) {
    auto nap = sleep_until(executor, executor.clock().now() + time, attempt.stop());
    if (co_await nap == Woken::by_stop) co_return fail({.cause = Cause::cancelled});
    co_return value;
}

TEST_F(Coroutine, succeeds_at_once_without_waiting) {
    Caller users{{.name = "users"}, environment()};
    const auto work = [](const Attempt&) -> Task<Result<int>> { co_return 7; };
    EXPECT_EQ(*loop.run(start(users, {.name = "get"}, work)), 7);
    EXPECT_EQ(elapsed(), 0ns);
    EXPECT_EQ(users.latencies().count(), 1u);
}

TEST_F(Coroutine, waits_between_attempts_on_the_loop_and_not_on_a_thread) {
    Caller users{{.name = "users"}, environment()};
    int calls = 0;
    const auto work = [&calls](const Attempt&) -> Task<Result<int>> {
        if (++calls < 3) co_return fail({.cause = Cause::throttled});
        co_return calls;
    };
    EXPECT_EQ(*loop.run(start(users, {.name = "get"}, work)), 3);
    EXPECT_EQ(elapsed(), 150ms);
    EXPECT_TRUE(loop.clock().naps().empty());
}

TEST_F(Coroutine, cuts_an_attempt_off_at_its_timeout_and_tries_again) {
    Caller users{{.name = "users", .attempt_timeout = 100ms}, environment()};
    int calls = 0, stopped = 0;
    const auto work = [&](const Attempt& attempt) -> Task<Result<int>> {
        const Duration time = ++calls == 1 ? Duration{1h} : Duration{10ms};
        auto attempting = takes(loop, time, attempt, calls);
        auto result = co_await attempting;
        if (!result) ++stopped;
        co_return result;
    };
    EXPECT_EQ(*loop.run(start(users, {.name = "get", .safety = Safety::read}, work)), 2);
    EXPECT_EQ(elapsed(), 100ms + 50ms + 10ms);
    EXPECT_EQ(stopped, 1);
    EXPECT_EQ(users.counts().attempts_timed_out, 1u);
}

TEST_F(Coroutine, never_repeats_a_cut_off_attempt_of_an_operation_that_may_run_once) {
    Caller users{{.name = "users", .attempt_timeout = 100ms}, environment()};
    const auto work = [&](const Attempt& attempt) { return takes(loop, 1h, attempt, 1); };
    const auto result = loop.run(start(users, {.name = "pay"}, work));
    EXPECT_EQ(result.error().stop, Stop::unsafe);
    EXPECT_EQ(result.error().effect, Effect::unknown);
    EXPECT_EQ(result.error().attempts, 1);
}

TEST_F(Coroutine, ends_by_its_deadline_even_if_an_attempt_ignores_its_stop) {
    Caller users{{.name = "users", .deadline = 1s}, environment()};
    const auto deaf = [this](const Attempt&) -> Task<Result<int>> {
        auto nap = sleep_until(loop, loop.clock().now() + 1h);
        co_await nap;
        co_return 1;
    };
    const auto result = loop.run(start(users, {.name = "get", .safety = Safety::read}, deaf));
    EXPECT_EQ(result.error().stop, Stop::deadline);
    EXPECT_LE(elapsed(), 1s);
    loop.drain();  // the abandoned attempts end an hour later, and nothing is left behind
}

TEST_F(Coroutine, hedges_a_slow_read_and_cancels_the_loser) {
    Caller replicas{{.name = "replicas", .hedge = HedgeOptions{.after = 30ms}}, environment()};
    std::vector<std::string> story;
    const auto work = [&](const Attempt& attempt) -> Task<Result<int>> {
        const int number = attempt.number;
        auto attempting = takes(loop, number == 1 ? 500ms : 20ms, attempt, number);
        auto result = co_await attempting;
        story.push_back(std::to_string(number) + (result ? " answered" : " was stopped"));
        co_return result;
    };
    EXPECT_EQ(*loop.run(start(replicas, {.name = "get", .safety = Safety::read}, work)), 2);
    EXPECT_EQ(elapsed(), 50ms);
    EXPECT_EQ(story, (std::vector<std::string>{"2 answered", "1 was stopped"}));
    EXPECT_EQ(replicas.counts().hedges_won, 1u);
}

TEST_F(Coroutine, is_cancelled_from_outside_while_it_waits) {
    Caller users{{.name = "users"}, environment()};
    std::stop_source stop;
    loop.clock().at(loop.clock().now() + 20ms, [&] { stop.request_stop(); });
    const auto work = [](const Attempt&) -> Task<Result<int>> {
        co_return fail({.cause = Cause::throttled});
    };
    const auto result = loop.run(start(users, {.name = "get", .stop = stop.get_token()}, work));
    EXPECT_EQ(result.error().stop, Stop::cancelled);
    EXPECT_EQ(result.error().first_cause, Cause::throttled);
    EXPECT_EQ(elapsed(), 20ms);
}

TEST_F(Coroutine,
       is_cancelled_from_outside_while_an_attempt_runs_and_says_that_it_may_have_landed) {
    Caller users{{.name = "users"}, environment()};
    std::stop_source stop;
    loop.clock().at(loop.clock().now() + 20ms, [&] { stop.request_stop(); });
    const auto work = [&](const Attempt& attempt) { return takes(loop, 1s, attempt, 1); };
    const auto result = loop.run(start(users, {.name = "pay", .stop = stop.get_token()}, work));
    EXPECT_EQ(result.error().stop, Stop::cancelled);
    EXPECT_EQ(result.error().effect, Effect::unknown);
    EXPECT_EQ(elapsed(), 20ms);
}

TEST_F(Coroutine, asks_its_resolver_and_takes_the_value_from_it) {
    Caller bank{{.name = "bank"}, environment()};
    int asked = 0;
    const auto pay = [](const Attempt&) -> Task<Result<int>> {
        co_return fail({.cause = Cause::unavailable});
    };
    const auto landed = [&](const Attempt&) -> Task<Result<Landed<int>>> {
        if (++asked == 1) co_return Landed<int>::pending(200ms);
        co_return Landed<int>::yes(42);
    };
    EXPECT_EQ(*loop.run(start(bank, {.name = "pay"}, pay, landed)), 42);
    EXPECT_EQ(asked, 2);
    EXPECT_EQ(elapsed(), 200ms);
}

TEST_F(Coroutine, cuts_off_a_resolver_that_does_not_answer_by_the_deadline) {
    Caller bank{{.name = "bank", .deadline = 3s}, environment()};
    const auto pay = [](const Attempt&) -> Task<Result<int>> {
        co_return fail({.cause = Cause::unavailable});
    };
    const auto landed = [this](const Attempt& attempt) -> Task<Result<Landed<int>>> {
        auto nap = sleep_until(loop, loop.clock().now() + 1h, attempt.stop());
        co_await nap;
        co_return Landed<int>::unknown();
    };
    const auto result = loop.run(start(bank, {.name = "pay"}, pay, landed));
    EXPECT_EQ(result.error().stop, Stop::unsafe);
    EXPECT_EQ(result.error().effect, Effect::unknown);
    EXPECT_EQ(elapsed(), 3s);
}

TEST_F(Coroutine, passes_exceptions_through_untouched_and_gives_permits_back) {
    Caller users{{.name = "users", .limiter = {.kind = LimiterKind::concurrency, .concurrent = 1}},
                 environment()};
    const auto broken = [](const Attempt&) -> Task<Result<int>> {
        throw std::runtime_error{"mine"};
        co_return 1;
    };
    const auto fine = [](const Attempt&) -> Task<Result<int>> { co_return 1; };
    EXPECT_THROW((void)loop.run(start(users, {.name = "get"}, broken)), std::runtime_error);
    EXPECT_EQ(*loop.run(start(users, {.name = "get"}, fine)), 1);
}

// Not a coroutine: it throws before there is a task.
TEST_F(Coroutine, passes_on_what_work_throws_before_it_returns_a_task_and_leaks_nothing) {
    Caller users{{.name = "users"}, environment()};
    const auto held = std::make_shared<int>(1);
    const auto broken = [held](const Attempt&) -> Task<Result<int>> {
        throw std::runtime_error{"no such id"};
    };
    const std::weak_ptr<int> watched = held;
    EXPECT_EQ(watched.use_count(), 2);
    EXPECT_THROW((void)loop.run(start(users, {.name = "get"}, broken)), std::runtime_error);
    EXPECT_EQ(watched.use_count(), 2) << "the call's copy of the work is gone";
    const auto awaits = [&]() -> Task<std::string> {
        auto call = start(users, {.name = "get"}, broken);
        try {
            (void)co_await call;
        } catch (const std::runtime_error& thrown) {
            co_return thrown.what();
        }
        co_return "";
    };
    EXPECT_EQ(loop.run(awaits()), "no such id");
    EXPECT_EQ(watched.use_count(), 2);
}

TEST_F(Coroutine, passes_on_what_the_second_attempt_throws_before_it_returns_a_task) {
    Caller users{{.name = "users"}, environment()};
    const auto held = std::make_shared<int>(0);
    const auto fails = []() -> Task<Result<int>> { co_return fail({.cause = Cause::throttled}); };
    const auto broken = [held, fails](const Attempt& attempt) -> Task<Result<int>> {
        if (attempt.number == 2) throw std::runtime_error{"no such id"};
        return fails();
    };
    EXPECT_THROW((void)loop.run(start(users, {.name = "get"}, broken)), std::runtime_error);
    EXPECT_EQ(held.use_count(), 2);
}

TEST_F(Coroutine, passes_on_what_a_resolver_throws_before_it_returns_a_task) {
    Caller bank{{.name = "bank"}, environment()};
    const auto held = std::make_shared<int>(0);
    const auto pay = []() -> Task<Result<int>> { co_return fail({.cause = Cause::timed_out}); };
    const auto broken = [held](const Attempt&) -> Task<Result<Landed<int>>> {
        throw std::runtime_error{"no such payment"};
    };
    EXPECT_THROW((void)loop.run(start(bank, {.name = "pay"}, pay, broken)), std::runtime_error);
    EXPECT_EQ(held.use_count(), 2);
}

TEST_F(Coroutine, frees_a_named_call_when_it_has_been_awaited) {
    Caller users{{.name = "users"}, environment()};
    const auto held = std::make_shared<int>(7);
    const auto awaits = [&]() -> Task<long> {
        auto call =
            start(users, {.name = "get"}, [held]() -> Task<Result<int>> { co_return *held; });
        const auto value = co_await call;
        co_return value ? held.use_count() : -1;
    };
    EXPECT_EQ(loop.run(awaits()), 1);
}

#if !defined(__GNUC__) || defined(__clang__) || __GNUC__ >= 13
TEST_F(Coroutine, awaits_a_temporary_call_where_the_compiler_can) {
    Caller users{{.name = "users"}, environment()};
    const auto work = [](const Attempt&) -> Task<Result<int>> { co_return 7; };
    const auto awaits = [&]() -> Task<Result<int>> {
        co_return co_await start(users, users_get, work);
    };
    EXPECT_EQ(*loop.run(awaits()), 7);
}
#endif

TEST_F(Coroutine, makes_one_attempt_inside_the_attempt_of_another_call) {
    Caller outer{{.name = "outer", .rule = {.attempts = 3}}, environment()};
    Caller inner{{.name = "inner", .rule = {.attempts = 3}}, environment()};
    int bottom = 0;
    const auto work = [&](const Attempt& attempt) -> Task<Result<int>> {
        const auto fails = [&bottom](const Attempt&) -> Task<Result<int>> {
            ++bottom;
            co_return fail({.cause = Cause::throttled});
        };
        auto call = start(inner, attempt, {.name = "bottom"}, fails);
        co_return co_await call;
    };
    EXPECT_FALSE(loop.run(start(outer, {.name = "top", .safety = Safety::idempotent}, work)));
    EXPECT_EQ(bottom, 3);
}

TEST_F(Coroutine, ends_hundreds_of_thousands_of_instant_awaits_without_growing_the_stack) {
    const auto instant = [](int value) -> Task<int> { co_return value; };
    const auto loops = [&]() -> Task<long> {
        long sum = 0;
        for (int i = 0; i < 300'000; ++i) {
            auto one = instant(1);
            sum += co_await one;
        }
        co_return sum;
    };
    EXPECT_EQ(loop.run(loops()), 300'000);
}

TEST(LoopThreads, many_calls_on_one_loop_wait_side_by_side) {
    Loop loop;
    // Without a budget: all calls fail first, at different times, and all must get through.
    Caller users{{.name = "users",
                  .rule = {.backoff = {.base = 1ms, .cap = 1ms}},
                  .budget = {.kind = BudgetKind::none}},
                 {.executor = &loop}};
    const auto one = [&users](int fail_first) -> Task<Result<int>> {
        int calls = 0;
        const auto work = [&calls, fail_first](const Attempt&) -> Task<Result<int>> {
            if (++calls <= fail_first) co_return fail({.cause = Cause::throttled});
            co_return calls;
        };
        auto call = start(users, {.name = "get"}, work);
        co_return co_await call;
    };
    std::vector<std::jthread> threads;
    std::atomic<int> right{0};
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&] {
            for (int i = 0; i < 50; ++i)
                if (*block_on(loop, one(i % 3)) == i % 3 + 1) ++right;
        });
    threads.clear();
    EXPECT_EQ(right, 200);
    EXPECT_EQ(users.latencies().count(), 200u);
}

TEST(LoopThreads, a_stop_from_another_thread_ends_a_sleeping_call) {
    Loop loop;
    Caller users{{.name = "users", .deadline = 1h, .attempt_timeout = 30min}, {.executor = &loop}};
    std::stop_source stop;
    std::binary_semaphore running{0};
    const auto sleeps = [&](const Attempt& attempt) -> Task<Result<int>> {
        running.release();
        auto nap = sleep_until(loop, loop.clock().now() + 1h, attempt.stop());
        co_await nap;
        co_return fail({.cause = Cause::cancelled});
    };
    const std::jthread stopper{[&] {
        running.acquire();
        stop.request_stop();
    }};
    const auto result =
        block_on(loop, start(users, {.name = "get", .stop = stop.get_token()}, sleeps));
    EXPECT_EQ(result.error().stop, Stop::cancelled);
}

}  // namespace
}  // namespace perdure::testing
// NOLINTEND(cppcoreguidelines-avoid-capturing-lambda-coroutines)
