// SPDX-License-Identifier: Apache-2.0
//
// Does a learned timeout find its place, and is it led astray neither by itself nor by an overload?
#include "perdure/policy/learn_timeout.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "perdure/testing/fixed_random.hpp"
#include "policy/start.hpp"
#include "time/tenths.hpp"

namespace perdure {
namespace {

double ms(Duration wait) { return std::chrono::duration<double, std::milli>(wait).count(); }

// A service whose latencies are log-normal, and a client that looks every five seconds.
using testing::FixedRandom;

struct Workload {
    LearnTimeout options{};
    Duration own = 1s;
    double median_ms = 10, spread = 0.5;
    int per_look = 10'000;
    std::uint64_t seed = 1;

    SeededRandom random{seed};
    FixedRandom at_once{0};  // every `every`, not later
    SharedSketch latencies{};
    std::uint64_t timed_out = 0;
    TimeoutLearner learner{options, own};
    TimePoint now = start;
    double share_timed_out = 0;  // at the last look

    Duration draw() {
        const double radius = std::sqrt(-2 * std::log(1 - random.next()));
        const double normal = radius * std::cos(2 * std::numbers::pi * random.next());
        return Duration{std::llround(1e6 * median_ms * std::exp(spread * normal))};
    }
    Duration look() {
        int late = 0;
        for (int i = 0; i < per_look; ++i) {
            const Duration latency = draw();
            if (latency > learner.timeout()) ++late;
            else latencies.record(latency);
        }
        timed_out += static_cast<std::uint64_t>(late);
        share_timed_out = static_cast<double>(late) / per_look;
        now += 5s;
        (void)learner.look(now, latencies, timed_out, at_once);
        return learner.timeout();
    }
    Duration look(int times) {
        while (--times > 0) (void)look();
        return look();
    }
};

TEST(LearnTimeout, converges_on_a_margin_above_the_percentile_and_stays) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Workload traffic{.seed = seed};
        (void)traffic.look(30);
        for (int i = 0; i < 50; ++i) {
            const double timeout = ms(traffic.look());  // p99.9 is 46.9 ms, p99.99 64.2 ms
            ASSERT_GT(timeout, 1.5 * 44);
            ASSERT_LT(timeout, 1.5 * 75);
            ASSERT_LE(traffic.share_timed_out, 0.001);
        }
    }
}

TEST(LearnTimeout, changes_by_no_more_than_its_step) {
    Workload traffic;
    Duration before = traffic.learner.timeout();
    EXPECT_EQ(before, 1s) << "begins at the plan's own";
    EXPECT_EQ(traffic.look(), 1s) << "the first look only sets the time";
    for (int i = 0; i < 40; ++i) {
        if (i == 20) traffic.median_ms = 12;
        const Duration timeout = traffic.look();
        EXPECT_GE(ms(timeout), 0.8 * ms(before) - 1e-3);
        EXPECT_LE(ms(timeout), 1.2 * ms(before) + 1e-3);
        before = timeout;
    }
    EXPECT_LT(before, 200ms);
}

// Dropping what was cut off would make p99.9 of the rest fall below the timeout, and so on.
TEST(LearnTimeout, never_spirals_down_when_its_own_timeouts_hide_the_tail) {
    Workload traffic{.options = {.most = 5s}, .own = 500ms, .spread = 1.5};  // 0.46 % take longer
    Duration before = 500ms;
    for (int i = 0; i < 10; ++i) {
        const Duration timeout = traffic.look();
        EXPECT_GE(timeout, std::min<Duration>(before, 1s)) << i;
        before = timeout;
    }
    EXPECT_GT(traffic.look(20), 1s) << "p99.9 is 1.03 s";
}

TEST(LearnTimeout, stands_still_while_one_in_a_hundred_times_out) {
    Workload hidden{.options = {.most = 5s}, .own = 300ms, .spread = 1.5};  // 1.2 % take longer
    EXPECT_EQ(hidden.look(20), 300ms);
}

TEST(LearnTimeout, does_not_grow_with_an_overload) {
    Workload traffic;
    (void)traffic.look(30);
    traffic.median_ms = 60;
    const Duration before = traffic.learner.timeout();
    for (int i = 0; i < 60; ++i) ASSERT_EQ(traffic.look(), before);
    EXPECT_GT(traffic.share_timed_out, 0.1);
    traffic.median_ms = 11;
    EXPECT_LT(ms(traffic.look(20)), 1.5 * 85) << "and learns again afterwards";
}

TEST(LearnTimeout, does_not_take_the_beginning_of_an_overload_for_a_slow_tail) {
    Workload traffic{.per_look = 1000};
    (void)traffic.look(90);
    const Duration before = traffic.learner.timeout();
    traffic.per_look = 2990;
    EXPECT_EQ(traffic.look(), before) << "too few by ten";
    traffic.per_look = 20;
    traffic.median_ms = 1000;
    EXPECT_EQ(traffic.look(), before) << "3000 and only 20 of them late, but all of the last";
    EXPECT_EQ(traffic.look(200), before);
}

TEST(LearnTimeout, is_held_between_its_bounds) {
    Workload slow{.own = 80ms, .spread = 0.75};  // p99.9 is 102 ms
    for (int i = 0; i < 30; ++i) EXPECT_LE(slow.look(), 80ms) << "the plan's own is the most";
    Workload quick{.options = {.least = 200ms}};
    EXPECT_EQ(quick.look(40), 200ms);
    Workload wide{.options = {.most = 300ms}};
    EXPECT_EQ(wide.learner.timeout(), 300ms);
}

TEST(LearnTimeout, of_a_tight_distribution_stays_off_its_cliff) {
    Workload tight{.spread = 0.02};  // p99.9 is 10.6 ms
    EXPECT_GE(tight.look(40), 20ms) << "at least twice the median";
}

TEST(LearnTimeout, waits_for_enough_samples_however_long_they_take) {
    Workload rare{.per_look = 1000};
    EXPECT_EQ(rare.look(2), 1s) << "2000 samples";
    EXPECT_EQ(rare.look(), 800ms);
    EXPECT_EQ(rare.look(2), 800ms) << "and again";
    EXPECT_EQ(rare.look(), 640ms);
}

TEST(LearnTimeout, looks_no_oftener_than_it_says) {
    Workload traffic;
    (void)traffic.look(2);
    const Duration timeout = traffic.learner.timeout();
    for (int i = 0; i < 10'000; ++i) traffic.latencies.record(10ms);
    EXPECT_FALSE(traffic.learner.due(traffic.now + 4999ms));
    EXPECT_EQ(traffic.learner.look(traffic.now + 4999ms, traffic.latencies, 0, traffic.at_once),
              std::nullopt);
    EXPECT_EQ(traffic.learner.timeout(), timeout);
    EXPECT_TRUE(traffic.learner.due(traffic.now + 5s));
}

// How long after its first look it is due again.
Duration next_look(Random& random) {
    TimeoutLearner learner{{}, 1s};
    const SharedSketch latencies;
    (void)learner.look(start, latencies, 0, random);
    Duration wait{};
    while (!learner.due(start + wait)) wait += 1ms;
    return wait;
}

TEST(LearnTimeout, looks_up_to_a_tenth_later_than_it_says) {
    FixedRandom least{0}, most{1};
    EXPECT_EQ(next_look(least), 5s);
    EXPECT_EQ(next_look(most), 5500ms);
}

TEST(LearnTimeout, does_not_make_a_fleet_look_at_the_same_time) {
    SeededRandom random{5};
    std::vector<Duration> waits(200);
    for (Duration& wait : waits) wait = next_look(random);
    EXPECT_LT(fullest_tenth(waits, 5s, 5500ms), 0.25) << "seed 5";
}

TEST(StepTimeout, says_what_it_did) {
    Sketch answered;
    answered.record(10ms, 2999);
    EXPECT_EQ(step_timeout({.most = 1s}, 1s, answered, 0).learning, Learning::too_few);
    EXPECT_EQ(step_timeout({.most = 1s}, 1s, answered, 1).learning, Learning::done);
    EXPECT_EQ(step_timeout({.most = 1s}, 1s, answered, 30).learning, Learning::done);
    EXPECT_EQ(step_timeout({.most = 1s}, 1s, answered, 31).learning, Learning::frozen);
    EXPECT_EQ(step_timeout({.most = 1s}, 1s, Sketch{}, 5000).learning, Learning::frozen);
    EXPECT_EQ(step_timeout({.most = 1s, .least_samples = 0}, 1s, Sketch{}, 0).learning,
              Learning::too_few);
}

TEST(LearnTimeoutThreads, learn_one_at_a_time_and_within_the_step) {
    const LearnTimeout options{.every = 1ms, .least_samples = 3000};
    TimeoutLearner learner{options, 1s};
    SharedSketch latencies;
    std::atomic<int> steps{0}, wrong{0};
    {
        std::vector<std::jthread> crowd;
        for (int t = 0; t < 4; ++t)
            crowd.emplace_back([&] {
                FixedRandom random{0};
                for (int i = 0; i < 50'000; ++i) {
                    latencies.record(10ms);
                    const TimePoint now = start + i * 1us;
                    if (learner.due(now) && learner.look(now, latencies, 0, random)) ++steps;
                    const Duration timeout = learner.timeout();
                    if (timeout > 1s || timeout < 20ms) ++wrong;
                }
            });
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_GT(steps, 0);
    EXPECT_LE(steps, 50) << "at most one in a millisecond";
    EXPECT_GE(ms(learner.timeout()), 1000 * std::pow(0.8, steps.load()) - 0.1);
}

}  // namespace
}  // namespace perdure
