// SPDX-License-Identifier: Apache-2.0
//
// Does the tuner say no more than its samples carry, and never shorten a timeout because of itself?
#include "perdure/policy/tuning.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "perdure/time/random.hpp"
#include "policy/order_statistics.hpp"

namespace perdure {
namespace {

using Samples = std::vector<LatencySample>;

double milliseconds(Duration wait) {
    return std::chrono::duration<double, std::milli>(wait).count();
}

Duration from_milliseconds(double number) {
    return Duration{static_cast<Duration::rep>(std::llround(number * 1e6))};
}

// Inverse of the normal distribution by bisection: slow, and beyond doubt.
double normal_quantile(double share) {
    double low = -9, high = 9;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (0.5 * std::erfc(-middle / std::sqrt(2.0)) < share ? low : high) = middle;
    }
    return (low + high) / 2;
}

// n samples at even shares of a log-normal with this median and this p99.9.
Samples log_normal(int n, double median, double p999) {
    const double spread = std::log(p999 / median) / normal_quantile(0.999);
    Samples samples;
    for (int i = 0; i < n; ++i)
        samples.push_back(
            {from_milliseconds(median * std::exp(spread * normal_quantile((i + 0.5) / n)))});
    return samples;
}

// 1 ms, 2 ms, … n ms: the k-th largest is n + 1 − k.
Samples ladder(int n) {
    Samples samples;
    for (int i = 1; i <= n; ++i) samples.push_back({i * 1ms});
    return samples;
}

Samples drawn(int n, Random& random) {
    Samples samples;
    for (int i = 0; i < n; ++i) samples.push_back({from_milliseconds(1 / (1 - random.next()))});
    return samples;
}

Samples cut(Samples samples, Duration at) {
    for (LatencySample& sample : samples)
        if (sample.latency > at) sample = {at, Ending::cut_off};
    return samples;
}

TEST(OrderStatistics, are_those_of_the_exact_binomial) {
    struct Case {
        double above;
        std::uint64_t samples, rank;
    };
    const Case cases[] = {{0.01, 1'000, 5},     {0.01, 10'000, 84},     {0.001, 1'000, 0},
                          {0.001, 3'000, 1},    {0.001, 10'000, 5},     {0.001, 30'000, 21},
                          {0.001, 100'000, 84}, {0.001, 1'000'000, 948}};
    for (const auto& [above, samples, rank] : cases)
        EXPECT_EQ(rank_from_top(samples, above, 0.95), rank) << above << " of " << samples;
}

// The lower edge of what the true rate may be when the empirical quantile is taken as it is.
TEST(OrderStatistics, tell_how_far_an_empirical_quantile_may_be_off) {
    EXPECT_EQ(rank_from_top(1'000, 0.01, 0.975), 4U);                                  // 0.40 %
    EXPECT_EQ(rank_from_top(10'000, 0.01, 0.975), 81U);                                // 0.81 %
    EXPECT_EQ(rank_from_top(10'000, 0.001, 0.975), 4U);                                // 0.040 %
    EXPECT_EQ(rank_from_top(30'000, 0.001, 0.975), 20U);                               // 0.067 %
    EXPECT_EQ(rank_from_top(100'000, 0.001, 0.975), 81U);                              // 0.081 %
    EXPECT_NEAR(static_cast<double>(rank_from_top(1'000'000, 0.001, 0.975)), 940, 5);  // 0.094 %
}

TEST(OrderStatistics, need_a_least_number_of_samples) {
    struct Case {
        double above, confidence;
        std::uint64_t needed;
    };
    const Case cases[] = {{0.01, 0.95, 299}, {0.001, 0.95, 2'995}, {0.0001, 0.95, 29'956},
                          {0.01, 0.99, 459}, {0.001, 0.99, 4'603}, {0.0001, 0.99, 46'050}};
    for (const auto& [above, confidence, needed] : cases) {
        EXPECT_EQ(least_samples(above, confidence), needed);
        EXPECT_EQ(rank_from_top(needed, above, confidence), 1U);
        EXPECT_EQ(rank_from_top(needed - 1, above, confidence), 0U);
    }
}

TEST(Latencies, know_shares_and_quantiles_exactly) {
    const Latencies latencies{ladder(1'000)};
    EXPECT_EQ(latencies.quantile(0.5), 500ms);
    EXPECT_EQ(latencies.quantile(0.999), 999ms);
    EXPECT_EQ(latencies.quantile(1), 1'000ms);
    EXPECT_EQ(latencies.quantile(0), 1ms);
    EXPECT_DOUBLE_EQ(latencies.share_above(900ms), 0.1);
    EXPECT_DOUBLE_EQ(latencies.share_above(0ms), 1);
    EXPECT_DOUBLE_EQ(latencies.share_above(1'000ms), 0);
    EXPECT_EQ(latencies.longest(), 1'000ms);
    EXPECT_EQ(latencies.upper_bound(0.01, 0.95), 996ms);  // the fifth largest
}

TEST(Latencies, of_nothing_say_nothing) {
    const Latencies none{{}};
    EXPECT_EQ(none.count(), 0U);
    EXPECT_EQ(none.longest(), Duration::zero());
    EXPECT_EQ(none.quantile(0.5), std::nullopt);
    EXPECT_EQ(none.upper_bound(0.01, 0.95), std::nullopt);
    EXPECT_EQ(none.share_above(1ms), 0);
    EXPECT_EQ(tune(none).reason, "needs 2,995 samples, has 0");
}

// Worked out by hand: 1 ms answered, 2 ms cut off, 3 ms answered, 4 ms cut off. After 1 ms ¾ are
// left; at 3 ms two are still watched and one ends, so half of ¾ is left.
TEST(Latencies, follow_kaplan_and_meier_where_samples_were_cut_off) {
    const Latencies latencies{{{1ms}, {2ms, Ending::cut_off}, {3ms}, {4ms, Ending::cut_off}}};
    EXPECT_EQ(latencies.cut_off(), 2U);
    EXPECT_DOUBLE_EQ(latencies.share_above(1ms), 0.75);
    EXPECT_DOUBLE_EQ(latencies.share_above(2ms), 0.75);
    EXPECT_DOUBLE_EQ(latencies.share_above(3ms), 0.375);
    EXPECT_DOUBLE_EQ(latencies.share_above(1h), 0.375);
    EXPECT_EQ(latencies.quantile(0.25), 1ms);
    EXPECT_EQ(latencies.quantile(0.5), 3ms);
    EXPECT_EQ(latencies.quantile(0.7), std::nullopt);
}

TEST(Latencies, count_a_sample_cut_off_at_the_same_time_as_longer) {
    const Latencies latencies{{{5ms, Ending::cut_off}, {5ms}}};
    EXPECT_DOUBLE_EQ(latencies.share_above(5ms), 0.5);
    EXPECT_EQ(latencies.quantile(0.5), 5ms);
    EXPECT_EQ(latencies.quantile(0.51), std::nullopt);
}

// The point of it all: what the timeout cut off is either not needed for the answer, or refused.
TEST(Tuning, never_shortens_a_timeout_because_of_its_own_timeouts) {
    constexpr std::uint64_t seed = 4;
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom random{seed};
    int refused = 0;
    for (int trial = 0; trial < 100; ++trial) {
        const Samples whole = drawn(3'000, random);
        const TuningOptions options{.timeout = {.false_timeouts = 0.01}};
        const Tuning free = tune(Latencies{whole}, options);
        const Duration limit = from_milliseconds(20 + 300 * random.next());
        const Tuning bounded = tune(Latencies{cut(whole, limit)}, options);
        ASSERT_EQ(free.verdict, TuningVerdict::recommended);
        if (bounded.verdict == TuningVerdict::cut_off) {
            EXPECT_GT(*free.bound, limit);
            ++refused;
        } else {
            EXPECT_EQ(bounded.timeout, free.timeout);
        }
    }
    EXPECT_GT(refused, 10);
    EXPECT_LT(refused, 90);
}

TEST(Tuning, feeding_its_answer_back_does_not_spiral_down) {
    constexpr std::uint64_t seed = 5;
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom random{seed};
    Duration timeout = 1h;
    for (int round = 0; round < 20; ++round) {
        const Tuning tuning = tune(Latencies{cut(drawn(20'000, random), timeout)},
                                   {.timeout = {.false_timeouts = 0.01}});
        if (tuning.timeout) timeout = *tuning.timeout;
        EXPECT_GE(timeout, 100ms);  // p99 of what is drawn
    }
}

// Different limits, so that plain ranks would say nothing: half of the requests were given up after
// a time of their own.
TEST(Tuning, keeps_its_promise_when_samples_were_cut_off_at_different_times) {
    constexpr std::uint64_t seed = 6;
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom random{seed};
    constexpr int trials = 300;
    int kept = 0, answered = 0;
    for (int trial = 0; trial < trials; ++trial) {
        Samples samples = drawn(3'000, random);
        for (LatencySample& sample : samples) {
            const Duration limit =
                from_milliseconds(random.next() < 0.5 ? 500 * random.next() : 1e6);
            if (sample.latency > limit) sample = {limit, Ending::cut_off};
        }
        const auto bound = Latencies{samples}.upper_bound(0.01, 0.95);
        answered += bound ? 1 : 0;
        kept += bound && *bound >= 100ms ? 1 : 0;
    }
    EXPECT_EQ(answered, trials);
    EXPECT_GE(kept, trials * 92 / 100);
    EXPECT_LT(kept, trials);  // it is a bound, not a flight forward
}

TEST(Tuning, refuses_a_quantile_among_the_cut_off_samples) {
    const Tuning tuning = tune(Latencies{cut(ladder(10'000), 9'900ms)});
    EXPECT_EQ(tuning.verdict, TuningVerdict::cut_off);
    EXPECT_EQ(tuning.timeout, std::nullopt);
    EXPECT_EQ(tuning.percentile, std::nullopt);
    EXPECT_EQ(tuning.reason, "p99.9 lies among the 100 samples that were cut off");
}

TEST(Tuning, says_how_many_samples_it_needs_instead_of_guessing) {
    struct Case {
        double above;
        int needed;
    };
    for (const auto& [above, needed] :
         {Case{0.01, 299}, Case{0.001, 2'995}, Case{0.0001, 29'956}}) {
        const TuningOptions options{.timeout = {.false_timeouts = above}};
        const Tuning few = tune(Latencies{ladder(needed - 1)}, options);
        EXPECT_EQ(few.verdict, TuningVerdict::too_few);
        EXPECT_EQ(few.samples_needed, static_cast<std::uint64_t>(needed));
        EXPECT_EQ(tune(Latencies{ladder(needed)}, options).bound, needed * 1ms);
    }
}

TEST(Tuning, counts_samples_that_repeat_each_other_as_fewer) {
    const TuningOptions options{.timeout = {.false_timeouts = 0.01}, .correlation = 10};
    const Tuning few = tune(Latencies{ladder(2'989)}, options);
    EXPECT_EQ(few.verdict, TuningVerdict::too_few);
    EXPECT_EQ(few.samples_needed, 2'990U);
    const Tuning enough = tune(Latencies{ladder(10'000)}, options);
    EXPECT_DOUBLE_EQ(enough.effective_samples, 1'000);
    EXPECT_EQ(enough.bound, 9'960ms);  // four in a thousand above, not 83 in ten thousand
}

TEST(Tuning, leaves_tight_latencies_twice_their_median) {
    const Tuning tuning = tune(Latencies{log_normal(100'000, 10, 12)});
    EXPECT_NEAR(milliseconds(*tuning.percentile), 12, 0.01);
    EXPECT_NEAR(milliseconds(*tuning.timeout), 20, 0.01);
    EXPECT_NE(tuning.reason.find("twice the median"), std::string::npos) << tuning.reason;
}

TEST(Tuning, leaves_room_for_a_slow_round_trip_and_adds_the_network) {
    const Latencies latencies{ladder(10'000)};
    EXPECT_EQ(tune(latencies, {.worst_round_trip = 1ms}).timeout, 10'000ms);
    EXPECT_EQ(tune(latencies, {.worst_round_trip = 8s}).timeout, 13'000ms);
    EXPECT_EQ(tune(latencies, {.timeout = {.network = 3s}, .worst_round_trip = 8s}).timeout,
              16'000ms);
    EXPECT_EQ(tune(latencies, {.timeout = {.network = never}}).timeout, never);
    const Tuning held = tune(latencies, {.timeout = {.most = 2s}});
    EXPECT_EQ(held.timeout, 2s);
    EXPECT_NE(held.reason.find("held at"), std::string::npos) << held.reason;
}

TEST(Tuning, explains_options_that_mean_nothing) {
    const Latencies latencies{ladder(10'000)};
    for (const double odd : {0.0, 1.0, -1.0, 2.0}) {
        EXPECT_EQ(tune(latencies, {.timeout = {.false_timeouts = odd}}).verdict,
                  TuningVerdict::nonsense);
        EXPECT_FALSE(tune(latencies, {.timeout = {.confidence = odd}}).timeout);
    }
    EXPECT_FALSE(tune(latencies, {.correlation = 0.5}).timeout);
}

// False timeouts in per cent for latencies that grow by so much, as the tables of the reference.
TEST(Tuning, shows_the_cliff_of_a_timeout_close_to_the_median) {
    struct Cell {
        double percent, within;
    };
    struct Case {
        double p999, timeout;
        std::vector<Cell> cells;  // at +0, +5, +10, +20, +30, +50 %
    };
    // What is rarer than one in 200 000 is seen as none.
    const Cell none{0, 0.001};
    const double shifts[] = {1, 1.05, 1.1, 1.2, 1.3, 1.5};
    const Case cases[] = {
        {12, 12, {{0.1, 0.005}, {1.2, 0.05}, {7.0, 0.1}, {50, 0.5}, {91, 0.5}, {100, 0.5}}},
        {12, 14.4, {none, none, none, {0.1, 0.005}, {4.2, 0.1}, {76, 0.5}}},
        {12, 20, {none, none, none, none, none, none}},
        {100,
         100,
         {{0.1, 0.005},
          {0.12, 0.005},
          {0.15, 0.005},
          {0.22, 0.005},
          {0.31, 0.005},
          {0.55, 0.006}}}};
    for (const auto& [p999, timeout, cells] : cases) {
        const Latencies latencies{log_normal(200'000, 10, p999)};
        for (std::size_t i = 0; i < cells.size(); ++i)
            EXPECT_NEAR(100 * latencies.share_above(from_milliseconds(timeout / shifts[i])),
                        cells[i].percent, cells[i].within)
                << timeout << " ms, latency × " << shifts[i];
    }
}

TEST(Correlation, of_independent_samples_is_one) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
        for (const int n : {20, 3'000, 200'000}) {
            if (n > 3'000 && seed > 4) continue;
            SeededRandom random{seed};
            EXPECT_DOUBLE_EQ(correlation_time(drawn(n, random)), 1) << "seed " << seed << ", " << n;
        }
    EXPECT_DOUBLE_EQ(correlation_time({}), 1);
    EXPECT_DOUBLE_EQ(correlation_time(Samples(100, LatencySample{5ms})), 1);
}

// xₜ = a·xₜ₋₁ + noise has (1 + a) / (1 − a).
TEST(Correlation, of_an_autoregressive_series_is_the_known_one) {
    constexpr std::uint64_t seed = 8;
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom random{seed};
    for (const double a : {0.5, 0.9, 0.95})
        for (const int n : {40'000, 400'000}) {
            Samples samples;
            double x = 0;
            for (int i = 0; i < n; ++i) {
                x = a * x + normal_quantile(1e-9 + random.next() * 0.999'999'99);
                samples.push_back({from_milliseconds(10 * std::exp(0.1 * x))});
            }
            const double known = (1 + a) / (1 - a);
            EXPECT_NEAR(correlation_time(samples), known, 0.25 * known) << a << ", " << n;
        }
}

TEST(Tuning, fits_attempts_and_their_waits_into_a_deadline) {
    const Backoff backoff{.base = 50ms, .cap = 1s};
    EXPECT_EQ(longest_call(1, 200ms, backoff), 200ms);
    EXPECT_EQ(longest_call(3, 200ms, backoff), 600ms + 150ms);
    EXPECT_EQ(longest_call(0, 200ms, backoff), 0ms);
    EXPECT_EQ(longest_call(3, never, backoff), never);
    EXPECT_EQ(attempts_within(750ms, 200ms, backoff), 3);
    EXPECT_EQ(attempts_within(749ms, 200ms, backoff), 2);
    EXPECT_EQ(attempts_within(199ms, 200ms, backoff), 0);
    EXPECT_EQ(attempts_within(1h, 200ms, backoff, 5), 5);
}

}  // namespace
}  // namespace perdure
