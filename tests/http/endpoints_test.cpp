// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/endpoints.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <thread>

#include "perdure/testing/fixed_random.hpp"

namespace perdure::http {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const TimePoint start = TimePoint{} + 1h;
perdure::testing::FixedRandom even{0.5};  // marks for `mark_for`, neither longer nor shorter

TEST(Endpoints, come_in_order_of_preference_each_once) {
    const Endpoints endpoints{{"a", "b", "a", "c"}};
    EXPECT_THAT(*endpoints.order(start), ElementsAre("a", "b", "c"));
    EXPECT_EQ(endpoints.order(start), endpoints.order(start + 1h));  // the very same list
    EXPECT_THAT(*Endpoints{{}}.order(start), IsEmpty());
}

TEST(Endpoints, put_marked_ones_last_oldest_mark_first_until_the_mark_expires) {
    Endpoints endpoints{{"a", "b", "c"}, {.mark_for = 5min}};
    endpoints.mark("b", start, even);
    endpoints.mark("a", start + 1min, even);
    EXPECT_THAT(*endpoints.order(start + 1min), ElementsAre("c", "b", "a"));
    EXPECT_TRUE(endpoints.marked("b", start + 1min));
    EXPECT_THAT(*endpoints.order(start + 5min - 1ns), ElementsAre("c", "b", "a"));
    EXPECT_THAT(*endpoints.order(start + 5min), ElementsAre("b", "c", "a"));
    EXPECT_FALSE(endpoints.marked("b", start + 5min));
    EXPECT_THAT(*endpoints.order(start + 6min), ElementsAre("a", "b", "c"));
}

TEST(Endpoints, renew_a_mark_that_is_set_again) {
    Endpoints endpoints{{"a", "b", "c"}, {.mark_for = 5min}};
    endpoints.mark("a", start, even);
    endpoints.mark("b", start + 1min, even);
    endpoints.mark("a", start + 2min, even);
    EXPECT_THAT(*endpoints.order(start + 2min), ElementsAre("c", "b", "a"));
    EXPECT_TRUE(endpoints.marked("a", start + 6min));
}

TEST(Endpoints, are_never_empty_because_of_marks) {
    Endpoints endpoints{{"a", "b"}};
    endpoints.mark("b", start, even);
    endpoints.mark("a", start, even);
    EXPECT_THAT(*endpoints.order(start), ElementsAre("a", "b"));
    Endpoints alone{{"a"}};
    alone.mark("a", start, even);
    EXPECT_THAT(*alone.order(start), ElementsAre("a"));
}

TEST(Endpoints, keep_marks_across_a_refresh_also_of_one_that_comes_back) {
    Endpoints endpoints{{"a", "b"}, {.mark_for = 5min}};
    endpoints.mark("a", start, even);
    endpoints.refresh({"a", "b", "c"});
    EXPECT_THAT(*endpoints.order(start), ElementsAre("b", "c", "a"));
    endpoints.refresh({"b"});
    EXPECT_THAT(*endpoints.order(start + 1min), ElementsAre("b"));
    endpoints.refresh({"a", "b"});
    EXPECT_THAT(*endpoints.order(start + 2min), ElementsAre("b", "a"));
    EXPECT_THAT(*endpoints.order(start + 5min), ElementsAre("a", "b"));
}

struct Failing {
    void operator()(Place& place, int times = 1) {
        for (int i = 0; i < times; ++i)
            place.failed({.cause = Cause::timed_out, .started = start, .now = start}, *budget,
                         random);
    }
    std::unique_ptr<Budget> budget = make_budget({}, {});
    testing::FixedRandom random{0.5};
};

TEST(Endpoints, are_marked_by_three_failures_in_a_row) {
    Endpoints endpoints{{"a", "b"}};
    Failing failing;
    failing(*endpoints.place("a"), 2);
    EXPECT_FALSE(endpoints.marked("a", start));
    endpoints.place("b")->answered();  // says nothing about a
    failing(*endpoints.place("a"));
    EXPECT_TRUE(endpoints.marked("a", start));
    EXPECT_FALSE(endpoints.marked("a", start + 10s));
}

TEST(Endpoints, forget_a_row_of_failures_when_an_answer_comes) {
    Endpoints endpoints{{"a", "b"}};
    Failing failing;
    for (int i = 0; i < 20; ++i) {
        failing(*endpoints.place("a"), 2);
        endpoints.place("a")->answered();
    }
    EXPECT_FALSE(endpoints.marked("a", start));
}

TEST(Endpoints, do_not_lose_a_mark_by_an_answer) {
    Endpoints endpoints{{"a", "b"}};
    endpoints.mark("a", start, even);
    endpoints.place("a")->answered();
    EXPECT_TRUE(endpoints.marked("a", start));
}

TEST(Endpoints, can_leave_failures_alone) {
    Endpoints endpoints{{"a", "b"}, {.failures_to_mark = 0}};
    Failing{}(*endpoints.place("a"), 100);
    EXPECT_FALSE(endpoints.marked("a", start));
}

TEST(Endpoints, remember_a_bounded_number_of_marks_the_latest_ones) {
    Endpoints endpoints{{"kept"}};
    for (int i = 0; i < 10'000; ++i)
        endpoints.mark("gone-" + std::to_string(i), start + std::chrono::milliseconds{i}, even);
    EXPECT_TRUE(endpoints.marked("gone-9999", start + 10s));
    EXPECT_FALSE(endpoints.marked("gone-9000", start + 10s));
}

TEST(Journey, stays_where_it_is_until_it_is_told_to_move) {
    Endpoints endpoints{{"a", "b", "c"}};
    Journey journey{endpoints};
    EXPECT_EQ(journey.at(0, start).name(), "a");
    EXPECT_EQ(journey.at(0, start + 1s).name(), "a");
    EXPECT_EQ(journey.at(1, start).name(), "b");
    EXPECT_EQ(journey.at(0, start).name(), "a");  // a copy beside it took place 1
    EXPECT_EQ(journey.at(2, start).name(), "c");
    EXPECT_EQ(journey.at(3, start).name(), "a");  // been everywhere
    EXPECT_EQ(journey.at(4, start).name(), "b");
}

TEST(Journey, goes_to_the_best_place_of_the_moment_where_it_has_not_been) {
    Endpoints endpoints{{"a", "b", "c"}};
    Journey journey{endpoints};
    EXPECT_EQ(journey.at(0, start).name(), "a");
    endpoints.mark("a", start, even);
    endpoints.mark("b", start, even);  // by another call
    EXPECT_EQ(journey.at(1, start).name(), "c");
    EXPECT_EQ(journey.at(2, start).name(), "b");  // a marked place where it has not been
    endpoints.refresh({"d", "a", "b", "c"});
    EXPECT_EQ(journey.at(3, start).name(), "d");
    EXPECT_EQ(journey.at(0, start).name(), "a");
}

TEST(Journey, goes_round_in_the_order_of_the_moment) {
    Endpoints endpoints{{"a", "b"}};
    Journey journey{endpoints};
    EXPECT_EQ(journey.at(0, start).name(), "a");
    EXPECT_EQ(journey.at(1, start).name(), "b");
    endpoints.mark("a", start, even);
    EXPECT_EQ(journey.at(2, start).name(), "b");
    EXPECT_EQ(journey.at(3, start).name(), "a");
}

TEST(Journey, keeps_its_places_when_the_list_is_replaced) {
    Endpoints endpoints{{"a long enough name to live on the heap"}};
    Journey journey{endpoints};
    const std::string& first = journey.at(0, start).name();
    endpoints.refresh({"b"});
    EXPECT_EQ(first, "a long enough name to live on the heap");
    EXPECT_EQ(journey.at(1, start).name(), "b");
}

TEST(Journey, is_bounded_and_has_an_answer_for_every_index) {
    Endpoints endpoints{{"a", "b"}};
    Journey journey{endpoints};
    EXPECT_EQ(journey.at(-1, start).name(), "a");
    EXPECT_EQ(journey.at(1'000'001, start).name(), "b");
    Endpoints nowhere{{}};
    EXPECT_EQ(Journey{nowhere}.at(3, start).name(), "");
}

TEST(Journey, visits_every_endpoint_once_before_any_twice_whatever_is_marked) {
    constexpr std::uint32_t seed = 1994;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    for (int trial = 0; trial < 200; ++trial) {
        EndpointList urls;
        for (int i = static_cast<int>(random() % 8); i >= 0; --i) urls.push_back(std::to_string(i));
        Endpoints endpoints{urls};
        Journey journey{endpoints};
        std::set<std::string> seen;
        for (int i = 0; i < static_cast<int>(urls.size()); ++i) {
            endpoints.mark(urls[random() % urls.size()], start + 1s * trial, even);
            seen.insert(journey.at(i, start + 1s * trial).name());
        }
        EXPECT_EQ(seen.size(), urls.size());
    }
}

TEST(EndpointsShared, are_marked_refreshed_and_asked_by_many_threads) {
    Endpoints endpoints{{"a", "b", "c"}};
    std::vector<std::jthread> threads;
    for (unsigned number = 0; number < 4; ++number)
        threads.emplace_back([&endpoints, number] {
            Failing failing;
            for (int i = 0; i < 500; ++i) {
                const TimePoint now = start + 1s * i;
                Journey journey{endpoints};
                const std::string url = journey.at(i % 3, now).name();
                if (url.size() != 1) std::abort();
                if (number == 0) endpoints.mark(url, now, even);
                if (number == 1) failing(*endpoints.place(url));
                if (number == 2) endpoints.refresh({"c", "b", "a"});
                endpoints.place(url)->answered();
            }
        });
    threads.clear();
    EXPECT_EQ(endpoints.order(start + 1h)->size(), 3U);
}

}  // namespace
}  // namespace perdure::http
