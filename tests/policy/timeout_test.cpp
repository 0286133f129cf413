// SPDX-License-Identifier: Apache-2.0
//
// Does the chosen timeout cut off as few good requests as promised, and say so when it cannot know?
#include "perdure/policy/timeout.hpp"

#include <string>

#include <gtest/gtest.h>

#include "perdure/time/random.hpp"

namespace perdure {
namespace {

// One sample of 50 ms at the given rank from the top, 100 ms above it, 10 ms below it.
Sketch marked(std::uint64_t samples, std::uint64_t rank) {
    Sketch sketch;
    sketch.record(100ms, rank - 1);
    sketch.record(50ms);
    sketch.record(10ms, samples - rank);
    return sketch;
}

double milliseconds(const TimeoutChoice& choice) {
    return choice.timeout ? std::chrono::duration<double, std::milli>(*choice.timeout).count() : -1;
}

TEST(Timeout, takes_the_order_statistic_that_is_sure_enough) {
    struct Case {
        double false_timeouts, confidence;
        std::uint64_t samples, rank;
    };
    const Case cases[] = {
        {0.01, 0.95, 299, 1},      {0.01, 0.95, 1'000, 5},     {0.01, 0.95, 10'000, 84},
        {0.001, 0.95, 2'995, 1},   {0.001, 0.95, 3'000, 1},    {0.001, 0.95, 10'000, 5},
        {0.001, 0.95, 30'000, 21}, {0.001, 0.95, 100'000, 84}, {0.001, 0.95, 1'000'000, 948},
        {0.01, 0.99, 459, 1},      {0.001, 0.99, 4'603, 1},
    };
    for (const auto& [false_timeouts, confidence, samples, rank] : cases) {
        SCOPED_TRACE(std::to_string(false_timeouts) + " of " + std::to_string(samples));
        const TimeoutOptions options{.false_timeouts = false_timeouts, .confidence = confidence};
        EXPECT_NEAR(milliseconds(choose_timeout(marked(samples, rank), options)), 50, 1);
    }
}

TEST(Timeout, says_how_many_samples_it_needs_instead_of_guessing) {
    struct Case {
        double false_timeouts, confidence;
        std::uint64_t needed;
    };
    const Case cases[] = {{0.01, 0.95, 299}, {0.001, 0.95, 2'995}, {0.0001, 0.95, 29'956},
                          {0.01, 0.99, 459}, {0.001, 0.99, 4'603}, {0.0001, 0.99, 46'050}};
    for (const auto& [false_timeouts, confidence, needed] : cases) {
        const TimeoutOptions options{.false_timeouts = false_timeouts, .confidence = confidence};
        const auto too_few = choose_timeout(marked(needed - 1, 1), options);
        EXPECT_EQ(too_few.timeout, std::nullopt);
        EXPECT_EQ(too_few.samples_needed, needed);
        EXPECT_TRUE(choose_timeout(marked(needed, 1), options).timeout);
    }
    EXPECT_EQ(choose_timeout(marked(120, 1)).reason, "needs 2,995 samples, has 120");
    EXPECT_EQ(choose_timeout({}).reason, "needs 2,995 samples, has 0");
}

// The promise itself: in 95 of 100 trials the true rate of false timeouts is at most the accepted.
TEST(Timeout, keeps_its_promise_about_false_timeouts) {
    constexpr std::uint64_t seed = 99;
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom random{seed};
    int kept = 0;
    constexpr int trials = 400;
    for (int trial = 0; trial < trials; ++trial) {
        Sketch sketch;
        // Even on [1 s, 21 s): far from exponential, and twice the median lies above everything, so
        // the tail is made by raising: 1 s / (1 − u), whose share above t is 1 s / t.
        for (int i = 0; i < 2'000; ++i)
            sketch.record(Duration{static_cast<Duration::rep>(1e6 / (1 - random.next()))});
        const auto choice = choose_timeout(sketch, {.false_timeouts = 0.01});
        kept += milliseconds(choice) >= 100 ? 1 : 0;
    }
    EXPECT_GE(kept, trials * 92 / 100);
}

TEST(Timeout, leaves_tight_latencies_twice_their_median) {
    Sketch tight;
    tight.record(10ms, 9'000);
    tight.record(12ms, 1'000);
    const auto choice = choose_timeout(tight);
    EXPECT_NEAR(milliseconds(choice), 20, 0.3);
    EXPECT_NE(choice.reason.find("twice the median"), std::string::npos) << choice.reason;
}

TEST(Timeout, adds_the_network_and_stays_within_its_bounds) {
    const Sketch sketch = marked(10'000, 5);
    EXPECT_NEAR(milliseconds(choose_timeout(sketch, {.network = 30ms})), 80, 1);
    EXPECT_EQ(choose_timeout(sketch, {.least = 200ms}).timeout, 200ms);
    const auto held = choose_timeout(sketch, {.most = 20ms});
    EXPECT_EQ(held.timeout, 20ms);
    EXPECT_NE(held.reason.find("held at"), std::string::npos) << held.reason;
    EXPECT_EQ(choose_timeout(sketch, {.network = never}).timeout, never);
}

TEST(Timeout, is_never_below_the_sample_it_stands_for) {
    for (Duration latency = 1ms; latency < 1s; latency += 997us) {
        Sketch sketch;
        sketch.record(latency / 10, 9'000);
        sketch.record(latency, 1'000);
        ASSERT_GE(choose_timeout(sketch).timeout, latency);
    }
}

TEST(Timeout, explains_options_that_mean_nothing) {
    for (const double odd : {0.0, 1.0, -1.0, 2.0}) {
        EXPECT_FALSE(choose_timeout(marked(10'000, 5), {.false_timeouts = odd}).timeout);
        const auto choice = choose_timeout(marked(10'000, 5), {.confidence = odd});
        EXPECT_FALSE(choice.timeout);
        EXPECT_NE(choice.reason.find("between 0 and 1"), std::string::npos);
    }
}

}  // namespace
}  // namespace perdure
