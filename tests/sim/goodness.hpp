// SPDX-License-Identifier: Apache-2.0
//
// Could these numbers have come from that distribution? Chi-square and Kolmogorov–Smirnov with a
// chance of one in a thousand, or less, to be wrong.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace perdure::testing {

// The z-th percentile of chi-square by Wilson and Hilferty; z is that of the normal.
inline double chi_square_at(double degrees, double z) {
    const double a = 2 / (9 * degrees);
    return degrees * std::pow(std::max(0.0, 1 - a + z * std::sqrt(a)), 3);
}

// Neither too far from what is expected nor too near: a count with the right mean and no chance in
// it is no Poisson count.
inline void expect_poisson(const std::vector<double>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    double sum = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
        sum += (found[i] - expected[i]) * (found[i] - expected[i]) / expected[i];
    const auto degrees = static_cast<double>(found.size());
    EXPECT_LT(sum, chi_square_at(degrees, 3.29)) << "too far, " << degrees << " counts";
    if (degrees > 10) {
        EXPECT_GT(sum, chi_square_at(degrees, -3.29)) << "too near";
    }
}

// The largest distance between the samples' distribution and `cdf`, times √n: above 1.95 once in a
// thousand.
template <class Cdf>
double kolmogorov_smirnov(std::vector<double> samples, const Cdf& cdf) {
    std::ranges::sort(samples);
    const auto n = static_cast<double>(samples.size());
    double worst = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const double at = cdf(samples[i]), rank = static_cast<double>(i);
        worst = std::max({worst, at - rank / n, (rank + 1) / n - at});
    }
    return worst * std::sqrt(n);
}

}  // namespace perdure::testing
