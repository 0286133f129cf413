// SPDX-License-Identifier: Apache-2.0
//
// Do attempts go out at the rate or in the number we promised?
#include "perdure/policy/limiter.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "policy/start.hpp"

namespace perdure {
namespace {

using Kind = Entry::Kind;

std::unique_ptr<Limiter> rate(double per_second, double burst) {
    return make_limiter({.kind = LimiterKind::rate, .per_second = per_second, .burst = burst});
}

std::unique_ptr<Limiter> concurrency(int most) {
    return make_limiter({.kind = LimiterKind::concurrency, .concurrent = most});
}

TEST(Limiter, is_absent_unless_asked_for) { EXPECT_EQ(make_limiter({}), nullptr); }

TEST(RateLimiter, lets_a_burst_out_then_hands_out_slots_one_interval_apart) {
    const auto limiter = rate(10, 3);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(limiter->enter(start, whenever).kind, Kind::admitted);
    for (int i = 1; i <= 5; ++i) {
        const Entry entry = limiter->enter(start, whenever);
        EXPECT_EQ(entry.kind, Kind::later);
        EXPECT_EQ(entry.at, start + i * 100ms);
    }
}

TEST(RateLimiter, gives_a_slot_that_was_not_used_to_the_next_one) {
    const auto limiter = rate(10, 1);
    EXPECT_EQ(limiter->enter(start, whenever).kind, Kind::admitted);
    EXPECT_EQ(limiter->enter(start, whenever).at, start + 100ms);
    EXPECT_EQ(limiter->enter(start, whenever).at, start + 200ms);
    limiter->leave(start, Left::unused);
    EXPECT_EQ(limiter->enter(start, whenever).at, start + 200ms);
    limiter->leave(start + 1s, Left::unused);
    EXPECT_EQ(limiter->enter(start + 1s, whenever).kind, Kind::admitted);
    EXPECT_EQ(limiter->enter(start + 1s, whenever).at, start + 1100ms) << "no burst beyond one";
}

TEST(RateLimiter, refills_with_time_up_to_the_burst_and_no_further) {
    const auto limiter = rate(10, 3);
    for (int i = 0; i < 3; ++i) (void)limiter->enter(start, whenever);
    EXPECT_EQ(limiter->enter(start + 100ms, whenever).kind, Kind::admitted);
    EXPECT_EQ(limiter->enter(start + 199ms, start + 199ms).kind, Kind::refused);
    EXPECT_EQ(limiter->enter(start + 200ms, whenever).kind, Kind::admitted);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(limiter->enter(start + 1h, whenever).kind, Kind::admitted);
    EXPECT_EQ(limiter->enter(start + 1h, whenever).kind, Kind::later);
}

TEST(RateLimiter, refuses_what_would_come_too_late_and_reserves_nothing_then) {
    const auto limiter = rate(10, 1);
    (void)limiter->enter(start, whenever);
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(limiter->enter(start, start + 100ms).kind, Kind::refused)
            << "not before, but at it";
    }
    const Entry entry = limiter->enter(start, start + 100ms + 1ns);
    EXPECT_EQ(entry.kind, Kind::later);
    EXPECT_EQ(entry.at, start + 100ms) << "the refused ones took no slot";
}

TEST(RateLimiter, can_be_asked_for_now_or_not_at_all) {
    const auto limiter = rate(10, 1);
    EXPECT_EQ(limiter->enter(start, start).kind, Kind::admitted);
    EXPECT_EQ(limiter->enter(start + 50ms, start + 50ms).kind, Kind::refused);
    EXPECT_EQ(limiter->enter(start + 100ms, start + 100ms).kind, Kind::admitted);
}

TEST(RateLimiter, keeps_its_rate_over_a_long_time) {
    const auto limiter = rate(333, 10);
    int out = 0;
    for (TimePoint now = start; now < start + 100s; now += 1ms)
        while (limiter->enter(now, now + 1ns).kind == Kind::admitted) ++out;
    EXPECT_NEAR(out, 33'300 + 10, 2);
}

TEST(RateLimiter, a_rate_of_nothing_lets_nothing_out) {
    EXPECT_EQ(rate(0, 5)->enter(start, whenever).kind, Kind::refused);
    EXPECT_EQ(rate(-1, 5)->enter(start, whenever).kind, Kind::refused);
    EXPECT_EQ(concurrency(0)->enter(start, whenever).kind, Kind::refused);
}

TEST(RateLimiter, survives_extreme_numbers_and_a_clock_that_goes_back) {
    for (const double per_second : {1e-12, 1e-9, 1.0, 1e9, 1e15}) {
        for (const double burst : {0.0, 1.0, 1e6, 1e300}) {
            const auto limiter = rate(per_second, burst);
            EXPECT_EQ(limiter->enter(start, whenever).kind, Kind::admitted);
            (void)limiter->enter(start - 1h, whenever);
            (void)limiter->enter(start + 1h, whenever);
            limiter->leave(start, Left::accepted);
        }
    }
}

TEST(ConcurrencyLimiter, lets_so_many_in_and_another_when_one_leaves) {
    const auto limiter = concurrency(2);
    EXPECT_EQ(limiter->enter(start, whenever).kind, Kind::admitted);
    EXPECT_EQ(limiter->enter(start, whenever).kind, Kind::admitted);
    EXPECT_EQ(limiter->enter(start, whenever).kind, Kind::refused);
    EXPECT_EQ(limiter->enter(start + 1h, whenever).kind, Kind::refused)
        << "time alone changes nothing";
    limiter->leave(start, Left::accepted);
    EXPECT_EQ(limiter->enter(start, whenever).kind, Kind::admitted);
    EXPECT_EQ(limiter->enter(start, whenever).kind, Kind::refused);
}

TEST(LimiterThreads, never_have_more_inside_than_allowed) {
    constexpr int threads = 4, rounds = 20'000, most = 2;
    const auto limiter = concurrency(most);
    std::atomic<int> inside{0}, too_many{0};
    std::vector<std::jthread> crowd;
    for (int t = 0; t < threads; ++t) {
        crowd.emplace_back([&] {
            for (int i = 0; i < rounds; ++i) {
                if (limiter->enter(start, whenever).kind == Kind::refused) continue;
                if (++inside > most) ++too_many;
                --inside;
                limiter->leave(start, Left::accepted);
            }
        });
    }
    crowd.clear();
    EXPECT_EQ(too_many, 0);
    for (int i = 0; i < most; ++i) EXPECT_EQ(limiter->enter(start, whenever).kind, Kind::admitted);
    EXPECT_EQ(limiter->enter(start, whenever).kind, Kind::refused)
        << "all permits came back, and no more";
}

TEST(LimiterThreads, never_get_the_same_slot_twice) {
    constexpr int threads = 4, rounds = 5'000;
    const auto limiter = rate(1000, 1);
    std::mutex mutex;
    std::vector<TimePoint> slots;
    std::vector<std::jthread> crowd;
    for (int t = 0; t < threads; ++t) {
        crowd.emplace_back([&] {
            std::vector<TimePoint> own;
            for (int i = 0; i < rounds; ++i) {
                const Entry entry = limiter->enter(start, whenever);
                own.push_back(entry.kind == Kind::later ? entry.at : start);
            }
            const std::lock_guard held{mutex};
            slots.insert(slots.end(), own.begin(), own.end());
        });
    }
    crowd.clear();
    std::sort(slots.begin(), slots.end());
    for (std::size_t i = 0; i < slots.size(); ++i)
        ASSERT_EQ(slots[i], start + static_cast<int>(i) * 1ms);
}

}  // namespace
}  // namespace perdure
