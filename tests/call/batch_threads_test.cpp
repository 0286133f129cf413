// SPDX-License-Identifier: Apache-2.0
//
// A batch sent by many threads: every item once, no more at a time than allowed.
#include "perdure/call/batch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <set>
#include <stdexcept>
#include <thread>

namespace perdure::testing {
namespace {

const Operation put{.name = "put", .safety = Safety::idempotent};

// Fifty attempts and no budget: each item fails many times here, and all must be done in the end.
Plan quick() {
    return {.name = "orders",
            .deadline = 60s,
            .rule = {.attempts = 50, .backoff = {.base = 100us, .cap = 1ms}},
            .budget = {.kind = BudgetKind::none}};
}

// How many are in there at once.
class Gauge {
public:
    void enter() {
        const int now = ++inside_;
        for (int seen = most_.load(); seen < now && !most_.compare_exchange_weak(seen, now);) {}
    }
    void leave() { --inside_; }
    int most() const { return most_; }

private:
    std::atomic<int> inside_{0}, most_{0};
};

TEST(BatchThreads, every_item_is_done_exactly_once_through_throttling_and_faults) {
    constexpr std::size_t items = 5'000;
    Caller orders{quick()};
    std::vector<std::atomic<int>> written(items);
    std::atomic<std::uint64_t> sends{0};
    Gauge gauge;
    const auto send = [&](const Chunk& chunk, const Attempt&) -> Result<ChunkAnswer<std::size_t>> {
        gauge.enter();
        const std::uint64_t number = ++sends;
        Result<ChunkAnswer<std::size_t>> result = fail({.cause = Cause::throttled});
        if (number % 7 != 0) {
            ChunkAnswer<std::size_t> answer{chunk};
            for (std::size_t at = 0; at < chunk.size(); ++at) {
                if ((chunk[at] + number) % 5 == 0) {
                    answer.left(at, {.cause = Cause::throttled});
                } else {
                    ++written[chunk[at]];
                    answer.done(at, chunk[at]);
                }
            }
            result = std::move(answer);
        }
        gauge.leave();
        return result;
    };
    const auto report =
        run_batch(orders, put, {.chunk_items = 20, .parallel = {.most = 6}}, items, send);
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.sends, sends);
    EXPECT_LE(gauge.most(), 6);
    for (std::size_t index = 0; index < items; ++index) {
        EXPECT_EQ(written[index], 1) << index;
        EXPECT_EQ(report.values[index], index);
    }
}

TEST(BatchThreads, as_many_threads_work_as_are_allowed) {
    Caller orders{quick()};
    std::barrier all_here{3};
    std::mutex mutex;
    std::set<std::thread::id> threads;
    const auto send = [&](const Chunk& chunk, const Attempt&) -> Result<ChunkAnswer<>> {
        all_here.arrive_and_wait();  // nobody leaves before three are here
        const std::lock_guard lock{mutex};
        threads.insert(std::this_thread::get_id());
        return ChunkAnswer<>{chunk};
    };
    EXPECT_TRUE(
        run_batch(orders, put, {.chunk_items = 1, .parallel = {.most = 3}}, 9, send).complete());
    EXPECT_EQ(threads.size(), 3u);
    EXPECT_TRUE(threads.contains(std::this_thread::get_id()));
}

TEST(BatchThreads, a_single_chunk_is_sent_on_the_calling_thread) {
    Caller orders{quick()};
    const auto here = std::this_thread::get_id();
    const auto send = [&](const Chunk& chunk, const Attempt& attempt) -> Result<ChunkAnswer<>> {
        EXPECT_EQ(std::this_thread::get_id(), here);
        if (attempt.number < 3) return fail({.cause = Cause::throttled});
        return ChunkAnswer<>{chunk};
    };
    EXPECT_TRUE(run_batch(orders, put, {}, 9, send).complete());
}

TEST(BatchThreads, an_exception_on_any_thread_reaches_the_caller) {
    for (std::size_t broken = 0; broken < 8; ++broken) {
        Caller orders{quick()};
        const auto send = [&](const Chunk& chunk, const Attempt&) -> Result<ChunkAnswer<>> {
            if (chunk[0] == broken) throw std::runtime_error{"broken"};
            return ChunkAnswer<>{chunk};
        };
        EXPECT_THROW((void)run_batch(orders, put, {.chunk_items = 1}, 8, send), std::runtime_error);
    }
}

TEST(BatchThreads, a_stop_wakes_all_that_wait) {
    Plan patient = quick();
    patient.deadline = 1h;
    patient.rule.backoff = {.base = 30min, .cap = 30min, .jitter = Jitter::none};
    Caller orders{patient};
    std::stop_source stop;
    std::atomic<int> sends{0};
    const auto send = [&](const Chunk&, const Attempt&) -> Result<ChunkAnswer<>> {
        if (++sends == 4) stop.request_stop();
        return fail({.cause = Cause::contended});
    };
    const Operation stoppable{.safety = Safety::idempotent, .stop = stop.get_token()};
    const auto report =
        run_batch(orders, stoppable, {.chunk_items = 1, .parallel = {.most = 4}}, 100, send);
    EXPECT_EQ(report.leftovers.size(), 100u);
    EXPECT_LT(report.elapsed, 20min);
    EXPECT_EQ(sends, 4);
}

TEST(BatchThreads, many_batches_share_a_caller) {
    Caller orders{quick()};
    std::atomic<int> written{0}, sends{0};
    std::vector<std::thread> all;
    for (int i = 0; i < 3; ++i)
        all.emplace_back([&] {
            const auto send = [&](const Chunk& chunk, const Attempt&) -> Result<ChunkAnswer<>> {
                if (++sends % 3 == 0) return fail({.cause = Cause::unavailable});
                written += static_cast<int>(chunk.size());
                return ChunkAnswer<>{chunk};
            };
            EXPECT_TRUE(
                run_batch(orders, put, {.chunk_items = 7, .parallel = {.most = 3}}, 500, send)
                    .complete());
        });
    for (std::thread& one : all) one.join();
    EXPECT_EQ(written, 1'500);
}

}  // namespace
}  // namespace perdure::testing
