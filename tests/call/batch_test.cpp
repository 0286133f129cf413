// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/batch.hpp"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>

#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/virtual_clock.hpp"

namespace perdure::testing {
namespace {

class Batch : public ::testing::Test {
protected:
    static BatchOptions chunks_of(std::size_t items) {
        return {.chunk_items = items, .parallel = {.most = 1}};
    }

    VirtualClock clock;
    FixedRandom ceiling{1.0};
    Caller orders{{.name = "orders"}, {clock, ceiling}};
    const Operation put{.name = "put", .safety = Safety::idempotent};
};

TEST_F(Batch, sends_everything_and_says_so) {
    std::vector<std::size_t> taken;
    const auto send = [&](const Chunk& chunk, const Attempt&) -> Result<ChunkAnswer<>> {
        taken.insert(taken.end(), chunk.begin(), chunk.end());
        return ChunkAnswer<>{chunk};
    };
    const BatchReport<> report = run_batch(orders, put, chunks_of(4), 10, send);
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.done, 10u);
    EXPECT_EQ(report.sends, 3u);
    EXPECT_EQ(taken, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    EXPECT_TRUE(clock.naps().empty());
    EXPECT_EQ(orders.latencies().count(), 3u);
}

TEST_F(Batch, brings_values_back_in_the_order_of_the_items) {
    int rounds = 0;
    const auto send = [&](const Chunk& chunk, const Attempt&) -> Result<ChunkAnswer<std::string>> {
        ChunkAnswer<std::string> answer{chunk};
        // Each answer holds the second half only, last first.
        for (std::size_t at = chunk.size(); at-- > chunk.size() / 2;)
            answer.done(at, "item " + std::to_string(chunk[at]));
        for (std::size_t at = 0; at < chunk.size() / 2; ++at)
            answer.left(at, {.cause = Cause::throttled});
        ++rounds;
        return answer;
    };
    const auto report = run_batch(orders, put, chunks_of(8), 8, send);
    ASSERT_TRUE(report.complete());
    for (std::size_t index = 0; index < 8; ++index)
        EXPECT_EQ(report.values[index], "item " + std::to_string(index));
    EXPECT_EQ(rounds, 4);
    EXPECT_EQ(clock.naps(), (std::vector<Duration>{50ms, 50ms, 50ms}));
}

TEST_F(Batch, what_is_left_has_no_value_and_its_own_reason) {
    const auto send = [](const Chunk& chunk, const Attempt&) -> Result<ChunkAnswer<int>> {
        ChunkAnswer<int> answer{chunk};
        for (std::size_t at = 0; at < chunk.size(); ++at) {
            if (chunk[at] == 1) answer.left(at, {.cause = Cause::conflict, .code = "Duplicate"});
            else if (chunk[at] != 2) answer.done(at, static_cast<int>(chunk[at]) * 10);
        }
        return answer;  // of item 2 it never speaks
    };
    const auto report = run_batch(orders, put, chunks_of(4), 4, send);
    EXPECT_EQ(report.values[0], 0);
    EXPECT_EQ(report.values[3], 30);
    EXPECT_FALSE(report.values[1] || report.values[2]);
    ASSERT_EQ(report.leftovers.size(), 2u);
    EXPECT_EQ(report.leftovers[0].failure.code, "Duplicate");
    EXPECT_EQ(report.leftovers[0].failure.attempts, 1);
    EXPECT_EQ(report.leftovers[1].failure.code, "not-answered");
    EXPECT_EQ(report.leftovers[1].failure.attempts, 4);
    EXPECT_EQ(report.leftovers[1].failure.stop, Stop::attempts);
}

TEST_F(Batch, an_answer_that_broke_off_keeps_what_it_had_confirmed) {
    int sends = 0;
    const auto send = [&](const Chunk& chunk, const Attempt&) -> Result<ChunkAnswer<>> {
        ChunkAnswer<> answer{chunk};
        if (++sends > 1) return answer;
        answer.all_left({.cause = Cause::unavailable});
        answer.done(0);
        return answer;
    };
    const auto report = run_batch(orders, put, chunks_of(3), 3, send);
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.rounds, 2);
}

TEST_F(Batch, each_attempt_knows_its_number_and_the_time_it_has) {
    std::vector<int> numbers;
    const TimePoint end = clock.now() + 10s;
    const auto send = [&](const Chunk& chunk, const Attempt& attempt) -> Result<ChunkAnswer<>> {
        numbers.push_back(attempt.number);
        EXPECT_EQ(attempt.call_deadline.at(), end);
        if (attempt.number < 3) return fail({.cause = Cause::throttled});
        return ChunkAnswer<>{chunk};
    };
    EXPECT_TRUE(run_batch(orders, put, chunks_of(3), 6, send).complete());
    EXPECT_EQ(numbers, (std::vector<int>{1, 2, 3, 1, 2, 3}));
}

TEST_F(Batch, an_exception_passes_through_and_is_not_repeated) {
    int sends = 0;
    const auto send = [&](const Chunk&, const Attempt&) -> Result<ChunkAnswer<>> {
        ++sends;
        throw std::runtime_error{"broken"};
    };
    EXPECT_THROW((void)run_batch(orders, put, chunks_of(1), 5, send), std::runtime_error);
    EXPECT_EQ(sends, 1);
}

TEST_F(Batch, stops_while_it_waits_when_told_to) {
    std::stop_source stop;
    clock.at(clock.now() + 20ms, [&] { stop.request_stop(); });
    Operation stoppable = put;
    stoppable.stop = stop.get_token();
    const auto send = [](const Chunk&, const Attempt&) -> Result<ChunkAnswer<>> {
        return fail({.cause = Cause::throttled});
    };
    const auto report = run_batch(orders, stoppable, chunks_of(2), 4, send);
    ASSERT_EQ(report.leftovers.size(), 4u);
    for (const Leftover& left : report.leftovers)
        EXPECT_EQ(left.failure.stop, Stop::cancelled) << left.index;
    EXPECT_EQ(report.elapsed, 20ms);
}

TEST_F(Batch, inside_another_call_each_chunk_is_sent_once_and_the_outer_call_repeats) {
    int sends = 0, outer_attempts = 0;
    const auto send = [&](const Chunk& chunk, const Attempt&) -> Result<ChunkAnswer<>> {
        if (++sends < 3) return fail({.cause = Cause::throttled});
        return ChunkAnswer<>{chunk};
    };
    Caller outer{{.name = "outer"}, {clock, ceiling}};
    const auto result = outer.run(put, [&](const Attempt& attempt) -> Result<void> {
        ++outer_attempts;
        const auto report = run_batch(orders, attempt, put, chunks_of(9), 2, send);
        if (!report.complete()) return fail(report.leftovers.front().failure);
        return {};
    });
    EXPECT_TRUE(result);
    EXPECT_EQ(sends, 3);
    EXPECT_EQ(outer_attempts, 3);
}

TEST_F(Batch, applies_the_remedies_a_leftover_asks_for) {
    int prepared = 0;
    const auto prepare = [&](RemedySet remedies, const Attempt&) -> Result<void> {
        EXPECT_TRUE(remedies.has(Remedy::refresh_credentials));
        ++prepared;
        return {};
    };
    Operation repairable = put;
    repairable.prepare = prepare;
    const auto send = [&](const Chunk& chunk, const Attempt&) -> Result<ChunkAnswer<>> {
        ChunkAnswer<> answer{chunk};
        if (prepared == 0) answer.left(1, {.cause = Cause::credentials});
        return answer;
    };
    EXPECT_TRUE(run_batch(orders, repairable, chunks_of(3), 3, send).complete());
    EXPECT_EQ(prepared, 1);
}

TEST(BatchOptions, say_all_that_is_wrong_with_them) {
    struct Case {
        const char* field;
        BatchOptions options;
    };
    for (const auto& [field, options] : std::vector<Case>{
             {"chunk_items", {.chunk_items = 0}},
             {"size_of", {.chunk_bytes = 1}},
             {"size_of", {.largest_item = 1}},
             {"parallel.least", {.parallel = {.least = 0}}},
             {"parallel.most", {.parallel = {.most = 1, .least = 2}}},
             {"parallel.first", {.parallel = {.most = 2, .first = 3}}},
             {"parallel.shrink", {.parallel = {.shrink = 1}}},
             {"parallel.grow", {.parallel = {.grow = -1}}},
         }) {
        const auto found = validate(options);
        ASSERT_EQ(found.size(), 1u) << field;
        EXPECT_EQ(found[0].field, field);
    }
    EXPECT_TRUE(validate(BatchOptions{}).empty());
}

}  // namespace
}  // namespace perdure::testing
