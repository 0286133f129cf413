// SPDX-License-Identifier: Apache-2.0
//
// How many try to connect to a server that is away? One at a time; the others wait for its news.
#include "perdure/net/pool.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "net/start.hpp"
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
    EXPECT_TRUE(third.place.another_dials());
    EXPECT_EQ(third.place.dial_at(), start + 50ms + 1s) << "if it is not told earlier";
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

TEST_F(PoolDialling, is_open_to_a_second_one_when_the_first_takes_longer_than_a_second) {
    Dialler& first = another();
    ASSERT_TRUE(first.place.may_dial(start));
    first.place.dialled(&refused, start);
    Dialler& second = another();
    Dialler& third = another();
    ASSERT_TRUE(second.place.may_dial(start + 1s));
    ASSERT_FALSE(third.place.may_dial(start + 1999ms));
    ASSERT_TRUE(third.place.may_dial(start + 2s));
    second.place.dialled(&refused, start + 3s);
    EXPECT_FALSE(second.place.may_dial(start + 2500ms)) << "the turn is the third one's";
    EXPECT_TRUE(second.place.another_dials());
}

TEST_F(PoolDialling, that_ended_by_ones_own_short_patience_says_nothing_about_the_server) {
    const Failure impatient{.cause = Cause::timed_out, .effect = Effect::none};
    Dialler& first = another();
    ASSERT_TRUE(first.place.may_dial(start));
    first.place.dialled(&impatient, start + 999ms);
    EXPECT_FALSE(first.place.dial_failure());
    first.place.dialled(&refused, start + 1s);
    Dialler& second = another();
    Dialler& third = another();
    ASSERT_TRUE(second.place.may_dial(start + 2s));
    ASSERT_FALSE(third.place.may_dial(start + 2s));
    second.place.dialled(&impatient, start + 2030ms);
    EXPECT_EQ(third.bell.rung, 1);
    EXPECT_TRUE(third.place.may_dial(start + 2030ms)) << "at once: there was no news";
    third.place.dialled(&impatient, start + 3030ms);
    EXPECT_EQ(second.place.dial_failure()->cause, Cause::timed_out) << "a second is long enough";
}

struct Idle final : Pooled {
    bool still_good() override { return true; }
};

TEST_F(PoolDialling, is_not_needed_by_whom_an_idle_connection_is_handed_to) {
    Dialler& first = another();
    Dialler& picky = another();
    Dialler& second = another();
    Dialler& third = another();
    Dialler& owner = another();
    ASSERT_TRUE(first.place.may_dial(start));
    first.place.dialled(&refused, start);
    ASSERT_FALSE(picky.place.may_dial(start, Pool::Place::Accepts::new_only));
    ASSERT_FALSE(second.place.may_dial(start));
    ASSERT_FALSE(third.place.may_dial(start));
    owner.place.give_back(std::make_unique<Idle>(), start);
    EXPECT_EQ(picky.bell.rung, 0);
    EXPECT_EQ(second.bell.rung, 1) << "it has waited longer than the third";
    EXPECT_TRUE(second.place.take_handed());
    EXPECT_FALSE(third.place.take_handed());
    EXPECT_EQ(pool.counts().in_use, 4);
}

TEST_F(PoolDialling, is_open_to_all_where_attempts_to_connect_are_limited) {
    Pool each_for_itself{{.one_dials = false}, highest};
    Dialler first{each_for_itself};
    Dialler second{each_for_itself};
    ASSERT_TRUE(first.place.may_dial(start));
    first.place.dialled(&refused, start);
    EXPECT_TRUE(second.place.may_dial(start));
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
