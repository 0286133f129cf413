// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/memory.hpp"

#include "perdure/call/progress.hpp"
#include "perdure/testing/fixed_random.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

namespace perdure {
namespace {

constexpr TimePoint start{Duration{1h}};

TEST(Memory, keeps_latencies_unless_asked_for_counts_only) {
    Memory memory{{}};
    memory.note_first_success(nullptr, Admission::admitted, start, start + 3ms);
    EXPECT_EQ(memory.latencies().snapshot().count(), 1U);
    EXPECT_EQ(memory.first_successes(), 1U);
}

TEST(Memory, that_keeps_counts_still_knows_how_many_calls_succeeded) {
    Memory memory{{}, Keeps::counts};
    for (int i = 0; i < 10; ++i)
        memory.note_first_success(nullptr, Admission::admitted, start, start + 3ms);
    memory.counters().add(Count::retries_helped, 2);
    EXPECT_EQ(memory.latencies().count(), 10U);
    EXPECT_EQ(memory.first_successes(), 8U);
    EXPECT_EQ(memory.latencies().snapshot(), Sketch{});
}

TEST(Memory, of_a_plan_that_learns_from_latencies_keeps_them_whatever_is_asked) {
    const auto resolution = [](const Plan& plan) {
        return Memory{plan, Keeps::counts}.latencies().resolution();
    };
    EXPECT_EQ(resolution({.hedge = HedgeOptions{.quantile = 0.95}}), Resolution::buckets);
    EXPECT_EQ(resolution({.hedge = HedgeOptions{.after = 30ms}}), Resolution::count_only);
    EXPECT_EQ(resolution({.learn_timeout = LearnTimeout{}}), Resolution::buckets);
    EXPECT_EQ(resolution({}), Resolution::count_only);
}

// Enough calls of 10 ms for one look after the other, each by a Progress of its own.
Duration timeout_after(Plan plan, int looks) {
    Memory memory{std::move(plan)};
    testing::FixedRandom random{1.0};
    const Operation read{.safety = Safety::read};
    TimePoint now = start;
    for (int i = 0; i < looks * 5000; ++i, now += 1ms) {
        Progress call{memory, read, {.now = now, .random = &random}};
        const Step step = call.next(now);
        EXPECT_LE(step.until, now + memory.attempt_timeout());
        call.succeeded(step.number, now + 10ms);
    }
    return memory.attempt_timeout();
}

TEST(Memory, learns_no_timeout_unless_asked) {
    EXPECT_EQ(timeout_after({.deadline = 3s}, 3), 1s);
    EXPECT_EQ(timeout_after({.attempt_timeout = 70ms}, 3), 70ms);
}

TEST(Memory, that_learns_a_timeout_gives_it_to_the_next_attempts) {
    const Plan plan{.deadline = 3s, .learn_timeout = LearnTimeout{}};
    EXPECT_EQ(Memory{plan}.attempt_timeout(), 1s);
    EXPECT_FALSE(Memory{plan}.plain());
    EXPECT_EQ(timeout_after(plan, 2), 800ms);
    const Duration learned = timeout_after(plan, 40);
    EXPECT_GE(learned, 20ms);
    EXPECT_LE(learned, 21ms);
}

// Calls that fail once and are retried, from several threads at once, on one memory that counts what
// is under way and learns.
TEST(MemoryThreads, end_with_nothing_under_way_and_a_timeout_within_its_bounds) {
    const Plan plan{.deadline = 3s,
                    .rule = {.backoff = {.base = 0s}, .cost = 1},
                    .budget = {.kind = BudgetKind::in_flight, .least = 2},
                    .learn_timeout = LearnTimeout{.every = 1ms}};
    Memory memory{plan};
    std::atomic<int> wrong{0};
    const auto work = [&] {
        testing::FixedRandom random{1.0};
        const Operation read{.safety = Safety::read};
        TimePoint now = start;
        for (int i = 0; i < 10'000; ++i, now += 1us) {
            Progress call{memory, read, {.now = now, .random = &random}};
            Step step = call.next(now);
            const Duration allowed = step.until - now;
            if (allowed > 1s || allowed < 20ms) ++wrong;
            if (i % 4 == 0) {
                call.failed(step.number, {.cause = Cause::unavailable}, Effect::none, now);
                step = call.next(now);
            }
            if (step.kind == StepKind::attempt) call.succeeded(step.number, now + 10ms);
        }
    };
    {
        std::vector<std::jthread> crowd;
        for (int t = 0; t < 4; ++t) crowd.emplace_back(work);
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_LT(memory.attempt_timeout(), 1s) << "something was learned";
    EXPECT_EQ(memory.budget().milli_left(), 2000);
}

TEST(Memory, of_a_plan_with_problems_learns_nothing) {
    Memory memory{{.deadline = 3s, .learn_timeout = LearnTimeout{.margin = 0}}};
    EXPECT_FALSE(memory.refusal().empty());
    testing::FixedRandom random{0};
    memory.learn_timeout(start, random);
    EXPECT_EQ(memory.attempt_timeout(), 1s);
}

}  // namespace
}  // namespace perdure
