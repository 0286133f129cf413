// SPDX-License-Identifier: Apache-2.0
#include "perdure/stats/sketch.hpp"

#include "perdure/time/random.hpp"

#include <algorithm>
#include <barrier>
#include <cmath>
#include <cstdint>
#include <latch>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace {

using perdure::Duration;
using perdure::Resolution;
using perdure::SeededRandom;
using perdure::SharedSketch;
using perdure::Sketch;
using perdure::operator""ns;
using perdure::operator""us;
using perdure::operator""ms;
using perdure::operator""h;

// Evenly spread over the octaves from 1 ns to 2^40 ns, where latencies live.
Duration random_duration(SeededRandom& random) {
    return Duration{static_cast<std::int64_t>(std::exp2(random.next() * 40.0))};
}

Duration only_value_of(const Sketch& sketch) { return sketch.quantile(0.5).value_or(-1ns); }

Sketch holding(Duration duration) {
    Sketch sketch;
    sketch.record(duration);
    return sketch;
}

TEST(Sketch, holds_its_relative_error_below_one_percent) {
    constexpr std::uint64_t seed = 20'240'601;
    SCOPED_TRACE(seed);
    SeededRandom random{seed};
    for (int drawn = 0; drawn < 20'000; ++drawn) {
        const Duration duration = random_duration(random);
        const auto value = static_cast<double>(duration.count());
        const auto said = static_cast<double>(only_value_of(holding(duration)).count());
        ASSERT_LE(std::abs(said - value), value * 0.01) << duration.count() << " ns";
    }
}

TEST(Sketch, holds_its_error_at_both_edges_of_every_octave) {
    for (int octave = 6; octave <= 40; ++octave)
        for (const std::int64_t step : {-1, 0, 1}) {
            const Duration duration{(std::int64_t{1} << octave) + step};
            const auto value = static_cast<double>(duration.count());
            const auto said = static_cast<double>(only_value_of(holding(duration)).count());
            EXPECT_LE(std::abs(said - value), value * 0.01) << duration.count() << " ns";
        }
}

TEST(Sketch, is_exact_below_128_nanoseconds) {
    for (Duration duration{0}; duration < 128ns; ++duration)
        EXPECT_EQ(only_value_of(holding(duration)), duration);
}

TEST(Sketch, never_orders_two_durations_the_wrong_way) {
    std::size_t last = 0;
    for (Duration duration{0}; duration < 100us; ++duration) {
        const std::size_t bucket = Sketch::bucket_of(duration);
        ASSERT_TRUE(bucket == last || bucket == last + 1) << duration.count() << " ns";
        last = bucket;
    }
}

TEST(Sketch, counts_what_lies_outside_its_range_at_the_ends) {
    EXPECT_EQ(only_value_of(holding(-5ms)), 0ns);
    EXPECT_EQ(only_value_of(holding(Duration::min())), 0ns);
    EXPECT_EQ(holding(1h), holding(Sketch::longest));
    EXPECT_EQ(holding(Duration::max()), holding(Sketch::longest));
    EXPECT_EQ(holding(1h).max(), Sketch::longest);
}

TEST(Sketch, of_nothing_has_no_quantile) {
    const Sketch empty;
    EXPECT_EQ(empty.count(), 0U);
    EXPECT_EQ(empty.count_above(0ns), 0U);
    EXPECT_FALSE(empty.quantile(0.0) || empty.quantile(0.5) || empty.quantile(1.0));
    EXPECT_FALSE(empty.min() || empty.max() || empty.at_rank(1));
}

TEST(Sketch, answers_quantiles_by_nearest_rank) {
    Sketch sketch;
    for (Duration duration{1}; duration <= 100ns; ++duration) sketch.record(duration);
    const struct {
        double q;
        Duration expected;
    } cases[] = {{-1.0, 1ns},  {0.0, 1ns},         {0.001, 1ns}, {0.01, 1ns},    {0.011, 2ns},
                 {0.07, 7ns},  {0.5, 50ns},        {0.55, 55ns}, {0.56, 56ns},   {0.57, 57ns},
                 {0.58, 58ns}, {0.95, 95ns},       {0.99, 99ns}, {0.991, 100ns}, {1.0, 100ns},
                 {7.0, 100ns}, {std::nan(""), 1ns}};
    for (const auto& [q, expected] : cases) EXPECT_EQ(sketch.quantile(q), expected) << q;
    EXPECT_EQ(sketch.at_rank(1), 1ns);
    EXPECT_EQ(sketch.at_rank(100), 100ns);
    EXPECT_FALSE(sketch.at_rank(0) || sketch.at_rank(101));
}

TEST(Sketch, agrees_with_sorted_samples_within_one_percent) {
    constexpr std::uint64_t seed = 77;
    SCOPED_TRACE(seed);
    SeededRandom random{seed};
    Sketch sketch;
    std::vector<Duration> sorted;
    for (int drawn = 0; drawn < 50'000; ++drawn) {
        sorted.push_back(random_duration(random));
        sketch.record(sorted.back());
    }
    std::sort(sorted.begin(), sorted.end());
    for (const double q : {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999}) {
        const auto rank = static_cast<std::size_t>(std::ceil(q * 50'000.0 - 1e-6));
        const auto exact = static_cast<double>(sorted[rank - 1].count());
        EXPECT_NEAR(static_cast<double>(sketch.quantile(q)->count()), exact, exact * 0.01) << q;
    }
    EXPECT_LE(*sketch.min(), sorted.front());
    EXPECT_GE(*sketch.max(), sorted.back());
}

TEST(Sketch, counts_above_a_limit_all_but_the_limits_own_bucket) {
    Sketch sketch;
    sketch.record(50ns, 3);
    sketch.record(51ns, 2);
    sketch.record(10ms, 5);
    EXPECT_EQ(sketch.count_above(-1ns), 10U);
    EXPECT_EQ(sketch.count_above(49ns), 10U);
    EXPECT_EQ(sketch.count_above(50ns), 7U);
    EXPECT_EQ(sketch.count_above(51ns), 5U);
    EXPECT_EQ(sketch.count_above(10ms), 0U);
    EXPECT_EQ(sketch.count_above(10ms - 156'250ns), 5U);
    EXPECT_EQ(sketch.count_above(Duration::max()), 0U);
}

TEST(Sketch, merges_into_what_one_sketch_would_have_seen) {
    SeededRandom random{5};
    Sketch left, right, both;
    for (int drawn = 0; drawn < 1000; ++drawn) {
        const Duration duration = random_duration(random);
        (drawn % 3 == 0 ? left : right).record(duration);
        both.record(duration);
    }
    left.merge(right);
    EXPECT_EQ(left, both);
    EXPECT_EQ(left.count(), 1000U);
    left.merge(Sketch{});
    EXPECT_EQ(left, both);
    left.merge(left);
    EXPECT_EQ(left.count(), 2000U);
}

TEST(Sketch, recorded_no_times_is_still_nothing) {
    Sketch sketch;
    sketch.record(1ms, 0);
    EXPECT_EQ(sketch, Sketch{});
    EXPECT_FALSE(sketch.quantile(0.5));
}

TEST(Sketch, tells_what_was_added_since) {
    SeededRandom random{5};
    Sketch before, fresh;
    for (int drawn = 0; drawn < 500; ++drawn) before.record(random_duration(random));
    Sketch after = before;
    EXPECT_EQ(after.since(before), Sketch{});
    EXPECT_EQ(after.since(Sketch{}), after);
    for (int drawn = 0; drawn < 500; ++drawn) fresh.record(random_duration(random));
    after.merge(fresh);
    EXPECT_EQ(after.since(before), fresh);
    EXPECT_EQ(Sketch{}.since(before), Sketch{}) << "not a copy of the same, but nothing negative";
}

TEST(SharedSketch, tells_the_same_as_a_sketch) {
    SeededRandom random{6};
    SharedSketch shared;
    Sketch plain;
    EXPECT_EQ(shared.snapshot(), plain);
    for (int drawn = 0; drawn < 1000; ++drawn) {
        const Duration duration = random_duration(random);
        shared.record(duration);
        plain.record(duration);
    }
    EXPECT_EQ(shared.snapshot(), plain);
    EXPECT_EQ(shared.count(), 1000U);
}

TEST(SharedSketch, that_only_counts_is_exact_and_knows_nothing_else) {
    SharedSketch shared{Resolution::count_only};
    EXPECT_EQ(shared.resolution(), Resolution::count_only);
    EXPECT_EQ(shared.count(), 0U);
    for (const Duration duration : {0ns, 7ns, Duration{3ms}, Duration{1h}, -1ns})
        shared.record(duration);
    EXPECT_EQ(shared.count(), 5U);
    EXPECT_EQ(shared.snapshot(), Sketch{});
    EXPECT_EQ(SharedSketch{}.resolution(), Resolution::buckets);
}

TEST(SharedSketchThreads, count_exactly_without_buckets) {
    constexpr std::uint64_t workers = 12, records = 100'000;  // more threads than shards
    SharedSketch shared{Resolution::count_only};
    {
        std::vector<std::jthread> threads;
        threads.reserve(workers);
        for (std::uint64_t worker = 0; worker < workers; ++worker)
            threads.emplace_back([&shared, worker] {
                for (std::uint64_t n = 0; n < records; ++n)
                    shared.record(Duration{static_cast<std::int64_t>(worker * n)});
            });
    }
    EXPECT_EQ(shared.count(), workers * records);
}

TEST(SharedSketchThreads, count_exactly_while_others_read) {
    constexpr std::uint64_t workers = 12, records = 20'000;  // more threads than shards
    SharedSketch shared;
    {
        std::vector<std::jthread> threads;
        threads.reserve(workers + 1);
        for (std::uint64_t worker = 0; worker < workers; ++worker)
            threads.emplace_back([&shared, worker] {
                for (std::uint64_t n = 0; n < records; ++n)
                    shared.record(Duration{static_cast<std::int64_t>(worker + n % 2)});
            });
        threads.emplace_back([&shared] {
            for (std::uint64_t seen = 0, times = 0; times < 200; ++times) {
                const std::uint64_t now = shared.snapshot().count();
                ASSERT_GE(now, seen);
                seen = now;
            }
        });
    }
    EXPECT_EQ(shared.count(), workers * records);
    const Sketch total = shared.snapshot();
    EXPECT_EQ(total.count_above(0ns), workers * records - records / 2);
    EXPECT_EQ(total.count_above(11ns), records / 2);
}

// Threads of one shard meet in one bucket, at the same time: the case where a count could be lost.
TEST(SharedSketchThreads, lose_nothing_when_they_share_one_shard_and_one_bucket) {
    constexpr std::uint64_t workers = 4, records = 1'000'000;
    SharedSketch shared;
    std::latch ready{workers};
    {
        std::vector<std::jthread> threads;
        threads.reserve(workers);
        for (std::uint64_t worker = 0; worker < workers; ++worker)
            threads.emplace_back([&] {
                perdure::thread_shard = 0;
                ready.arrive_and_wait();
                for (std::uint64_t n = 0; n < records; ++n) shared.record(1ms);
            });
    }
    EXPECT_EQ(shared.count(), workers * records);
}

TEST(SharedSketchThreads, lose_nothing_in_the_race_to_open_a_shard) {
    constexpr std::uint64_t workers = 4;
    std::vector<SharedSketch> sketches(500);
    std::barrier together{workers};
    {
        std::vector<std::jthread> threads;
        threads.reserve(workers);
        for (std::uint64_t worker = 0; worker < workers; ++worker)
            threads.emplace_back([&] {
                perdure::thread_shard = 0;
                for (auto& sketch : sketches) {
                    together.arrive_and_wait();
                    sketch.record(1ms);
                }
            });
    }
    for (const auto& sketch : sketches) ASSERT_EQ(sketch.count(), workers);
}

}  // namespace
