// SPDX-License-Identifier: Apache-2.0
//
// Are the portable functions as good as the C library's?
#include "perdure/stats/portable_math.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "perdure/time/random.hpp"

namespace perdure::testing {
namespace {

double off(double found, double expected) {
    return std::abs(found - expected) / std::abs(expected);
}

TEST(NaturalLog, agrees_with_the_library_over_the_whole_range) {
    SeededRandom random{1};
    double worst = 0;
    for (int exponent = -1022; exponent <= 1023; ++exponent)
        for (int i = 0; i < 50; ++i) {
            const double x = std::ldexp(1 + random.next(), exponent);
            if (std::abs(x - 1) > 0.03) worst = std::max(worst, off(natural_log(x), std::log(x)));
        }
    EXPECT_LT(worst, 1e-14);
}

// Around 1 the logarithm goes through zero: two numbers of the size of 1 are taken from each other,
// and the difference is good to the last places of a 1, not of its own.
TEST(NaturalLog, is_off_by_no_more_than_the_last_places_of_one_near_one) {
    double worst = 0;
    for (int i = 1; i <= 200'000; ++i)
        for (const double x : {1 - i * 2e-7, 1 + i * 2e-7})
            worst = std::max(worst, std::abs(natural_log(x) - std::log(x)));
    EXPECT_LT(worst, 5e-16);
}

TEST(NaturalLog, does_not_cancel_beside_one) {
    double worst = 0;
    for (int i = 1; i <= 3'900; ++i)
        for (const double x : {1 - i * 1e-6, 1 + i * 1e-6})
            worst = std::max(worst, off(natural_log(x), std::log(x)));
    EXPECT_LT(worst, 1e-14);
    EXPECT_EQ(natural_log(1.0), 0);
    EXPECT_LT(off(natural_log(1 - 0x1p-53), -0x1p-53), 1e-14);
}

TEST(NaturalLog, takes_the_ends_of_the_range) {
    constexpr double least = std::numeric_limits<double>::min();
    constexpr double most = std::numeric_limits<double>::max();
    EXPECT_LT(off(natural_log(least), std::log(least)), 1e-14);
    EXPECT_LT(off(natural_log(most), std::log(most)), 1e-14);
    EXPECT_LT(off(natural_log(0x1p-53), std::log(0x1p-53)), 1e-14);
}

TEST(Exponential, agrees_with_the_library_over_the_whole_range) {
    SeededRandom random{2};
    double worst = 0;
    for (int i = 0; i < 200'000; ++i) {
        const double x = -708 + 1417 * random.next();
        worst = std::max(worst, off(exponential(x), std::exp(x)));
    }
    for (int i = -1000; i <= 1000; ++i)
        worst = std::max(worst, off(exponential(i * 1e-3), std::exp(i * 1e-3)));
    EXPECT_LT(worst, 1e-14);
    EXPECT_EQ(exponential(0), 1);
}

TEST(Exponential, stays_finite_and_positive_beyond_the_range) {
    EXPECT_EQ(exponential(1000), std::numeric_limits<double>::max());
    EXPECT_EQ(exponential(-1000), std::numeric_limits<double>::min());
}

TEST(Power, agrees_with_the_library_for_whole_exponents) {
    for (const double base : {0.0, 0.5, 1.0, 1.1, 2.0, 10.0, 1.7})
        for (int n = 1; n <= 60; ++n)
            EXPECT_LE(std::abs(power(base, n) - std::pow(base, n)), 1e-14 * std::pow(base, n))
                << base << "^" << n;
    EXPECT_EQ(power(3, 0), 1);
    EXPECT_TRUE(std::isinf(power(2, 5000)));
}

}  // namespace
}  // namespace perdure::testing
