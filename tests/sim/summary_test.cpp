// SPDX-License-Identifier: Apache-2.0
//
// Are means and their margins those of the textbooks?
#include "perdure/sim/summary.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace perdure::testing {
namespace {

using sim::student_975;
using sim::summarise;

TEST(Summary, knows_students_percentiles_to_four_digits) {
    struct Case {
        std::size_t degrees;
        double expected;
    };
    for (const auto& [degrees, expected] : std::to_array<Case>({{1, 12.7062},
                                                                {2, 4.3027},
                                                                {5, 2.5706},
                                                                {7, 2.3646},
                                                                {11, 2.2010},
                                                                {19, 2.0930},
                                                                {60, 2.0003},
                                                                {1000, 1.9623}}))
        EXPECT_NEAR(student_975(degrees), expected, 5e-4) << degrees;
}

TEST(Summary, gives_mean_deviation_and_margin) {
    const std::vector<double> values{28.1, 29.0, 28.6};
    const auto summary = summarise(values);
    EXPECT_EQ(summary.count, 3U);
    EXPECT_NEAR(summary.mean, 28.5667, 1e-4);
    EXPECT_NEAR(summary.deviation, 0.4509, 1e-4);
    EXPECT_NEAR(summary.margin, 1.1201, 1e-3);
    EXPECT_EQ(summary.least, 28.1);
    EXPECT_EQ(summary.most, 29.0);
}

TEST(Summary, is_sure_of_nothing_after_one_run_and_empty_after_none) {
    const std::vector<double> one{3};
    EXPECT_TRUE(std::isinf(summarise(one).margin));
    EXPECT_EQ(summarise(one).mean, 3);
    EXPECT_EQ(summarise({}).count, 0U);
}

}  // namespace
}  // namespace perdure::testing
