// SPDX-License-Identifier: Apache-2.0
//
// Does the adaptive limiter measure, fall and climb as the AWS SDKs' does, and hand out its slots fairly?
#include "perdure/policy/adaptive.hpp"

#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "perdure/time/random.hpp"
#include "policy/start.hpp"

namespace perdure {
namespace {

using Kind = Entry::Kind;

TimePoint at(double seconds) { return start + Duration{std::llround(seconds * 1e9)}; }

TEST(AdaptiveLimiter, measures_and_fills_as_the_public_table_says) {
    const struct {
        double time;
        Left left;
        double measured, rate;
    } rows[] = {
        {0.2, Left::accepted, 0, 0.5},
        {0.4, Left::accepted, 0, 0.5},
        {0.6, Left::accepted, 4.8, 0.5},
        {0.8, Left::accepted, 4.8, 0.5},
        {1.0, Left::accepted, 4.16, 0.5},
        {1.2, Left::accepted, 4.16, 0.6912},
        {1.4, Left::accepted, 4.16, 1.0976},
        {1.6, Left::accepted, 5.632, 1.6384},
        {1.8, Left::accepted, 5.632, 2.3328},
        {2.0, Left::throttled, 4.3264, 3.02848},
        {2.2, Left::accepted, 4.3264, 3.486639},
        {2.4, Left::accepted, 4.3264, 3.821874},
        {2.6, Left::accepted, 5.66528, 4.053386},
        {2.8, Left::accepted, 5.66528, 4.200373},
        {3.0, Left::accepted, 4.333056, 4.282037},
        {3.2, Left::throttled, 4.333056, 2.997426},
        {3.4, Left::accepted, 4.333056, 3.452226},
    };
    AdaptiveLimiter limiter;
    double sent = 0;
    for (const auto& row : rows) {
        EXPECT_NE(limiter.enter(at(sent), whenever).kind, Kind::refused) << row.time;
        limiter.leave(at(row.time), row.left);
        EXPECT_NEAR(limiter.state().measured, row.measured, 1e-6) << row.time;
        EXPECT_NEAR(limiter.state().rate, row.rate, 1e-6) << row.time;
        sent = row.time;
    }
}

TEST(AdaptiveLimiter, counts_what_was_neither_accepted_nor_throttled_as_an_answer) {
    AdaptiveLimiter answered, lost;
    for (int i = 0; i < 20; ++i) {
        (void)answered.enter(at(i * 0.2), whenever);
        (void)lost.enter(at(i * 0.2), whenever);
        answered.leave(at(i * 0.2), Left::accepted);
        lost.leave(at(i * 0.2), Left::not_accepted);
    }
    EXPECT_GT(answered.state().rate, 1);
    EXPECT_EQ(answered.state().rate, lost.state().rate);
    EXPECT_FALSE(lost.state().limiting);
}

TEST(AdaptiveCurve, is_back_at_the_old_rate_after_its_recovery_and_beyond_it_later) {
    EXPECT_NEAR(adaptive::recovery(10), 1.9574338206, 1e-10);
    EXPECT_NEAR(adaptive::recovery(8), 1.8171205928, 1e-10);
    EXPECT_EQ(adaptive::recovery(0), 0);
    const double expected[] = {7.0,       9.648936,  10.000031, 10.453285,
                               13.408697, 21.266268, 36.425999};
    for (int since = 0; since < 7; ++since)
        EXPECT_NEAR(adaptive::rate_after(10, since), expected[since], 1e-6) << since;
}

TEST(AdaptiveCurve, has_the_c_librarys_cube_root) {
    for (double rate = 1e-6; rate < 1e12; rate *= 3.7)
        EXPECT_NEAR(adaptive::recovery(rate) / std::cbrt(rate * 0.3 / 0.4), 1, 1e-14) << rate;
}

TEST(AdaptiveLimiter, lets_everything_pass_until_the_first_throttle) {
    AdaptiveLimiter limiter;
    for (int i = 0; i < 10'000; ++i) {
        ASSERT_EQ(limiter.enter(start, start).kind, Kind::admitted);
        limiter.leave(start, i % 2 == 0 ? Left::accepted : Left::not_accepted);
    }
    EXPECT_FALSE(limiter.state().limiting);
}

// Ten answers a second for five seconds, the last of them a throttle: 7 a second from then on.
void learn_ten(AdaptiveLimiter& limiter) {
    for (int i = 0; i < 50; ++i) {
        (void)limiter.enter(at(i * 0.1), whenever);
        limiter.leave(at(i * 0.1), Left::accepted);
    }
    (void)limiter.enter(at(5), whenever);
    limiter.leave(at(5), Left::throttled);
}

TEST(AdaptiveLimiter, then_hands_out_slots_one_interval_apart) {
    AdaptiveLimiter limiter;
    learn_ten(limiter);
    const double rate = limiter.state().rate;
    EXPECT_NEAR(rate, 7, 0.01);
    double tokens = limiter.state().tokens;
    TimePoint now = at(5);
    for (; tokens >= 1; --tokens) EXPECT_EQ(limiter.enter(now, whenever).kind, Kind::admitted);
    for (int i = 1; i < 5; ++i) {
        const Entry entry = limiter.enter(now, whenever);
        ASSERT_EQ(entry.kind, Kind::later);
        EXPECT_NEAR(static_cast<double>((entry.at - now).count()), (i - tokens) / rate * 1e9, 2);
    }
    EXPECT_LT(limiter.state().tokens, 0);
}

TEST(AdaptiveLimiter, refuses_what_would_come_too_late_and_reserves_nothing_then) {
    AdaptiveLimiter limiter;
    learn_ten(limiter);
    while (limiter.enter(at(5), at(5.01)).kind != Kind::refused) {}
    const double tokens = limiter.state().tokens;
    for (int i = 0; i < 5; ++i) EXPECT_EQ(limiter.enter(at(5), at(5.01)).kind, Kind::refused);
    EXPECT_EQ(limiter.state().tokens, tokens);
    EXPECT_EQ(limiter.enter(at(5), whenever).kind, Kind::later);
}

TEST(AdaptiveLimiter, takes_an_unused_slot_back_and_learns_nothing_from_it) {
    AdaptiveLimiter limiter;
    learn_ten(limiter);
    const auto before = limiter.state();
    ASSERT_NE(limiter.enter(at(5), whenever).kind, Kind::refused);
    limiter.leave(at(5), Left::unused);
    EXPECT_EQ(limiter.state().tokens, before.tokens);
    EXPECT_EQ(limiter.state().measured, before.measured);
    EXPECT_EQ(limiter.state().rate, before.rate);
}

TEST(AdaptiveLimiter,
     slots_handed_out_stand_when_the_rate_falls_and_are_no_longer_queue_for_the_next) {
    AdaptiveLimiter limiter;
    learn_ten(limiter);
    Entry last{};
    for (int i = 0; i < 30; ++i) last = limiter.enter(at(5), whenever);
    limiter.leave(at(5), Left::throttled);
    const double rate = limiter.state().rate;
    EXPECT_LT(rate, 5);
    const Entry next = limiter.enter(at(5), whenever);
    EXPECT_NEAR(static_cast<double>((next.at - last.at).count()), 1e9 / rate, 10);
}

TEST(AdaptiveLimiter, never_falls_below_one_attempt_in_two_seconds) {
    AdaptiveLimiter limiter;
    TimePoint now = start;
    int sent = 0;
    while (now < start + 10min) {
        const Entry entry = limiter.enter(now, whenever);
        ASSERT_NE(entry.kind, Kind::refused);
        if (entry.kind == Kind::later) now = entry.at;
        limiter.leave(now, Left::throttled);
        ++sent;
    }
    EXPECT_EQ(limiter.state().rate, adaptive::least_rate);
    EXPECT_NEAR(sent, 300, 10);
}

// A service that takes fifty a second: once it has throttled, about as many are sent, most are taken,
// and without the limit the client is soon faster again.
TEST(AdaptiveLimiter,
     finds_the_rate_a_service_takes_and_leaves_it_when_there_is_no_limit_any_more) {
    AdaptiveLimiter limiter;
    TimePoint now = start;
    const auto run = [&](Duration span, int capacity) {
        int sent = 0, taken = 0, left = capacity;
        TimePoint second = now;
        for (const TimePoint end = now + span; now < end; now += 5ms) {
            if (now >= second + 1s) second = now, left = capacity;
            const Entry entry = limiter.enter(now, now);
            if (entry.kind != Kind::admitted) continue;
            ++sent;
            const bool takes = left-- > 0;
            taken += takes ? 1 : 0;
            limiter.leave(now, takes ? Left::accepted : Left::throttled);
        }
        return std::pair{sent, taken};
    };
    (void)run(1min, 50);
    const auto [sent, taken] = run(2min, 50);
    EXPECT_GT(taken, 2500) << "of 6000 that the service would take";
    EXPECT_LT(sent - taken, sent / 10) << "the rest is throttled";
    (void)run(20s, 1000);
    EXPECT_GT(run(10s, 1000).second, 1500) << "of 2000";
}

TEST(AdaptiveLimiter, survives_long_pauses_and_a_clock_that_goes_back) {
    AdaptiveLimiter limiter;
    SeededRandom random{11};
    for (int i = 0; i < 20'000; ++i) {
        const TimePoint now = start + Duration{static_cast<Duration::rep>(random.next() * 1e15)};
        const Entry entry = limiter.enter(now, whenever);
        EXPECT_NE(entry.kind, Kind::refused);
        limiter.leave(now - 1h, random.next() < 0.3 ? Left::throttled : Left::accepted);
        const auto state = limiter.state();
        ASSERT_TRUE(std::isfinite(state.rate) && std::isfinite(state.tokens)) << i;
        ASSERT_GE(state.rate, adaptive::least_rate);
        ASSERT_LE(state.tokens, state.burst);
    }
}

TEST(AdaptiveLimiterThreads, take_no_slot_twice) {
    AdaptiveLimiter limiter;
    learn_ten(limiter);
    const double before = limiter.state().tokens;
    {
        std::vector<std::jthread> crowd;
        for (int t = 0; t < 4; ++t)
            crowd.emplace_back([&] {
                for (int i = 0; i < 5000; ++i) (void)limiter.enter(at(5), whenever);
            });
    }
    EXPECT_NEAR(limiter.state().tokens, before - 20'000, 1e-3);
}

TEST(Limiters, give_each_key_its_own_and_the_keys_beyond_the_limit_one_together) {
    Limiters limiters{{.kind = LimiterKind::adaptive, .most_keys = 2}};
    Limiter* orders = limiters.at("orders");
    ASSERT_NE(orders, nullptr);
    EXPECT_EQ(limiters.at("orders"), orders);
    EXPECT_NE(limiters.at("users"), orders);
    Limiter* rest = limiters.at("third");
    EXPECT_NE(rest, orders);
    EXPECT_EQ(limiters.at("fourth"), rest);
    EXPECT_EQ(Limiters{LimiterOptions{}}.at("orders"), nullptr);
}

}  // namespace
}  // namespace perdure
