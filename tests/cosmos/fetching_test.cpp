// SPDX-License-Identifier: Apache-2.0
#include "cosmos/fetching.hpp"

#include <gtest/gtest.h>

#include "cosmos/start.hpp"

namespace perdure::cosmos {
namespace {

TEST(Fetching, is_not_begun_until_somebody_asks) {
    Fetching fetching;
    EXPECT_FALSE(fetching.begin(start));
    EXPECT_EQ(fetching.last_begun(), TimePoint::min());
    const auto ticket = fetching.ask();
    EXPECT_FALSE(fetching.ended(ticket));
    EXPECT_TRUE(fetching.begin(start));
    EXPECT_EQ(fetching.last_begun(), start);
    EXPECT_FALSE(fetching.begin(start));
}

TEST(Fetching, is_done_once_for_all_who_asked_before_it_began) {
    Fetching fetching;
    const auto first = fetching.ask();
    const auto second = fetching.ask();
    ASSERT_TRUE(fetching.begin(start));
    fetching.end(std::nullopt);
    EXPECT_TRUE(fetching.ended(first));
    EXPECT_TRUE(fetching.ended(second));
    EXPECT_FALSE(fetching.begin(start));
}

// What is under way may already be too old for who asks now.
TEST(Fetching, is_done_once_more_for_who_asked_while_it_was_under_way) {
    Fetching fetching;
    const auto first = fetching.ask();
    ASSERT_TRUE(fetching.begin(start));
    const auto late = fetching.ask();
    const auto later = fetching.ask();
    fetching.end(std::nullopt);
    EXPECT_TRUE(fetching.ended(first));
    EXPECT_FALSE(fetching.ended(late));
    ASSERT_TRUE(fetching.begin(start + 1s));
    fetching.end(std::nullopt);
    EXPECT_TRUE(fetching.ended(late));
    EXPECT_TRUE(fetching.ended(later));
    EXPECT_FALSE(fetching.begin(start + 2s));
}

TEST(Fetching, that_is_under_way_is_shared_with_who_knows_nothing_yet) {
    Fetching fetching;
    const auto first = fetching.join();
    ASSERT_TRUE(fetching.begin(start));
    EXPECT_EQ(fetching.join(), first);
    fetching.end(std::nullopt);
    EXPECT_TRUE(fetching.ended(first));
    EXPECT_FALSE(fetching.begin(start));
    EXPECT_NE(fetching.join(), first);
    EXPECT_TRUE(fetching.begin(start));
}

TEST(Fetching, says_why_the_last_one_failed) {
    Fetching fetching;
    const auto ticket = fetching.ask();
    ASSERT_TRUE(fetching.begin(start));
    fetching.end(Failure{.cause = Cause::unavailable});
    EXPECT_TRUE(fetching.ended(ticket));
    ASSERT_TRUE(fetching.problem());
    EXPECT_EQ(fetching.problem()->cause, Cause::unavailable);
    fetching.ask();
    ASSERT_TRUE(fetching.begin(start));
    fetching.end(std::nullopt);
    EXPECT_FALSE(fetching.problem());
}

}  // namespace
}  // namespace perdure::cosmos
