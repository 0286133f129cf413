// SPDX-License-Identifier: Apache-2.0
#include "perdure/testing/fixed_random.hpp"

#include <gtest/gtest.h>

namespace {

using perdure::Random;
using perdure::testing::FixedRandom;
using perdure::testing::ListedRandom;

TEST(FixedRandom, draws_its_value_and_nothing_else) {
    for (const double value : {0.0, 0.25, 0.5, 1.0}) {
        FixedRandom fixed{value};
        Random& random = fixed;
        EXPECT_EQ(random.next(), value);
        EXPECT_EQ(random.next(), value);
    }
}

TEST(FixedRandom, has_bits_that_agree_with_its_value) {
    EXPECT_EQ(FixedRandom{0.0}.bits(), 0U);
    EXPECT_EQ(FixedRandom{0.5}.bits(), std::uint64_t{1} << 63);
    EXPECT_EQ(FixedRandom{1.0}.bits(), ~std::uint64_t{0});
}

TEST(ListedRandom, draws_its_list_in_turn_and_starts_again) {
    ListedRandom listed{{0.1, 0.9}};
    EXPECT_EQ(listed.next(), 0.1);
    EXPECT_EQ(listed.next(), 0.9);
    EXPECT_EQ(listed.next(), 0.1);
    EXPECT_EQ(listed.drawn(), 3U);
}

TEST(ListedRandom, of_one_value_is_fixed) {
    ListedRandom listed{{0.5}};
    EXPECT_EQ(listed.next(), 0.5);
    EXPECT_EQ(listed.bits(), std::uint64_t{1} << 63);
}

}  // namespace
