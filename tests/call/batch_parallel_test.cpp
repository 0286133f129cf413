// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/batch_parallel.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

namespace perdure::testing {
namespace {

// As many as the limit lets out.
std::vector<std::uint64_t> start_all(Parallelism& sends) {
    std::vector<std::uint64_t> tickets;
    while (sends.free()) tickets.push_back(sends.start());
    return tickets;
}

TEST(Parallelism, starts_at_the_most_or_where_it_is_told) {
    EXPECT_EQ(Parallelism{{}}.limit(), 8);
    EXPECT_EQ((Parallelism{{.most = 16, .first = 2}}.limit()), 2);
    EXPECT_EQ((Parallelism{{.most = 4, .first = 9}}.limit()), 4);
    EXPECT_EQ((Parallelism{{.most = -3, .least = -7}}.limit()), 1);
}

TEST(Parallelism, lets_out_no_more_than_its_limit) {
    Parallelism sends{{.most = 3}};
    EXPECT_EQ(start_all(sends).size(), 3u);
    EXPECT_FALSE(sends.free());
    sends.end(0, SendEnd::otherwise);
    EXPECT_TRUE(sends.free());
}

TEST(Parallelism, halves_once_however_many_sends_of_a_round_are_throttled) {
    Parallelism sends{{.most = 8}};
    for (const std::uint64_t ticket : start_all(sends)) sends.end(ticket, SendEnd::throttled);
    EXPECT_EQ(sends.limit(), 4);
    for (const std::uint64_t ticket : start_all(sends)) sends.end(ticket, SendEnd::throttled);
    EXPECT_EQ(sends.limit(), 2);
}

TEST(Parallelism, never_falls_below_its_least) {
    Parallelism one{{.most = 8}}, three{{.most = 8, .least = 3}};
    for (int i = 0; i < 20; ++i) {
        one.end(one.start(), SendEnd::throttled);
        three.end(three.start(), SendEnd::throttled);
    }
    EXPECT_EQ(one.limit(), 1);
    EXPECT_EQ(three.limit(), 3);
    EXPECT_TRUE(one.free());
}

TEST(Parallelism, grows_by_about_one_in_a_round_and_not_beyond_its_most) {
    Parallelism sends{{.most = 5, .first = 1}};
    std::vector<int> limits;
    for (int round = 0; round < 6; ++round) {
        for (const std::uint64_t ticket : start_all(sends)) sends.end(ticket, SendEnd::well);
        limits.push_back(sends.limit());
    }
    EXPECT_EQ(limits, (std::vector<int>{2, 2, 3, 4, 5, 5}));
}

TEST(Parallelism, does_not_grow_while_it_is_not_used) {
    Parallelism sends{{.most = 100, .first = 10}};
    for (int i = 0; i < 1'000; ++i) sends.end(sends.start(), SendEnd::well);
    EXPECT_EQ(sends.limit(), 10);
}

TEST(Parallelism, learns_nothing_from_sends_older_than_its_latest_shrinking) {
    Parallelism sends{{.most = 8}};
    const auto old = start_all(sends);
    sends.end(old[0], SendEnd::throttled);
    for (std::size_t i = 1; i < old.size(); ++i)
        sends.end(old[i], i % 2 ? SendEnd::well : SendEnd::throttled);
    EXPECT_EQ(sends.limit(), 4);
}

TEST(Parallelism, is_not_moved_by_ends_that_say_nothing_about_load) {
    Parallelism sends{{.most = 8, .first = 4}};
    for (int i = 0; i < 100; ++i)
        for (const std::uint64_t ticket : start_all(sends)) sends.end(ticket, SendEnd::otherwise);
    EXPECT_EQ(sends.limit(), 4);
}

TEST(Parallelism, finds_the_number_a_service_can_take) {
    // Who comes while six are being served is throttled.
    Parallelism sends{{.most = 32}};
    std::deque<std::pair<std::uint64_t, SendEnd>> served;
    std::mt19937_64 dice{7};
    double sum = 0;
    for (int step = 0; step < 20'000; ++step) {
        if (sends.free())
            served.emplace_back(sends.start(),
                                served.size() < 6 ? SendEnd::well : SendEnd::throttled);
        if (!sends.free() || dice() % 2) {
            sends.end(served.front().first, served.front().second);
            served.pop_front();
        }
        sum += sends.limit();
    }
    EXPECT_GT(sum / 20'000, 3);
    EXPECT_LT(sum / 20'000, 8);
}

}  // namespace
}  // namespace perdure::testing
