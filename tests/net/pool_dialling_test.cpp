// SPDX-License-Identifier: Apache-2.0
//
// How many try to connect to a server that is away? One at a time; the others wait for its news.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "net/start.hpp"
#include "perdure/net/pool.hpp"
#include "perdure/testing/fixed_random.hpp"

namespace perdure::net {
namespace {

const Failure refused{.cause = Cause::unavailable, .effect = Effect::none, .code = "ECONNREFUSED"};

struct Bell final : Waker {
    void wake() noexcept override { ++rung; }
    int rung = 0;
};

// Somebody with a permit and no connection.
struct Dialler {
    explicit Dialler(Pool& pool) : place{pool, bell} {
        place.ask(start);
        EXPECT_TRUE(place.granted());
        EXPECT_FALSE(place.take());
    }
    Bell bell;
    Pool::Place place;
};

class PoolDialling : public ::testing::Test {
protected:
    Dialler& another() { return *all_.emplace_back(std::make_unique<Dialler>(pool)); }

    testing::FixedRandom highest{1.0};
    Pool pool{{}, highest};

private:
    std::vector<std::unique_ptr<Dialler>> all_;
};

TEST_F(PoolDialling, is_open_to_all_while_connecting_works) {
    Dialler& first = another();
    Dialler& second = another();
    EXPECT_TRUE(first.place.may_dial(start));
    EXPECT_TRUE(second.place.may_dial(start));
    first.place.dialled(nullptr, start);
    EXPECT_TRUE(another().place.may_dial(start));
}

TEST_F(PoolDialling, is_done_by_one_at_a_time_after_a_failure) {
    Dialler& first = another();
    ASSERT_TRUE(first.place.may_dial(start));
    first.place.dialled(&refused, start);
    Dialler& second = another();
    Dialler& third = another();
    EXPECT_FALSE(second.place.may_dial(start));
    EXPECT_EQ(second.place.dial_at(), start + 50ms);
    EXPECT_TRUE(second.place.may_dial(start + 50ms));
    EXPECT_FALSE(third.place.may_dial(start + 50ms));
    EXPECT_EQ(third.place.dial_at(), TimePoint::max()) << "it will be told";
    ASSERT_TRUE(third.place.dial_failure());
    EXPECT_EQ(third.place.dial_failure()->code, "ECONNREFUSED");
}

TEST_F(PoolDialling, pauses_longer_after_each_failure_up_to_a_second) {
    Dialler& one = another();
    TimePoint now = start;
    std::vector<Duration> pauses;
    ASSERT_TRUE(one.place.may_dial(now));
    for (int i = 0; i < 7; ++i) {
        one.place.dialled(&refused, now);
        ASSERT_FALSE(one.place.may_dial(now));
        pauses.push_back(one.place.dial_at() - now);
        now = one.place.dial_at();
        ASSERT_TRUE(one.place.may_dial(now));
    }
    EXPECT_EQ(pauses, (std::vector<Duration>{50ms, 100ms, 200ms, 400ms, 800ms, 1s, 1s}));
}

TEST_F(PoolDialling, is_open_to_all_again_as_soon_as_one_gets_through) {
    Dialler& first = another();
    ASSERT_TRUE(first.place.may_dial(start));
    first.place.dialled(&refused, start);
    Dialler& second = another();
    Dialler& third = another();
    ASSERT_TRUE(second.place.may_dial(start + 1s));
    ASSERT_FALSE(third.place.may_dial(start + 1s));
    second.place.dialled(nullptr, start + 1s);
    EXPECT_EQ(third.bell.rung, 1);
    EXPECT_TRUE(third.place.may_dial(start + 1s));
    EXPECT_FALSE(third.place.dial_failure());
    third.place.dialled(&refused, start + 2s);
    ASSERT_FALSE(second.place.may_dial(start + 2s));
    EXPECT_EQ(second.place.dial_at(), start + 2s + 50ms) << "the pauses begin again";
}

TEST_F(PoolDialling, passes_the_turn_on_when_the_one_who_dials_gives_up) {
    Dialler& first = another();
    ASSERT_TRUE(first.place.may_dial(start));
    first.place.dialled(&refused, start);
    auto second = std::make_unique<Dialler>(pool);
    Dialler& third = another();
    ASSERT_TRUE(second->place.may_dial(start + 1s));
    ASSERT_FALSE(third.place.may_dial(start + 1s));
    second.reset();
    EXPECT_EQ(third.bell.rung, 1);
    EXPECT_TRUE(third.place.may_dial(start + 1s));
}

TEST_F(PoolDialling, forgets_who_left_while_he_waited) {
    Dialler& first = another();
    ASSERT_TRUE(first.place.may_dial(start));
    first.place.dialled(&refused, start);
    for (int i = 0; i < 5; ++i) {
        Dialler gone{pool};
        ASSERT_FALSE(gone.place.may_dial(start));
    }
    Dialler& second = another();
    ASSERT_TRUE(second.place.may_dial(start + 1s));
    second.place.dialled(nullptr, start + 1s);
    EXPECT_EQ(pool.counts().in_use, 2);
}

TEST_F(PoolDialling, that_many_began_together_counts_as_one_failure) {
    std::vector<Dialler*> all;
    for (int i = 0; i < 10; ++i) all.push_back(&another());
    for (Dialler* one : all) ASSERT_TRUE(one->place.may_dial(start));
    for (Dialler* one : all) one->place.dialled(&refused, start + 1ms);
    ASSERT_FALSE(all[0]->place.may_dial(start + 1ms));
    EXPECT_EQ(all[0]->place.dial_at(), start + 1ms + 50ms);
}

}  // namespace
}  // namespace perdure::net
