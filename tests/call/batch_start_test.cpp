// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/batch_start.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "perdure/call/block_on.hpp"
#include "perdure/call/sleep.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/virtual_loop.hpp"

// Every closure here outlives its coroutine.
// NOLINTBEGIN(cppcoreguidelines-avoid-capturing-lambda-coroutines)
namespace perdure::testing {
namespace {

class BatchStart : public ::testing::Test {
protected:
    Environment environment() { return {loop.clock(), ceiling, nullptr, &loop}; }
    Duration elapsed() { return loop.clock().now().time_since_epoch() - 1h; }

    VirtualLoop loop;
    FixedRandom ceiling{1.0};
    const Operation put{.name = "put", .safety = Safety::idempotent};
};

using SentChunk = Task<Result<ChunkAnswer<>>>;

Task<Woken> serve(Executor& executor, Duration time, const Attempt& attempt) {
    auto nap = sleep_until(executor, executor.clock().now() + time, attempt.stop());
    co_return co_await nap;
}

TEST_F(BatchStart, sends_side_by_side_without_threads) {
    Caller orders{{.name = "orders"}, environment()};
    int now = 0, most = 0;
    const auto send = [&](const Chunk& chunk, const Attempt& attempt) -> SentChunk {
        most = std::max(most, ++now);
        auto serving = serve(loop, 10ms, attempt);
        (void)co_await serving;
        --now;
        co_return ChunkAnswer<>{chunk};
    };
    const BatchOptions options{.chunk_items = 2, .parallel = {.most = 4}};
    const BatchReport<> report = loop.run(start_batch(orders, put, options, 20, send));
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.sends, 10u);
    EXPECT_EQ(most, 4);
    EXPECT_EQ(elapsed(), 30ms);
}

TEST_F(BatchStart, ends_at_once_when_nothing_waits) {
    Caller orders{{.name = "orders"}, environment()};
    const auto send = [](const Chunk& chunk,
                         const Attempt&) -> Task<Result<ChunkAnswer<std::size_t>>> {
        ChunkAnswer<std::size_t> answer{chunk};
        for (std::size_t at = 0; at < chunk.size(); ++at) answer.done(at, chunk[at] * 2);
        co_return answer;
    };
    const auto report = loop.run(start_batch(orders, put, {.chunk_items = 3}, 10, send));
    ASSERT_TRUE(report.complete());
    for (std::size_t index = 0; index < 10; ++index) EXPECT_EQ(report.values[index], index * 2);
}

TEST_F(BatchStart, sends_leftovers_again_while_other_chunks_go_on) {
    Caller orders{{.name = "orders"}, environment()};
    const auto send = [&](const Chunk& chunk, const Attempt& attempt) -> SentChunk {
        auto serving = serve(loop, 10ms, attempt);
        (void)co_await serving;
        ChunkAnswer<> answer{chunk};
        if (attempt.number == 1) answer.left(0, {.cause = Cause::throttled});
        co_return answer;
    };
    const BatchOptions options{.chunk_items = 5, .parallel = {.most = 2}};
    const auto report = loop.run(start_batch(orders, put, options, 10, send));
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.sends, 4u);
    EXPECT_EQ(elapsed(), 10ms + 50ms + 10ms);
}

TEST_F(BatchStart, cuts_a_send_off_at_its_timeout_and_drops_its_late_answer) {
    Caller orders{{.name = "orders", .attempt_timeout = 100ms}, environment()};
    int sends = 0;
    const auto deaf = [&, this](const Chunk& chunk,
                                const Attempt&) -> Task<Result<ChunkAnswer<int>>> {
        const int number = ++sends;
        if (number == 1) {
            auto nap = sleep_until(loop, loop.clock().now() + 1h);
            co_await nap;
        }
        ChunkAnswer<int> answer{chunk};  // the chunk is still there, an hour later
        for (std::size_t at = 0; at < chunk.size(); ++at) answer.done(at, number);
        co_return answer;
    };
    const auto report = loop.run(start_batch(orders, put, {}, 3, deaf));
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.values[2], 2);
    EXPECT_EQ(elapsed(), 150ms);
    loop.drain();
}

TEST_F(BatchStart, never_repeats_a_cut_off_chunk_that_may_run_once) {
    Caller orders{{.name = "orders", .attempt_timeout = 100ms}, environment()};
    const auto slow = [&](const Chunk& chunk, const Attempt& attempt) -> SentChunk {
        auto serving = serve(loop, 1h, attempt);
        if (co_await serving == Woken::by_stop) co_return fail({.cause = Cause::cancelled});
        co_return ChunkAnswer<>{chunk};
    };
    const auto report = loop.run(start_batch(orders, {.name = "charge"}, {}, 2, slow));
    ASSERT_EQ(report.leftovers.size(), 2u);
    EXPECT_EQ(report.leftovers[0].failure.stop, Stop::unsafe);
    EXPECT_EQ(report.leftovers[0].failure.effect, Effect::unknown);
    EXPECT_EQ(report.sends, 1u);
}

TEST_F(BatchStart, is_cancelled_from_outside_while_sends_are_under_way) {
    Caller orders{{.name = "orders"}, environment()};
    std::stop_source stop;
    int stopped = 0;
    loop.clock().at(loop.clock().now() + 15ms, [&] { stop.request_stop(); });
    const auto send = [&](const Chunk& chunk, const Attempt& attempt) -> SentChunk {
        auto serving = serve(loop, 10ms, attempt);
        if (co_await serving == Woken::by_stop) {
            ++stopped;
            co_return fail({.cause = Cause::cancelled});
        }
        co_return ChunkAnswer<>{chunk};
    };
    const Operation stoppable{.safety = Safety::idempotent, .stop = stop.get_token()};
    const BatchOptions options{.chunk_items = 1, .parallel = {.most = 2}};
    const auto report = loop.run(start_batch(orders, stoppable, options, 6, send));
    EXPECT_EQ(report.done, 2u);
    ASSERT_EQ(report.leftovers.size(), 4u);
    EXPECT_EQ(report.leftovers[0].failure.effect, Effect::unknown);
    EXPECT_EQ(report.leftovers[3].failure.effect, Effect::none);
    EXPECT_EQ(report.leftovers[3].failure.stop, Stop::cancelled);
    EXPECT_EQ(elapsed(), 15ms);
    EXPECT_EQ(stopped, 2);
}

TEST_F(BatchStart, an_exception_reaches_whoever_awaits) {
    Caller orders{{.name = "orders"}, environment()};
    const auto send = [](const Chunk& chunk, const Attempt&) -> SentChunk {
        if (chunk[0] == 2) throw std::runtime_error{"broken"};
        co_return ChunkAnswer<>{chunk};
    };
    EXPECT_THROW((void)loop.run(start_batch(orders, put, {.chunk_items = 1}, 5, send)),
                 std::runtime_error);
    loop.drain();
}

TEST_F(BatchStart, dropped_before_its_end_it_leaves_nothing_behind) {
    Caller orders{{.name = "orders"}, environment()};
    int ended = 0;
    const auto send = [&](const Chunk& chunk, const Attempt& attempt) -> SentChunk {
        auto serving = serve(loop, 1h, attempt);
        (void)co_await serving;
        ++ended;
        co_return ChunkAnswer<>{chunk};
    };
    {
        auto batch = start_batch(orders, put, {.chunk_items = 1, .parallel = {.most = 3}}, 9, send);
        EXPECT_FALSE(batch.start({[](void*) {}, nullptr}));
    }
    loop.drain();
    EXPECT_EQ(ended, 3);
    EXPECT_EQ(elapsed(), 0ns);
}

TEST(BatchLoopThreads, a_batch_runs_on_a_loop_of_its_own) {
    Loop loop;
    Caller orders{{.name = "orders"}, {.executor = &loop}};
    const auto send = [](const Chunk& chunk, const Attempt& attempt) -> SentChunk {
        ChunkAnswer<> answer{chunk};
        if (attempt.number == 1) answer.left(0, {.cause = Cause::contended});
        co_return answer;
    };
    const Operation put{.name = "put", .safety = Safety::idempotent};
    const BatchReport<> report =
        block_on(loop, start_batch(orders, put, {.chunk_items = 10}, 80, send));
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.rounds, 2);
}

}  // namespace
}  // namespace perdure::testing
// NOLINTEND(cppcoreguidelines-avoid-capturing-lambda-coroutines)
