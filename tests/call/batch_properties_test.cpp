// SPDX-License-Identifier: Apache-2.0
//
// Promises that hold for every batch, whatever the service does: nothing lost, nothing twice unless
// that is harmless, never more at once than allowed, over by the deadline.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "perdure/call/batch_progress.hpp"

namespace perdure::testing {
namespace {

class Dice {
public:
    explicit Dice(std::uint64_t seed) : numbers_{seed} {}
    std::size_t below(std::size_t bound) { return numbers_() % bound; }
    bool one_in(std::size_t n) { return below(n) == 0; }
    template <class T>
    T any(std::initializer_list<T> of) {
        return of.begin()[below(of.size())];
    }

private:
    std::mt19937_64 numbers_;
};

// A service with moods, and a driver that is told by the machine what to do.
class BatchTrial {
public:
    explicit BatchTrial(std::uint64_t seed)
        : dice{seed},
          random{seed},
          safety{dice.any({Safety::once, Safety::guarded, Safety::idempotent, Safety::read})},
          overrun{dice.any({Overrun::waited_for, Overrun::cut_off})},
          sizes(dice.below(60)),
          failing{dice.below(5)},
          memory{plan()} {
        for (std::size_t& size : sizes) size = dice.below(40);
        options.chunk_items = 1 + dice.below(9);
        options.chunk_bytes = dice.any<std::size_t>({0, 30, 100});
        options.largest_item = dice.any<std::size_t>({0, 35});
        options.size_of = size_of;
        options.parallel = {.most = 1 + static_cast<int>(dice.below(6))};
        items.resize(sizes.size());
    }

    void run() {
        const TimePoint deadline = now + memory.plan().deadline;
        BatchProgress machine{memory,
                              {.name = "put", .safety = safety},
                              options,
                              sizes.size(),
                              {.now = now, .random = &random, .overrun = overrun}};
        batch = &machine;
        const std::size_t cancel_at = dice.one_in(5) ? 1 + dice.below(30) : 0;
        for (std::size_t steps = 1;; ++steps) {
            ASSERT_LT(steps, 20'000u) << "it does not end";
            if (steps == cancel_at) machine.cancelled(now);
            const BatchStep next = machine.next(now);
            if (next.step.kind == StepKind::finish) break;
            take(next);
            if (::testing::Test::HasFatalFailure()) return;
        }
        EXPECT_TRUE(under_way.empty()) << "a send was forgotten";
        EXPECT_LE(now, deadline);
        check(machine.take_totals(now));
    }

private:
    struct Item {
        int sends = 0;
        bool under_way = false;
        bool done = false;     // the machine has been told
        bool applied = false;  // in the service
        bool doubtful = false;
        bool refused = false;
    };
    struct Send {
        Chunk chunk;
        TimePoint ends{};
    };

    Plan plan() {
        return {.name = "orders",
                .deadline = dice.any<Duration>({200ms, 2s, 10s}),
                .rule = {.attempts = static_cast<int>(dice.below(6))},
                .budget = {.kind = dice.any({BudgetKind::none, BudgetKind::traffic})},
                .limiter = {.kind = dice.any({LimiterKind::none, LimiterKind::rate}),
                            .per_second = 50}};
    }

    void take(const BatchStep& next) {
        if (next.step.kind == StepKind::attempt) return start(next);
        if (next.step.kind == StepKind::cancel) {
            ASSERT_EQ(overrun, Overrun::cut_off);
            for (const std::size_t index : end(next.lane).chunk) {
                items[index].doubtful = safety != Safety::read;
                items[index].applied |= dice.one_in(2);
            }
            return;
        }
        ASSERT_EQ(next.step.kind, StepKind::wait);
        // Whichever comes first, the time or an answer.
        auto first = under_way.end();
        for (auto at = under_way.begin(); at != under_way.end(); ++at)
            if (first == under_way.end() || at->second.ends < first->second.ends) first = at;
        if (first == under_way.end() || first->second.ends > next.step.until) {
            ASSERT_NE(next.step.until, TimePoint::max()) << "it waits for nothing";
            ASSERT_GT(next.step.until, now);
            now = next.step.until;
        } else {
            now = std::max(now, first->second.ends);
            answer(first->first);
        }
    }

    void start(const BatchStep& next) {
        const Chunk chunk = batch->chunk(next.lane);
        ASSERT_GE(chunk.size(), 1u);
        ASSERT_LE(chunk.size(), options.chunk_items);
        std::size_t bytes = 0;
        for (const std::size_t index : chunk) {
            Item& item = items[index];
            ASSERT_FALSE(item.under_way || item.done || item.refused) << "item " << index;
            ASSERT_FALSE(item.doubtful && safety == Safety::once) << "item " << index;
            ASSERT_TRUE(options.largest_item == 0 || sizes[index] <= options.largest_item);
            item.under_way = true;
            ++item.sends;
            bytes += sizes[index];
        }
        ASSERT_TRUE(options.chunk_bytes == 0 || bytes <= options.chunk_bytes || chunk.size() == 1);
        const Duration longest = next.step.until - now;
        ASSERT_GT(longest, 0ns);
        const Duration takes =
            longest * static_cast<int>(dice.below(20)) / (overrun == Overrun::cut_off ? 15 : 100);
        ASSERT_TRUE(under_way.emplace(next.lane, Send{chunk, now + takes}).second);
        ASSERT_LE(under_way.size(), static_cast<std::size_t>(batch->limit()));
    }

    Send end(std::size_t lane) {
        Send ended = under_way.extract(lane).mapped();
        for (const std::size_t index : ended.chunk) items[index].under_way = false;
        return ended;
    }

    Failure trouble() {
        return {.cause = dice.any({Cause::throttled, Cause::unavailable, Cause::contended,
                                   Cause::timed_out, Cause::invalid, Cause::conflict})};
    }
    void note(Item& item, const Failure& failure) {
        const bool unknown = safety != Safety::read && failure.effect != Effect::none;
        item.doubtful |= unknown;
        if (unknown) item.applied |= dice.one_in(2);
        item.refused |= !is_repeatable(failure.cause);
    }

    void answer(std::size_t lane) {
        const Send ended = end(lane);
        if (dice.below(10) < failing) {
            const Failure failure = trouble();
            for (const std::size_t index : ended.chunk) note(items[index], failure);
            return batch->failed(lane, failure, Effect::none, now);
        }
        ChunkAnswer<> said{ended.chunk};
        for (std::size_t at = 0; at < ended.chunk.size(); ++at) {
            Item& item = items[ended.chunk[at]];
            if (dice.below(10) < failing) {
                const Failure failure = trouble();
                note(item, failure);
                said.left(at, failure);
            } else {
                item.done = item.applied = true;
            }
        }
        batch->answered(lane, said.take_marks(), now);
    }

    void check(const BatchTotals& totals) {
        std::set<std::size_t> left;
        for (const auto& [index, failure] : totals.leftovers) {
            const Item& item = items.at(index);
            EXPECT_TRUE(left.insert(index).second) << "left twice: " << index;
            EXPECT_FALSE(item.done) << index;
            EXPECT_NE(failure.stop, Stop::none) << index;
            EXPECT_EQ(failure.attempts, item.sends) << index;
            EXPECT_EQ(failure.effect != Effect::none, item.doubtful) << index;
            EXPECT_TRUE(failure.effect != Effect::none || !item.applied || safety == Safety::read)
                << index;
        }
        EXPECT_EQ(totals.done + left.size(), items.size());
        for (std::size_t index = 0; index < items.size(); ++index)
            EXPECT_EQ(items[index].done, !left.contains(index)) << "lost: " << index;
    }

    Dice dice;
    SeededRandom random;
    Safety safety;
    Overrun overrun;
    std::vector<std::size_t> sizes;
    std::size_t failing;
    Memory memory;
    const std::function<std::size_t(std::size_t)> size_of = [this](std::size_t i) {
        return sizes[i];
    };
    BatchOptions options{};
    std::vector<Item> items;
    std::map<std::size_t, Send> under_way;
    TimePoint now{Duration{1h}};
    BatchProgress* batch = nullptr;
};

TEST(BatchProperties, hold_in_ten_thousand_random_batches) {
    for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        BatchTrial{seed}.run();
        if (HasFailure()) return;
    }
}

}  // namespace
}  // namespace perdure::testing
