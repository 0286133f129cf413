// SPDX-License-Identifier: Apache-2.0
#include "perdure/net/pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "net/start.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/thread_limit.hpp"

namespace perdure::net {
namespace {

struct Marks {
    int made = 0, gone = 0;
    bool good = true;
};

class Thing final : public Pooled {
public:
    explicit Thing(Marks& marks, int which = 0) : name{which}, marks_{marks} { ++marks_.made; }
    ~Thing() override { ++marks_.gone; }
    bool still_good() override { return marks_.good; }
    const int name;

private:
    Marks& marks_;
};

struct CountingWaker final : Waker {
    void wake() noexcept override { ++rung; }
    int rung = 0;
};

struct Asking {
    explicit Asking(Pool& pool) : place{pool, waker} {}
    CountingWaker waker;
    Pool::Place place;
};

int name_of(const std::unique_ptr<Pooled>& connection) {
    return connection ? static_cast<const Thing&>(*connection).name : -1;
}

void leave_idle(Pool& pool, std::vector<std::unique_ptr<Pooled>> connections, TimePoint now) {
    std::vector<std::unique_ptr<Asking>> all;
    for (std::size_t i = 0; i < connections.size(); ++i) {
        all.push_back(std::make_unique<Asking>(pool));
        all.back()->place.ask(now);
        ASSERT_TRUE(all.back()->place.granted());
    }
    for (std::size_t i = 0; i < connections.size(); ++i)
        all[i]->place.give_back(std::move(connections[i]), now);
}

TEST(Pool, takes_the_connection_that_was_idle_shortest) {
    Marks marks;
    Pool pool;
    std::vector<std::unique_ptr<Pooled>> two;
    two.push_back(std::make_unique<Thing>(marks, 1));
    two.push_back(std::make_unique<Thing>(marks, 2));
    leave_idle(pool, std::move(two), start);
    EXPECT_EQ(pool.counts().idle, 2);
    Asking one{pool};
    one.place.ask(start);
    EXPECT_EQ(name_of(one.place.take()), 2);
}

// In a process of its own, as ctest runs it: the executor is started once.
TEST(Pool, keeps_a_connection_although_no_thread_can_be_started_to_close_it_later) {
    const testing::ThreadLimit none{0};
    Marks marks;
    Pool pool;
    for (int i = 0; i < 2; ++i) {
        Asking one{pool};
        one.place.ask(start);
        auto connection = one.place.take();
        if (!connection) connection = std::make_unique<Thing>(marks);
        one.place.give_back(std::move(connection), start);
        EXPECT_EQ(pool.counts().idle, 1);
    }
    EXPECT_EQ(marks.made, 1);
}

TEST(Pool, looks_at_a_connection_from_anothers_hands_too) {
    Marks marks;
    Pool pool{{.max_connections = 1}};
    Asking holder{pool}, waiting{pool};
    holder.place.ask(start);
    waiting.place.ask(start);
    holder.place.give_back(std::make_unique<Thing>(marks), start);
    ASSERT_TRUE(waiting.place.granted());
    marks.good = false;
    EXPECT_EQ(waiting.place.take(), nullptr) << "leave to make a new one";
    EXPECT_EQ(pool.counts().in_use, 1);
}

TEST(Pool, hands_places_over_in_the_order_they_were_asked_for) {
    Marks marks;
    Pool pool{{.max_connections = 1}};
    Asking holder{pool}, second{pool}, gone{pool}, third{pool};
    for (Asking* each : {&holder, &second, &gone, &third}) each->place.ask(start);
    EXPECT_TRUE(holder.place.granted());
    EXPECT_EQ(pool.counts().waiting, 3);
    gone.place.leave();
    EXPECT_EQ(pool.counts().waiting, 2);

    holder.place.give_back(std::make_unique<Thing>(marks, 7), start);
    EXPECT_TRUE(second.place.granted());
    EXPECT_FALSE(third.place.granted());
    EXPECT_EQ(second.waker.rung, 1);
    EXPECT_EQ(third.waker.rung, 0);
    EXPECT_EQ(name_of(second.place.take()), 7) << "with its connection";
    second.place.leave();
    EXPECT_TRUE(third.place.granted());
    EXPECT_EQ(third.place.take(), nullptr) << "leave to make one";
    EXPECT_EQ(pool.counts().in_use, 1);
}

TEST(Pool, passes_on_a_place_that_was_granted_but_not_used) {
    Marks marks;
    Pool pool{{.max_connections = 1}};
    Asking holder{pool}, next{pool};
    holder.place.ask(start);
    {
        Asking given_up{pool};
        given_up.place.ask(start);
        next.place.ask(start);
        holder.place.give_back(std::make_unique<Thing>(marks, 3), start);
        EXPECT_TRUE(given_up.place.granted());
    }
    ASSERT_TRUE(next.place.granted());
    EXPECT_EQ(name_of(next.place.take()), 3);
    EXPECT_EQ(marks.gone, 1) << "only the one just dropped by this test";
}

TEST(Pool, does_not_count_a_connection_that_was_handed_over_in_vain_as_idle_since_it_was_made) {
    Marks marks;
    Pool pool{{.max_connections = 1, .idle_for = 10s}};
    Asking holder{pool};
    holder.place.ask(start);
    {
        Asking given_up{pool};
        given_up.place.ask(start + 59s);
        holder.place.give_back(std::make_unique<Thing>(marks), start + 1min);
    }
    EXPECT_EQ(pool.counts().idle, 1);
    Asking next{pool};
    next.place.ask(start + 1min + 1s);
    EXPECT_NE(next.place.take(), nullptr);
}

TEST(Pool, notices_before_use_that_a_connection_went_bad) {
    Marks marks;
    Pool pool;
    std::vector<std::unique_ptr<Pooled>> three;
    for (int i = 0; i < 3; ++i) three.push_back(std::make_unique<Thing>(marks));
    leave_idle(pool, std::move(three), start);
    marks.good = false;
    Asking one{pool};
    one.place.ask(start + 1s);
    EXPECT_TRUE(one.place.granted());
    EXPECT_EQ(one.place.take(), nullptr);
    EXPECT_EQ(marks.gone, 3);
    EXPECT_EQ(pool.counts().in_use, 1);
}

TEST(Pool, closes_what_is_idle_or_alive_for_too_long) {
    Marks marks;
    testing::FixedRandom whole{1.0};
    Pool pool{{.idle_for = 10s, .live_for = 25s}, whole};
    const auto idle_at = [&](TimePoint now) {
        Asking one{pool};
        one.place.ask(now);
        auto connection = one.place.take();
        const bool reused = connection != nullptr;
        if (!reused) connection = std::make_unique<Thing>(marks);
        one.place.give_back(std::move(connection), now);
        return reused;
    };
    EXPECT_FALSE(idle_at(start));
    EXPECT_TRUE(idle_at(start + 9s));
    EXPECT_TRUE(idle_at(start + 18s));
    EXPECT_FALSE(idle_at(start + 26s)) << "made 26 s ago";
    EXPECT_FALSE(idle_at(start + 40s)) << "idle for 14 s";
    EXPECT_EQ(marks.made, 3);
    pool.reap(start + 49s);
    EXPECT_EQ(pool.counts().idle, 1);
    pool.reap(start + 50s);
    EXPECT_EQ(pool.counts().idle, 0);
}

// A pool that was warmed up at once, and one of each process of a fleet that was deployed together.
TEST(Pool, that_was_made_at_once_does_not_end_at_once) {
    Marks marks;
    SeededRandom random{1};
    Pool pool{{.max_connections = 1000, .idle_for = never, .live_for = 1h}, random};
    std::vector<std::unique_ptr<Pooled>> all;
    for (int i = 0; i < 1000; ++i) all.push_back(std::make_unique<Thing>(marks));
    leave_idle(pool, std::move(all), start);
    int most = 0, before = marks.gone;
    for (int second = 0; second <= 3600; ++second) {
        pool.reap(start + second * 1s);
        most = std::max(most, marks.gone - std::exchange(before, marks.gone));
    }
    EXPECT_EQ(marks.gone, 1000);
    EXPECT_LE(most, 20) << "two in a hundred within a second";
}

TEST(Pool, measures_the_life_of_a_new_connection_from_when_it_was_made) {
    Marks marks;
    Pool pool{{.max_connections = 1, .live_for = 10s}};
    Asking holder{pool}, waiting{pool};
    holder.place.ask(start);
    waiting.place.ask(start);
    holder.place.give_back(nullptr, start + 20s);
    ASSERT_TRUE(waiting.place.granted());
    ASSERT_EQ(waiting.place.take(), nullptr);
    waiting.place.give_back(std::make_unique<Thing>(marks), start + 21s);
    EXPECT_EQ(pool.counts().idle, 1) << "it is one second old";
}

TEST(Pool, that_was_cleared_keeps_nothing_from_before) {
    Marks marks;
    Pool pool;
    Asking before{pool};
    before.place.ask(start);
    std::vector<std::unique_ptr<Pooled>> one;
    one.push_back(std::make_unique<Thing>(marks));
    leave_idle(pool, std::move(one), start);
    pool.clear();
    EXPECT_EQ(marks.gone, 1);
    before.place.give_back(std::make_unique<Thing>(marks), start);
    EXPECT_EQ(marks.gone, 2);
    EXPECT_EQ(pool.counts().idle, 0);
    std::vector<std::unique_ptr<Pooled>> after;
    after.push_back(std::make_unique<Thing>(marks));
    leave_idle(pool, std::move(after), start);
    EXPECT_EQ(pool.counts().idle, 1);
}

TEST(Pool, may_die_before_its_places) {
    Marks marks;
    auto pool = std::make_unique<Pool>(PoolOptions{.max_connections = 1});
    Asking holder{*pool}, waiting{*pool};
    holder.place.ask(start);
    waiting.place.ask(start);
    pool.reset();
    holder.place.give_back(std::make_unique<Thing>(marks), start);
    EXPECT_TRUE(waiting.place.granted());
}

struct SharedThing final : Pooled {
    bool still_good() override { return true; }
};

TEST(PoolShared, never_gives_out_more_than_its_maximum) {
    Pool pool{{.max_connections = 3}};
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 6; ++t)
            threads.emplace_back([&] {
                for (int i = 0; i < 500; ++i) {
                    Asking one{pool};
                    one.place.ask(start);
                    if (i % 7 == 0) continue;  // gives up at once
                    while (!one.place.granted()) std::this_thread::yield();
                    const int now = ++inside;
                    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {}
                    auto connection = one.place.take();
                    --inside;
                    if (!connection) connection = std::make_unique<SharedThing>();
                    one.place.give_back(std::move(connection), start);
                }
            });
    }
    EXPECT_LE(most, 3);
    EXPECT_EQ(pool.counts().in_use, 0);
    EXPECT_EQ(pool.counts().waiting, 0);
    EXPECT_LE(pool.counts().idle, 3);
}

}  // namespace
}  // namespace perdure::net
