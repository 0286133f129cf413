// SPDX-License-Identifier: Apache-2.0
//
// Are the three states of a service with retries where other means found them?
#include "perdure/policy/tipping.hpp"

#include <optional>

#include <gtest/gtest.h>

namespace perdure {
namespace {

Tipping at(double rate, Duration timeout, int attempts = 4) {
    return tipping_point(
        {.rate = rate, .capacity = 1'000, .attempts = attempts, .timeout = timeout});
}

TEST(Tipping, finds_the_three_states_of_the_known_table) {
    struct Case {
        double rate, healthy, tipping, stuck, within;
    };
    const Case cases[] = {{300, 300, 997, 1'200, 0.5},
                          {800, 800.04, 964.7, 3'200, 0.05},
                          {900, 910, 933, 3'600, 0.5}};
    for (const auto& [rate, healthy, tipping, stuck, within] : cases) {
        const Tipping found = at(rate, 50ms);
        ASSERT_TRUE(found.healthy && found.tipping && found.stuck) << rate;
        EXPECT_NEAR(*found.healthy, healthy, rate < 850 ? 0.01 : within) << rate;
        EXPECT_NEAR(*found.tipping, tipping, within) << rate;
        EXPECT_NEAR(*found.stuck, stuck, 1e-6) << rate;
        EXPECT_NEAR(*found.distance(), (tipping - healthy) / healthy, 0.002) << rate;
    }
}

TEST(Tipping, sees_that_no_healthy_state_is_left) {
    const Tipping gone = at(950, 50ms);
    EXPECT_EQ(gone.healthy, std::nullopt);
    EXPECT_EQ(gone.tipping, std::nullopt);
    EXPECT_EQ(gone.stuck, 3'800);
    EXPECT_EQ(gone.distance(), std::nullopt);
    EXPECT_TRUE(at(980, 500ms).healthy);
    EXPECT_FALSE(at(990, 500ms).healthy);
}

TEST(Tipping, always_comes_back_where_all_attempts_can_be_served) {
    for (const double rate : {1.0, 100.0, 249.0}) {
        const Tipping found = at(rate, 50ms);
        EXPECT_NEAR(*found.healthy, rate, 0.01);
        EXPECT_EQ(found.tipping, std::nullopt);
        EXPECT_EQ(found.stuck, std::nullopt);
    }
    EXPECT_TRUE(at(251, 50ms).stuck);
    EXPECT_FALSE(at(900, 50ms, 1).stuck);
    EXPECT_NEAR(*at(900, 50ms, 1).healthy, 900, 1e-6);
}

TEST(Tipping, has_nothing_to_say_about_loads_that_mean_nothing) {
    EXPECT_FALSE(at(0, 50ms).healthy);
    EXPECT_FALSE(at(300, 0ms).stuck);
    EXPECT_FALSE(at(300, 50ms, 0).stuck);
    EXPECT_FALSE(tipping_point({.rate = 300}).stuck);
    EXPECT_FALSE(at(1'200, 50ms).healthy);  // more calls than can be served, retries or not
    EXPECT_EQ(at(1'200, 50ms).stuck, 4'800);
}

TEST(Tipping, multiplies_load_by_the_attempts_that_fail) {
    EXPECT_DOUBLE_EQ(load_factor(0, 3), 1);
    EXPECT_DOUBLE_EQ(load_factor(0.5, 3), 1.75);
    EXPECT_DOUBLE_EQ(load_factor(1, 4), 4);
    EXPECT_DOUBLE_EQ(load_factor(0.5, 0), 0);
    // A fifth slower, half of all cut off, three attempts: 60 % busy becomes an outage.
    EXPECT_NEAR(0.6 * 1.2 * load_factor(0.5, 3), 1.26, 1e-12);
}

}  // namespace
}  // namespace perdure
