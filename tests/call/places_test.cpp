// SPDX-License-Identifier: Apache-2.0
//
// Where does the next attempt of a call go when it can go to several places, when, and who pays?
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "call/tour.hpp"
#include "perdure/call/sleep.hpp"
#include "perdure/call/start.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/virtual_loop.hpp"

// Every closure here outlives its coroutine.
// NOLINTBEGIN(cppcoreguidelines-avoid-capturing-lambda-coroutines)
namespace perdure::testing {
namespace {

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

// One call with 30 ms must not move the calls of all others.
TEST_F(SeveralPlaces, are_not_marked_by_callers_in_a_hurry_before_these_waited_for_seconds) {
    const auto hurried = [&] {
        Tour tour{places};
        return caller.run(
            {.safety = Safety::read, .deadline = Deadline::in(30ms, clock.now()), .places = &tour},
            [&](const Attempt& attempt) -> Result<int> {
                (void)clock.sleep_until(attempt.deadline.at(), {});
                return fail({.cause = Cause::timed_out});
            });
    };
    for (int i = 0; i < 33; ++i) (void)hurried();
    EXPECT_EQ(places[0].failures_in_a_row(), 0) << "not a second in all";
    places[0].answered();
    for (int i = 0; i < 33; ++i) (void)hurried();
    EXPECT_EQ(places[0].failures_in_a_row(), 0) << "an answer of another call";
    for (int i = 0; i < 100; ++i) (void)hurried();
    EXPECT_TRUE(places[0].marked(clock.now())) << "four seconds without an answer";
}

TEST_F(SeveralPlaces, are_marked_by_three_timeouts_of_the_plans_own_length) {
    const auto patient = [&] {
        Tour tour{places};
        return caller.run({.safety = Safety::read, .places = &tour},
                          [&](const Attempt& attempt) -> Result<int> {
                              if (tour.at(attempt.endpoint, clock.now()).name() == "1") return 1;
                              (void)clock.sleep_until(attempt.deadline.at(), {});
                              return fail({.cause = Cause::timed_out});
                          });
    };
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(patient());
    EXPECT_TRUE(places[0].marked(clock.now()));
}

// While the neighbour is ill for long, its purse is empty, and it is known to fail.
TEST_F(SeveralPlaces, are_not_left_for_one_that_is_known_to_be_ill) {
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(call({}));
    for (int i = 0; i < 3; ++i)
        places[1].failed({.started = clock.now(), .now = clock.now()}, caller.budget(), random);
    for (int i = 0; i < 100; ++i) {
        bool stray = true;
        Tour tour{places};
        const auto done = caller.run(
            {.safety = Safety::read, .places = &tour}, [&](const Attempt& attempt) -> Result<int> {
                const Place& place = tour.at(attempt.endpoint, clock.now());
                EXPECT_EQ(place.name(), "0");
                if (!std::exchange(stray, false)) return 0;
                return fail({.cause = Cause::unavailable});
            });
        ASSERT_TRUE(done) << i;
        for (int other = 0; other < 20; ++other) ASSERT_TRUE(call({}));
        (void)clock.sleep_until(clock.now() + 10ms, {});
    }
}

TEST_F(SeveralPlaces, are_stayed_at_when_no_other_can_pay) {
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(call({}));
    while (places[1].pay_here(1400, caller.budget(), clock.now())) {}
    bool stray = true;
    Tour tour{places};
    const auto done =
        caller.run({.safety = Safety::read, .places = &tour}, [&](const Attempt&) -> Result<int> {
            if (!std::exchange(stray, false)) return 0;
            return fail({.cause = Cause::unavailable});
        });
    EXPECT_TRUE(done);
}

class PlacesThatAsk : public SeveralPlaces {
protected:
    // Which place, and when.
    std::vector<std::pair<int, Duration>> visits(Plan plan,
                                                 FunctionRef<Failure(int place)> failure_of) {
        Caller own{std::move(plan), {.clock = clock, .random = random}};
        std::vector<std::pair<int, Duration>> seen;
        Tour tour{places};
        const TimePoint before = clock.now();
        (void)own.run(
            {.safety = Safety::read, .places = &tour}, [&](const Attempt& attempt) -> Result<int> {
                const int which = std::stoi(tour.at(attempt.endpoint, clock.now()).name());
                seen.emplace_back(which, clock.now() - before);
                return fail(failure_of(which));
            });
        took = clock.now() - before;
        return seen;
    }
    void drain(Place& place) {
        while (place.pay_here(1400, caller.budget(), clock.now())) {}
    }
    Duration took{};
};

using Visits = std::vector<std::pair<int, Duration>>;

TEST_F(PlacesThatAsk, to_be_left_alone_are_while_another_is_there) {
    const auto seen = visits({.name = "places"}, [](int place) {
        return Failure{.cause = Cause::unavailable,
                       .retry_after = place == 0 ? std::optional<Duration>{30s} : std::nullopt};
    });
    EXPECT_EQ(seen, (Visits{{0, 0ms}, {1, 0ms}, {1, 50ms}, {1, 150ms}}));
}

TEST_F(PlacesThatAsk, are_waited_for_as_long_as_they_say_if_all_do) {
    const auto seen = visits({.name = "places", .deadline = 10s}, [](int place) {
        return Failure{.cause = Cause::unavailable, .retry_after = place == 0 ? 3s : 2s};
    });
    EXPECT_EQ(seen, (Visits{{0, 0ms}, {1, 0ms}, {0, 3s}, {1, 3100ms}}));
}

TEST_F(PlacesThatAsk, are_not_asked_after_a_wait_that_ends_behind_the_deadline) {
    drain(places[1]);  // the only place without a wait cannot pay
    const auto seen =
        visits({.name = "places", .deadline = 2s, .rule = {.backoff = {.base = 5s, .cap = 5s}}},
               [](int) { return Failure{.cause = Cause::unavailable}; });
    EXPECT_EQ(seen, (Visits{{0, 0ms}}));
    EXPECT_EQ(took, 0ms);
}

// For ten minutes one of two places never answers; each attempt there takes its timeout.
TEST_F(SeveralPlaces, of_which_one_hangs_cost_one_call_in_ten_seconds_and_not_all) {
    VirtualLoop loop;
    Caller calls{{.name = "places"}, {loop.clock(), random, nullptr, &loop}};
    int done = 0, at_the_sick_one = 0, under_way = 0;
    const auto call = [&]() -> Task<void> {
        ++under_way;
        Tour tour{places};
        const auto work = [&](const Attempt& attempt) -> Task<Result<void>> {
            if (&tour.at(attempt.endpoint, loop.clock().now()) == &places[1])
                co_return Result<void>{};
            ++at_the_sick_one;
            auto nap = sleep_until(loop, loop.clock().now() + 1h, attempt.stop());
            co_await nap;
            co_return fail({.cause = Cause::cancelled});
        };
        auto calling = start(calls, {.safety = Safety::read, .places = &tour}, work);
        const auto result = co_await calling;
        done += result ? 1 : 0;
        --under_way;
    };
    const auto caller_of_all = [&]() -> Task<void> {
        std::deque<Task<void>> all;
        for (int i = 0; i < 6'000; ++i) {
            all.push_back(call());
            (void)all.back().start({[](void*) {}, nullptr});
            auto nap = sleep_until(loop, loop.clock().now() + 100ms);
            co_await nap;
        }
        while (under_way > 0) {
            auto nap = sleep_until(loop, loop.clock().now() + 1s);
            co_await nap;
        }
    };
    loop.run(caller_of_all());
    EXPECT_EQ(done, 6'000);
    // 34 begin before the first is cut off after 3.3 s; then one for each mark.
    EXPECT_LE(at_the_sick_one, 34 + 600 / 10 + 10);
}

// A copy is a kindness: a place that is known to be sick gets none.
TEST_F(SeveralPlaces, get_no_copy_while_they_are_marked) {
    for (const bool marked : {false, true}) {
        if (marked) places[1].mark(clock.now(), random);
        VirtualLoop loop;
        loop.clock().advance(clock.now() - loop.clock().now());
        Caller hedging{{.name = "places", .hedge = HedgeOptions{.after = 20ms}},
                       {loop.clock(), random, nullptr, &loop}};
        Tour tour{places};
        const auto slow = [&](const Attempt& attempt) -> Task<Result<void>> {
            auto nap = sleep_until(loop, loop.clock().now() + 50ms, attempt.stop());
            co_await nap;
            co_return Result<void>{};
        };
        EXPECT_TRUE(loop.run(start(hedging, {.safety = Safety::read, .places = &tour}, slow)));
        EXPECT_EQ(hedging.counts().hedges_made, marked ? 0u : 1u);
    }
}

// Their own rules say what a success after a retry pays: gRPC one token, whatever the place.
TEST(PlacesOfPeers, pay_in_once_for_a_call_that_moved) {
    VirtualClock clock;
    FixedRandom random{1.0};
    Caller caller{
        {.name = "grpc", .budget = {.kind = BudgetKind::throttle, .deposit = 1, .capacity = 20}},
        {.clock = clock, .random = random}};
    std::deque<Place> places;
    for (const char* const name : {"0", "1"})
        places.emplace_back(name, caller.budget().for_place());
    const auto call = [&](int sick) {
        Tour tour{places};
        return caller.run({.safety = Safety::read, .places = &tour},
                          [&](const Attempt& attempt) -> Result<void> {
                              if (attempt.endpoint < sick)
                                  return fail({.cause = Cause::unavailable});
                              return {};
                          });
    };
    ASSERT_FALSE(call(9));  // so that it is not full
    const int before = caller.budget().milli_left();
    ASSERT_LT(before, 19'000);
    ASSERT_TRUE(call(1));
    EXPECT_EQ(caller.budget().milli_left(), before - 1'000 + 1'000) << "a failure, a success";
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

}  // namespace
}  // namespace perdure::testing
// NOLINTEND(cppcoreguidelines-avoid-capturing-lambda-coroutines)
