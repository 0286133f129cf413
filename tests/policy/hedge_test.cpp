// SPDX-License-Identifier: Apache-2.0
//
// When is a second copy sent, of what, and when is it better not?
#include "perdure/policy/hedge.hpp"

#include <gtest/gtest.h>

namespace perdure {
namespace {

Sketch hundred_milliseconds(int samples) {
    Sketch sketch;
    for (int i = 1; i <= samples; ++i) sketch.record(i * 100ms / samples);
    return sketch;
}

TEST(Hedge, copies_reads_only_unless_told_otherwise) {
    EXPECT_TRUE(may_hedge(HedgeWhat::reads, Safety::read));
    EXPECT_FALSE(may_hedge(HedgeWhat::reads, Safety::idempotent));
    EXPECT_TRUE(may_hedge(HedgeWhat::idempotent_too, Safety::idempotent));
    for (const HedgeWhat what : {HedgeWhat::reads, HedgeWhat::idempotent_too}) {
        EXPECT_FALSE(may_hedge(what, Safety::once));
        EXPECT_FALSE(may_hedge(what, Safety::guarded));
    }
}

TEST(Hedge, waits_the_time_it_was_given) {
    EXPECT_EQ(hedge_delay({.after = 30ms}, {}), 30ms) << "knows nothing and need not";
    EXPECT_EQ(hedge_delay({.after = 30ms}, hundred_milliseconds(1000)), 30ms);
}

TEST(Hedge, learns_the_delay_that_most_requests_beat) {
    const auto delay = hedge_delay({}, hundred_milliseconds(1000));
    ASSERT_TRUE(delay);
    EXPECT_NEAR(static_cast<double>(delay->count()), 95e6, 95e6 / 100);
    const auto higher = hedge_delay({.quantile = 0.99}, hundred_milliseconds(1000));
    EXPECT_NEAR(static_cast<double>(higher->count()), 99e6, 99e6 / 100);
}

TEST(Hedge, waits_until_it_has_learned_enough) {
    EXPECT_EQ(hedge_delay({}, {}), std::nullopt);
    EXPECT_EQ(hedge_delay({}, hundred_milliseconds(99)), std::nullopt);
    EXPECT_NE(hedge_delay({}, hundred_milliseconds(100)), std::nullopt);
    EXPECT_EQ(hedge_delay({.least_samples = 0}, {}), std::nullopt) << "nothing is not enough";
}

TEST(Hedge, never_learns_a_delay_below_the_least) {
    Sketch fast;
    fast.record(5us, 1000);
    EXPECT_EQ(hedge_delay({}, fast), 1ms);
}

TEST(Hedge, without_extra_copies_there_is_no_delay) {
    EXPECT_EQ(hedge_delay({.after = 30ms, .extra = 0}, {}), std::nullopt);
}

TEST(Hedge, is_too_often_at_more_than_twice_the_share_it_was_meant_for) {
    EXPECT_FALSE(hedges_too_often({}, 50, 1000)) << "the 5 % it was meant for";
    EXPECT_FALSE(hedges_too_often({}, 99, 1000));
    EXPECT_TRUE(hedges_too_often({}, 101, 1000));
    EXPECT_TRUE(hedges_too_often({.quantile = 0.99}, 21, 1000));
    EXPECT_FALSE(hedges_too_often({}, 1, 1)) << "too early to say";
    EXPECT_FALSE(hedges_too_often({}, 0, 0));
}

}  // namespace
}  // namespace perdure
