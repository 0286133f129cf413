// SPDX-License-Identifier: Apache-2.0
//
// Does the bound of the retry budget hold, whatever the places, the breaks and the copies do?
//
//     extra attempts · cost ≤ max(floor, 2 · cost · calls within 100 ms) + deposits + refunds
//
// at every moment: a break takes up to 100 ms, and catches calls in flight then. All of it is counted where the attempts arrive, nothing is asked of the budget.
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "call/tour.hpp"
#include "perdure/call/sleep.hpp"
#include "perdure/call/start.hpp"
#include "perdure/testing/virtual_loop.hpp"
#include "perdure/time/random.hpp"

// Every closure here outlives its coroutine.
// NOLINTBEGIN(cppcoreguidelines-avoid-capturing-lambda-coroutines)
namespace perdure::testing {
namespace {

constexpr std::int64_t cost_milli = 1400, deposit_milli = 100;
constexpr std::int64_t floor_milli = 6 * cost_milli;  // two calls that fail to the end

struct Weather {
    double failing = 0;
    Duration takes = 5ms;
};

// Clients that each make one call after another, while every place breaks and mends by chance.
class World {
public:
    World(std::uint64_t seed, std::optional<HedgeOptions> hedge)
        : random_{seed},
          caller_{{.name = "places", .hedge = hedge}, {loop_.clock(), random_, nullptr, &loop_}} {
        const int count = 1 + below(9);
        for (int i = 0; i < count; ++i)
            places_.emplace_back(std::to_string(i), caller_.budget().for_place());
        weather_.resize(places_.size());
    }

    void run(int clients, int calls) {
        std::vector<Task<void>> all;
        for (int i = 0; i < clients; ++i) all.push_back(client(calls));
        for (Task<void>& one : all) (void)one.start({[](void*) {}, nullptr});
        loop_.drain();
        EXPECT_EQ(calls_, clients * calls);
    }
    [[nodiscard]] const Caller& caller() const { return caller_; }

private:
    int below(int end) { return static_cast<int>(random_.next() * end); }
    void change_the_weather() {
        for (Weather& one : weather_)
            one = {.failing = random_.next() < 0.5 ? random_.next() * 1.2 : 0,
                   .takes = random_.next() < 0.3 ? Duration{60ms} : Duration{5ms}};
    }

    Task<void> client(int calls) {
        for (int i = 0; i < calls; ++i) {
            auto one = call();
            co_await one;
            auto nap = sleep_until(loop_, loop_.clock().now() + 1ms * below(20));
            co_await nap;
        }
    }
    Task<void> call() {
        if (random_.next() < 0.02) change_the_weather();
        Tour tour{places_};
        int attempts = 0;
        bool answered = false;
        ++in_flight_;
        note_crowd();
        const auto work = [&](const Attempt& attempt) -> Task<Result<void>> {
            const Place& place = tour.at(attempt.endpoint, loop_.clock().now());
            const Weather weather = weather_[std::stoul(place.name())];
            if (++attempts > 1) paid_ += cost_milli;
            expect_bound();
            auto nap = sleep_until(loop_, loop_.clock().now() + weather.takes, attempt.stop());
            if (co_await nap == Woken::by_stop) co_return fail({.cause = Cause::cancelled});
            if (random_.next() < weather.failing) co_return fail({.cause = Cause::unavailable});
            if (!answered) earned_ += deposit_milli + (attempts > 1 ? cost_milli : 0);
            answered = true;
            co_return Result<void>{};
        };
        auto calling = start(caller_, {.safety = Safety::read, .places = &tour}, work);
        (void)co_await calling;
        --in_flight_;
        ended_.push_back(loop_.clock().now());
        ++calls_;
    }
    void note_crowd() {
        while (!ended_.empty() && ended_.front() <= loop_.clock().now() - 100ms) ended_.pop_front();
        most_at_once_ =
            std::max(most_at_once_, in_flight_ + static_cast<std::int64_t>(ended_.size()));
    }
    void expect_bound() const {
        const std::int64_t caught = 2 * cost_milli * most_at_once_;
        EXPECT_LE(paid_, std::max(floor_milli, caught) + earned_) << "call " << calls_;
    }

    VirtualLoop loop_;
    SeededRandom random_;
    Caller caller_;
    std::deque<Place> places_;
    std::vector<Weather> weather_;
    std::int64_t paid_ = 0, earned_ = 0;
    std::int64_t in_flight_ = 0, most_at_once_ = 0;
    std::deque<TimePoint> ended_;  // within the last 100 ms
    int calls_ = 0;
};

struct Case {
    std::string name;
    int clients;
    std::optional<HedgeOptions> hedge;
};

class BoundOverPlaces : public ::testing::TestWithParam<Case> {};

TEST_P(BoundOverPlaces, holds_while_they_break_and_mend_by_chance) {
    std::uint64_t retries = 0, copies = 0;
    for (std::uint64_t seed = 1; seed <= 40 && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        World world{seed, GetParam().hedge};
        world.run(GetParam().clients, 600 / GetParam().clients);
        retries += world.caller().counts().retries_made;
        copies += world.caller().counts().hedges_made;
    }
    EXPECT_GT(retries, 1000u);
    EXPECT_GE(copies, GetParam().hedge ? 1000u : 0u);
}

INSTANTIATE_TEST_SUITE_P(, BoundOverPlaces,
                         ::testing::Values(Case{"one_client", 1, {}}, Case{"forty_clients", 40, {}},
                                           Case{"one_client_with_copies", 1,
                                                HedgeOptions{.after = 20ms}},
                                           Case{"forty_clients_with_two_copies", 40,
                                                HedgeOptions{.after = 20ms, .extra = 2}}),
                         [](const auto& which) { return which.param.name; });

}  // namespace
}  // namespace perdure::testing
// NOLINTEND(cppcoreguidelines-avoid-capturing-lambda-coroutines)
