// SPDX-License-Identifier: Apache-2.0
//
// Are the numbers drawn those of the distribution asked for?
#include "perdure/sim/distribution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "goodness.hpp"

namespace perdure::testing {
namespace {

using namespace sim;

constexpr std::size_t draws = 40'000;

// One stream per draw, as the simulator uses them: neighbours must not be alike.
std::vector<double> drawn(const Distribution& distribution, std::uint64_t seed, double slower = 1) {
    std::vector<double> samples;
    samples.reserve(draws);
    const Dice dice{seed};
    for (std::size_t i = 0; i < draws; ++i)
        samples.push_back(static_cast<double>(
            distribution.draw(dice.of(Purpose::work, i + 1, 1U << 8U), slower).count()));
    return samples;
}

double normal_cdf(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

struct Case {
    const char* name;
    Distribution distribution;
    std::function<double(double)> cdf;  // of nanoseconds
};

std::vector<Case> continuous() {
    const double sigma = std::log(1.2) / 3.090232306167813;
    return {
        {"exponential", Distribution::exponential(10ms),
         [](double x) { return 1 - std::exp(-x / 1e7); }},
        {"log-normal", Distribution::log_normal(10ms, 12ms),
         [=](double x) { return normal_cdf(std::log(x / 1e7) / sigma); }},
        {"uniform", Distribution::uniform(2ms, 5ms), [](double x) { return (x - 2e6) / 3e6; }},
        {"normal", Distribution::normal(10ms, 2ms),
         [](double x) { return normal_cdf((x - 1e7) / 2e6) - normal_cdf((-x - 1e7) / 2e6); }},
        {"pareto", Distribution::pareto(1ms, 4.5),
         [](double x) { return 1 - std::pow(x / 1e6, -4.5); }},
        {"bimodal exponential", Distribution::bimodal(5ms, 100ms, 0.01, Modes::exponential),
         [](double x) { return 1 - 0.99 * std::exp(-x / 5e6) - 0.01 * std::exp(-x / 1e8); }},
    };
}

TEST(Distribution, draws_what_its_name_says) {
    for (const auto& [name, distribution, cdf] : continuous())
        for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U})
            EXPECT_LT(kolmogorov_smirnov(drawn(distribution, seed), cdf), 1.95)
                << name << ", seed " << seed;
}

struct Moments {
    double mean = 0, variance = 0, fourth = 0;
};
Moments moments(const std::vector<double>& samples) {
    const auto n = static_cast<double>(samples.size());
    Moments m;
    for (const double x : samples) m.mean += x / n;
    for (const double x : samples) {
        const double d = (x - m.mean) * (x - m.mean);
        m.variance += d / n;
        m.fourth += d * d / n;
    }
    return m;
}

TEST(Distribution, knows_its_own_mean_and_variation) {
    auto cases = continuous();
    cases.push_back({"bimodal constant", Distribution::bimodal(1ms, 9ms, 0.1), nullptr});
    cases.push_back({"empirical", Distribution::empirical({1ms, 2ms, 2ms, 10ms}), nullptr});
    for (const auto& [name, distribution, cdf] : cases) {
        const Moments m = moments(drawn(distribution, 11));
        const double n = draws;
        EXPECT_NEAR(m.mean, distribution.mean(), 3.3 * std::sqrt(m.variance / n)) << name;
        const double variance =
            distribution.variation() * distribution.mean() * distribution.mean();
        // The pareto's fourth moment is barely finite: an interval from the sample is too narrow.
        if (distribution.shape() != Shape::pareto) {
            EXPECT_NEAR(m.variance, variance,
                        3.3 * std::sqrt((m.fourth - m.variance * m.variance) / n))
                << name;
        }
    }
    EXPECT_NEAR(Distribution::pareto(1ms, 4.5).variation(), 1 / (4.5 * 2.5), 1e-12);
    EXPECT_NEAR(Distribution::bimodal(100us, 10ms, 0.001).variation(), 8.11, 0.005);
    EXPECT_TRUE(std::isinf(Distribution::pareto(1ms, 1.5).variation()));
}

TEST(Distribution, draws_each_sample_and_each_mode_as_often_as_told) {
    std::map<double, double> counts;
    for (const double x : drawn(Distribution::empirical({1ms, 2ms, 2ms, 10ms}), 3)) ++counts[x];
    ASSERT_EQ(counts.size(), 3U);
    expect_poisson({counts[1e6], counts[2e6], counts[1e7]},
                   {draws / 4.0, draws / 2.0, draws / 4.0});
    counts.clear();
    for (const double x : drawn(Distribution::bimodal(1ms, 9ms, 0.1), 3)) ++counts[x];
    ASSERT_EQ(counts.size(), 2U);
    expect_poisson({counts[1e6], counts[9e6]}, {0.9 * draws, 0.1 * draws});
}

TEST(Distribution, is_stretched_by_a_slower_service) {
    EXPECT_EQ(Distribution::constant(10ms).draw(Dice{1}.of(Purpose::work, 1), 1.2), 12ms);
    const Dice dice{9};
    for (const auto& [name, distribution, cdf] : continuous())
        for (std::uint64_t i = 0; i < 100; ++i) {
            const Stream stream = dice.of(Purpose::work, i);
            const auto once = static_cast<double>(distribution.draw(stream).count());
            const auto twice = static_cast<double>(distribution.draw(stream, 2).count());
            EXPECT_NEAR(twice, 2 * once, 2) << name;
        }
}

TEST(Distribution, is_the_same_number_for_the_same_stream) {
    for (const auto& [name, distribution, cdf] : continuous()) {
        const Stream stream = Dice{5}.of(Purpose::back, 7, 3);
        EXPECT_EQ(distribution.draw(stream), distribution.draw(stream)) << name;
        EXPECT_NE(distribution.draw(stream), distribution.draw(Dice{5}.of(Purpose::there, 7, 3)));
    }
}

// Streams that differ in one of seed, purpose, whose and which are strangers to each other.
TEST(Stream, is_independent_of_its_neighbours) {
    const auto correlation = [](auto left, auto right) {
        double sum = 0;
        for (std::uint64_t i = 0; i < draws; ++i) sum += (left(i) - 0.5) * (right(i) - 0.5);
        return 12 * sum / std::sqrt(static_cast<double>(draws));  // standard normal if independent
    };
    const Dice dice{1}, other{2};
    const auto base = [&](std::uint64_t i) { return dice.of(Purpose::work, i, 1).next(); };
    EXPECT_LT(std::abs(correlation(
                  base, [&](std::uint64_t i) { return other.of(Purpose::work, i, 1).next(); })),
              3.3);
    EXPECT_LT(std::abs(correlation(
                  base, [&](std::uint64_t i) { return dice.of(Purpose::back, i, 1).next(); })),
              3.3);
    EXPECT_LT(std::abs(correlation(
                  base, [&](std::uint64_t i) { return dice.of(Purpose::work, i + 1, 1).next(); })),
              3.3);
    EXPECT_LT(std::abs(correlation(
                  base, [&](std::uint64_t i) { return dice.of(Purpose::work, i, 2).next(); })),
              3.3);
    EXPECT_LT(std::abs(correlation(base,
                                   [&](std::uint64_t i) {
                                       Stream s = dice.of(Purpose::work, i, 1);
                                       s.next();
                                       return s.next();
                                   })),
              3.3);
}

}  // namespace
}  // namespace perdure::testing
