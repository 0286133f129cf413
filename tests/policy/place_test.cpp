// SPDX-License-Identifier: Apache-2.0
//
// What does a place of a dependency pay, earn and remember?
#include "perdure/policy/place.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "ledger.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "start.hpp"
#include "time/tenths.hpp"

namespace perdure {
namespace {

constexpr int per_retry = 1400;
using Visit = Place::Visit;

class PlaceTest : public ::testing::Test {
protected:
    std::unique_ptr<Place> place(const PlaceOptions& options = {}) {
        return std::make_unique<Place>("here", dependency->for_place(), options);
    }
    void fail(Place& at, int times = 1, TimePoint now = start) {
        for (int i = 0; i < times; ++i)
            at.failed({.started = now - 10ms, .now = now}, *dependency, random);
    }
    int retries(Place& at, TimePoint now = start) {
        int paid = 0;
        while (paid < 10'000 && at.pay(per_retry, *dependency, still, now)) ++paid;
        return paid;
    }

    std::unique_ptr<Budget> dependency = make_budget({}, {});
    testing::FixedRandom random{0.5};
    Still still;
};

TEST_F(PlaceTest, pays_at_both_levels_or_at_none) {
    const auto first = place();
    const auto second = place();
    EXPECT_EQ(retries(*first), 6) << "8.4 tokens";
    EXPECT_EQ(dependency->milli_left(), 0);
    const int before = second->budget()->milli_left();
    EXPECT_EQ(retries(*second), 0) << "the dependency's budget bounds all places together";
    EXPECT_EQ(second->budget()->milli_left(), before);
}

TEST_F(PlaceTest, that_serves_retries_earns_by_them) {
    const auto second = place();
    EXPECT_TRUE(second->pay(per_retry, *dependency, still, start));
    const int before = second->budget()->milli_left();
    second->succeeded(Visit::first, per_retry, 10ms, start);
    EXPECT_EQ(second->budget()->milli_left(), std::min(before + per_retry + 100, 8400));
    EXPECT_EQ(second->first_successes(), 1u);
    second->succeeded(Visit::again, per_retry, 10ms, start);
    EXPECT_EQ(second->first_successes(), 1u);
    EXPECT_EQ(second->successes(), 2u);
}

TEST_F(PlaceTest, has_room_for_calls_that_a_break_elsewhere_has_caught) {
    const auto sick = place();
    const auto healthy = place();
    fail(*sick, 32);
    EXPECT_EQ(dependency->milli_for_caught(), 32 * 2 * per_retry);
    EXPECT_EQ(retries(*healthy), 64);
    EXPECT_EQ(retries(*healthy), 0);
}

TEST_F(PlaceTest, is_marked_after_three_failures_in_a_row_for_ten_seconds_and_a_spread) {
    for (const auto& [chance, length] : {std::pair{0.0, 9s}, {0.5, 10s}, {1.0, 11s}}) {
        testing::FixedRandom fixed{chance};
        const auto one = place();
        for (int i = 0; i < 2; ++i) one->failed({.now = start}, *dependency, fixed);
        EXPECT_FALSE(one->marked(start));
        one->failed({.now = start}, *dependency, fixed);
        EXPECT_TRUE(one->marked(start));
        EXPECT_EQ(one->marked_until(), start + length);
        EXPECT_FALSE(one->marked(start + length));
    }
}

TEST_F(PlaceTest, is_marked_on_request_for_ten_seconds_and_a_spread) {
    for (const auto& [chance, length] : {std::pair{0.0, 9s}, {0.5, 10s}, {1.0, 11s}}) {
        testing::FixedRandom fixed{chance};
        const auto one = place();
        one->mark(start, fixed);
        EXPECT_EQ(one->marked_until(), start + length);
    }
}

TEST_F(PlaceTest, is_not_marked_until_the_same_time_by_a_fleet) {
    SeededRandom draws{8};
    std::vector<Duration> marks(200);
    for (Duration& length : marks) {
        const auto one = place();
        one->mark(start, draws);
        length = one->marked_until() - start;
    }
    EXPECT_LT(fullest_tenth(marks, 9s, 11s), 0.25) << "seed 8";
}

TEST_F(PlaceTest, forgets_a_row_of_failures_and_its_mark_when_it_answers) {
    const auto one = place();
    fail(*one, 2);
    one->answered();
    fail(*one, 2);
    EXPECT_FALSE(one->marked(start));
    one->mark(start, random);
    one->answered();
    EXPECT_TRUE(one->marked(start)) << "somebody else's mark";
    fail(*one, 3);
    one->answered();
    EXPECT_FALSE(one->marked(start));
}

TEST_F(PlaceTest, within_a_larger_one_pays_there_and_is_marked_alone) {
    const auto region = place();
    Place range{"range 7", *region, {}};
    Place other{"range 8", *region, {}};
    fail(range, 2);
    region->answered();  // another range
    fail(range, 1);
    EXPECT_TRUE(range.marked(start));
    EXPECT_FALSE(region->marked(start));
    EXPECT_FALSE(other.marked(start));
    const int before = region->budget()->milli_left();
    EXPECT_TRUE(range.pay(per_retry, *dependency, still, start));
    EXPECT_EQ(region->budget()->milli_left(), before - per_retry);
    range.succeeded(Visit::first, per_retry, 1ms, start);
    EXPECT_EQ(region->successes(), 1u);
    EXPECT_FALSE(range.marked(start));
}

TEST_F(PlaceTest, within_a_larger_one_shares_its_mark) {
    const auto region = place();
    Place range{"range 7", *region, {}};
    Place other{"range 8", *region, {}};
    fail(range, 2);
    fail(other, 1);
    EXPECT_TRUE(region->marked(start)) << "three in a row";
    EXPECT_TRUE(other.marked(start));
    EXPECT_EQ(other.marked_until(), region->marked_until());
}

TEST_F(PlaceTest, can_be_told_of_a_failure_that_the_larger_one_knows) {
    const auto region = place();
    Place range{"range 7", *region, {}};
    for (int i = 0; i < 3; ++i) range.failed_here(start, random);
    EXPECT_TRUE(range.marked(start));
    EXPECT_EQ(region->failures_in_a_row(), 0);
}

TEST_F(PlaceTest, is_tried_by_one_alone_when_the_mark_of_its_failures_is_over) {
    const auto one = place();
    fail(*one, 3);
    ASSERT_TRUE(one->marked(start + 9s));
    ASSERT_FALSE(one->marked(start + 10s));
    one->visit(start + 10s, random);
    EXPECT_TRUE(one->marked(start + 10s)) << "for the next one";
    one->succeeded(Visit::first, 0, 1ms, start + 11s);
    EXPECT_FALSE(one->marked(start + 11s));
    one->visit(start + 11s, random);
    EXPECT_FALSE(one->marked(start + 11s));
}

TEST_F(PlaceTest, without_a_budget_of_its_own_asks_only_the_dependency) {
    Place bare{"bare"};
    EXPECT_EQ(bare.budget(), nullptr);
    EXPECT_EQ(retries(bare), 6);
    bare.succeeded(Visit::first, per_retry, 1ms, start);
    EXPECT_EQ(bare.successes(), 1u);
    EXPECT_EQ(make_budget({.kind = BudgetKind::fixed}, {})->for_place(), nullptr);
}

}  // namespace
}  // namespace perdure
