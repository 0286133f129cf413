// SPDX-License-Identifier: Apache-2.0
//
// Where does the next attempt of a call go when it can go to several places, when, and who pays? And
// does the bound of the budget hold, whatever the places do?
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "perdure/call/caller.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/virtual_clock.hpp"

namespace perdure::testing {
namespace {

// As http::Journey: unmarked ones first, each once before any twice.
class Tour final : public Places {
public:
    explicit Tour(std::deque<Place>& places) : places_{places} {}
    Place& at(int endpoint, TimePoint now) override {
        while (visited_.size() <= static_cast<std::size_t>(endpoint)) visited_.push_back(next(now));
        return *visited_[static_cast<std::size_t>(endpoint)];
    }
    bool has_fresh(TimePoint now) override {
        return std::ranges::any_of(
            places_, [&](Place& place) { return !place.marked(now) && !been_at(place); });
    }
    int count(TimePoint) const override { return static_cast<int>(places_.size()); }

private:
    bool been_at(const Place& place) const {
        return std::ranges::find(visited_, &place) != visited_.end();
    }
    Place* next(TimePoint now) {
        for (Place& place : places_)
            if (!place.marked(now) && !been_at(place)) return &place;
        for (Place& place : places_)
            if (!been_at(place)) return &place;
        return &places_[visited_.size() % places_.size()];
    }
    std::deque<Place>& places_;
    std::vector<Place*> visited_;
};

class SeveralPlaces : public ::testing::Test {
protected:
    explicit SeveralPlaces(int count = 2) {
        for (int i = 0; i < count; ++i)
            places.emplace_back(std::to_string(i), caller.budget().for_place());
    }
    // Every attempt at a place that is not in `sick` succeeds.
    Result<int> call(const std::vector<int>& sick, Cause cause = Cause::unavailable) {
        Tour tour{places};
        asked.clear();
        return caller.run({.safety = Safety::read, .places = &tour},
                          [&](const Attempt& attempt) -> Result<int> {
                              const Place& place = tour.at(attempt.endpoint, clock.now());
                              const int which = std::stoi(place.name());
                              asked.push_back(which);
                              if (std::ranges::find(sick, which) == sick.end()) return which;
                              return fail({.cause = cause});
                          });
    }

    VirtualClock clock;
    FixedRandom random{1.0};
    Caller caller{{.name = "places"}, {.clock = clock, .random = random}};
    std::deque<Place> places;
    std::vector<int> asked;
};

TEST_F(SeveralPlaces, are_tried_at_once_where_the_call_has_not_been) {
    const TimePoint before = clock.now();
    EXPECT_EQ(call({0}).value(), 1);
    EXPECT_EQ(asked, (std::vector<int>{0, 1}));
    EXPECT_EQ(clock.now(), before);
}

TEST_F(SeveralPlaces, are_waited_for_when_the_call_has_been_everywhere) {
    const TimePoint before = clock.now();
    EXPECT_FALSE(call({0, 1}));
    EXPECT_EQ(asked, (std::vector<int>{0, 1, 0, 1}));
    EXPECT_GT(clock.now(), before);
}

TEST_F(SeveralPlaces, serve_every_call_while_one_of_two_is_sick_for_long) {
    int at_the_sick_one = 0;
    for (int i = 0; i < 10'000; ++i) {
        ASSERT_TRUE(call({0})) << i;
        at_the_sick_one += static_cast<int>(std::ranges::count(asked, 0));
        (void)clock.sleep_until(clock.now() + 10ms, {});
    }
    EXPECT_LE(at_the_sick_one, 100)
        << "a hundred seconds: three failures, then one every ten seconds";
}

TEST_F(SeveralPlaces, are_left_alone_when_the_failure_is_about_the_request) {
    EXPECT_EQ(call({0}, Cause::invalid).error().stop, Stop::permanent);
    EXPECT_EQ(asked, (std::vector<int>{0}));
    EXPECT_EQ(places[0].failures_in_a_row(), 0);
}

class ManyPlaces : public SeveralPlaces {
protected:
    ManyPlaces() : SeveralPlaces{200} {}
};

TEST_F(ManyPlaces, that_are_all_down_get_no_more_retries_than_one) {
    std::vector<int> all(200);
    for (int i = 0; i < 200; ++i) all[static_cast<std::size_t>(i)] = i;
    std::size_t attempts = 0;
    constexpr int calls = 2'000;
    for (int i = 0; i < calls; ++i) {
        EXPECT_FALSE(call(all));
        attempts += asked.size();
        (void)clock.sleep_until(clock.now() + 100ms, {});
    }
    EXPECT_LE(static_cast<double>(attempts) / calls, 1.01);
}

// retries · cost ≤ floor + 2 · cost · (calls of the largest break) + deposits + refunds, for every prefix.
TEST(BoundOverPlaces, holds_for_random_places_and_breaks) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        VirtualClock clock;
        SeededRandom random{seed};
        Caller caller{{.name = "places"}, {.clock = clock, .random = random}};
        std::deque<Place> places;
        const int count = 1 + static_cast<int>(random.next() * 9);
        std::vector<double> failing(static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i)
            places.emplace_back(std::to_string(i), caller.budget().for_place());
        const std::int64_t floor = caller.budget().milli_left();
        std::int64_t paid = 0, earned = 0;
        for (int i = 0; i < 400; ++i) {
            if (random.next() < 0.05)
                for (double& share : failing) share = random.next() < 0.5 ? random.next() : 0;
            Tour tour{places};
            int attempts = 0;
            const auto done = caller.run({.safety = Safety::read, .places = &tour},
                                         [&](const Attempt& attempt) -> Result<void> {
                                             const Place& place =
                                                 tour.at(attempt.endpoint, clock.now());
                                             ++attempts;
                                             (void)clock.sleep_until(clock.now() + 5ms, {});
                                             if (random.next() >= failing[std::stoul(place.name())])
                                                 return {};
                                             return fail({.cause = Cause::unavailable});
                                         });
            paid += (attempts - 1) * 1400;
            if (done) earned += 100 + (attempts > 1 ? 1400 : 0);
            const std::int64_t caught = caller.budget().milli_for_caught() - floor;
            ASSERT_LE(paid, floor + caught + earned) << "call " << i;
            // One call at a time: a break catches one.
            ASSERT_LE(caught, 0);
            ASSERT_GE(caller.budget().milli_left(), 0);
        }
    }
}

}  // namespace
}  // namespace perdure::testing
