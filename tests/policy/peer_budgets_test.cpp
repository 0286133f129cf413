// SPDX-License-Identifier: Apache-2.0
//
// Do the budgets of the peers that do not look at successes hold the peers' own bounds?
#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "perdure/policy/budget.hpp"
#include "perdure/time/random.hpp"
#include "policy/ledger.hpp"
#include "policy/start.hpp"

namespace perdure {
namespace {

const Still nobody;

constexpr BudgetOptions finagle{.kind = BudgetKind::requests, .deposit = 0.2, .per_second = 10};
constexpr BudgetOptions envoy_budget{.kind = BudgetKind::in_flight, .deposit = 0.2, .least = 3};
constexpr int one = 1000;

int retries(Budget& budget, TimePoint now) {
    int paid = 0;
    while (paid < 1'000'000 && budget.try_withdraw(one, now, nobody)) ++paid;
    return paid;
}

void calls(Budget& budget, int count, TimePoint now) {
    while (count-- > 0) budget.on_start(now);
}

TEST(RequestsBudget, pays_a_fifth_of_the_requests_and_its_reserve) {
    const auto budget = make_budget(finagle, {});
    EXPECT_EQ(retries(*budget, start), 100) << "ten a second for ten seconds are always there";
    calls(*budget, 50, start);
    EXPECT_EQ(budget->milli_left(), 10'000);
    EXPECT_EQ(retries(*budget, start), 10);
    EXPECT_EQ(budget->milli_left(), 0);
    calls(*budget, 4, start);
    EXPECT_EQ(retries(*budget, start), 0) << "four fifths of a retry are none";
}

TEST(RequestsBudget, pays_the_same_in_a_total_outage) {
    BudgetOptions options = finagle;
    options.per_second = 0;
    const auto budget = make_budget(options, {});
    int paid = 0;
    for (int call = 0; call < 100'000; ++call) {
        const TimePoint now = start + call * 10ms;
        calls(*budget, 1, now);
        budget->on_failure({.cause = Cause::unavailable}, nobody);
        paid += budget->try_withdraw(one, now, nobody) ? 1 : 0;
    }
    EXPECT_NEAR(paid, 20'000, 1);
}

TEST(RequestsBudget, forgets_requests_and_retries_alike) {
    const auto budget = make_budget(finagle, {});
    calls(*budget, 1000, start);
    EXPECT_EQ(retries(*budget, start + 20s), 100) << "old requests pay for nothing";
    EXPECT_EQ(retries(*budget, start + 28s), 0);
    EXPECT_EQ(retries(*budget, start + 31s), 100) << "and old retries are forgiven";
}

TEST(RequestsBudget, does_not_look_at_successes) {
    const auto budget = make_budget(finagle, {});
    (void)retries(*budget, start);
    for (int i = 0; i < 100; ++i) budget->on_first_success(start);
    budget->on_late_success(one);
    EXPECT_EQ(retries(*budget, start), 0);
}

// Retries × cost ≤ deposits + reserve in every ten slices of a second that end in a retry; a run is
// made of such stretches, each ten slices or more after the one before.
TEST(RequestsBudget, holds_its_bound_for_every_prefix_of_any_run) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        SeededRandom random{seed};
        BudgetOptions options = finagle;
        options.per_second = std::floor(random.next() * 20);
        const auto budget = make_budget(options, {});
        const double reserve = options.per_second * 10 * one;
        std::int64_t paid_in = 0, spent = 0;
        TimePoint now = start;
        for (int step = 0; step < 600; ++step) {
            now += Duration{static_cast<Duration::rep>(random.next() * random.next() * 2e9)};
            const int requests = static_cast<int>(random.next() * 30);
            calls(*budget, requests, now);
            paid_in += std::int64_t{requests} * 200;
            const int cost = 500 + static_cast<int>(random.next() * 3) * 500;
            for (int burst = static_cast<int>(random.next() * 40); burst > 0; --burst)
                if (budget->try_withdraw(cost, now, nobody)) spent += cost;
            const double seconds = std::chrono::duration<double>(now - start).count();
            const double windows = 1 + std::floor((seconds + 1) / 10);
            ASSERT_LE(static_cast<double>(spent), static_cast<double>(paid_in) + reserve * windows);
            ASSERT_GE(budget->milli_left(), 0);
            ASSERT_LE(budget->milli_left(), budget->milli_capacity());
        }
    }
}

TEST(InFlightBudget, lets_three_or_a_fifth_of_the_calls_be_retries) {
    const auto budget = make_budget(envoy_budget, {});
    EXPECT_EQ(retries(*budget, start), 3) << "whatever else is under way";
    budget->on_retries_over(3);
    calls(*budget, 19, start);
    EXPECT_EQ(retries(*budget, start), 3) << "3.8 are three";
    calls(*budget, 81, start);
    EXPECT_EQ(retries(*budget, start), 17);
    EXPECT_EQ(budget->milli_left(), 0);
    budget->on_retries_over(1);
    EXPECT_EQ(retries(*budget, start + 1h), 1) << "only an end makes room, not time";
}

TEST(InFlightBudget, that_shrinks_takes_nothing_back_but_pays_nothing_either) {
    const auto budget = make_budget(envoy_budget, {});
    calls(*budget, 100, start);
    EXPECT_EQ(retries(*budget, start), 20);
    for (int i = 0; i < 60; ++i) budget->on_end(start);
    EXPECT_EQ(retries(*budget, start), 0);
    budget->on_retries_over(12);
    EXPECT_EQ(retries(*budget, start), 0) << "eight of forty are under way";
    budget->on_retries_over(1);
    EXPECT_EQ(retries(*budget, start), 1);
}

TEST(InFlightBudget, counts_every_retry_as_one_and_no_success) {
    const auto budget = make_budget(envoy_budget, {});
    EXPECT_TRUE(budget->try_withdraw(1, start, nobody));
    EXPECT_TRUE(budget->try_withdraw(1'000'000, start, nobody));
    budget->on_first_success(start);
    budget->on_late_success(one);
    EXPECT_EQ(retries(*budget, start), 1);
}

TEST(InFlightBudget, holds_its_bound_at_every_moment_of_any_run) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        SeededRandom random{seed};
        const auto budget = make_budget(envoy_budget, {});
        int under_way = 0, retrying = 0;
        for (int step = 0; step < 2000; ++step) {
            const double kind = random.next();
            if (kind < 0.4) {
                budget->on_start(start), ++under_way;
            } else if (kind < 0.6 && under_way > 0) {
                budget->on_end(start), --under_way;
            } else if (kind < 0.7 && retrying > 0) {
                budget->on_retries_over(1), --retrying;
            } else {
                const int places = std::max(3, under_way / 5);
                const bool paid = budget->try_withdraw(one, start, nobody);
                ASSERT_EQ(paid, retrying < places) << under_way << " calls, " << retrying;
                retrying += paid ? 1 : 0;
            }
        }
    }
}

TEST(PeerBudgetThreads, never_have_more_retries_under_way_than_places) {
    constexpr int threads = 4, rounds = 20'000;
    const auto budget = make_budget({.kind = BudgetKind::in_flight, .deposit = 0, .least = 2}, {});
    std::atomic<int> retrying{0}, too_many{0};
    std::vector<std::jthread> crowd;
    for (int t = 0; t < threads; ++t) {
        crowd.emplace_back([&] {
            for (int i = 0; i < rounds; ++i) {
                budget->on_start(start);
                if (budget->try_withdraw(one, start, nobody)) {
                    if (++retrying > 2) ++too_many;
                    --retrying;
                    budget->on_retries_over(1);
                }
                budget->on_end(start);
            }
        });
    }
    crowd.clear();
    EXPECT_EQ(too_many, 0);
    EXPECT_EQ(budget->milli_left(), 2'000) << "all places came back, and no more";
}

TEST(PeerBudgetThreads, pay_exactly_what_requests_paid_in) {
    constexpr int threads = 4, rounds = 20'000;
    BudgetOptions options = finagle;
    options.per_second = 0;
    const auto budget = make_budget(options, {});
    std::atomic<int> paid{0};
    std::vector<std::jthread> crowd;
    for (int t = 0; t < threads; ++t) {
        crowd.emplace_back([&] {
            for (int i = 0; i < rounds; ++i) {
                budget->on_start(start);
                if (budget->try_withdraw(one, start, nobody)) ++paid;
            }
        });
    }
    crowd.clear();
    EXPECT_EQ(paid * one + budget->milli_left(), threads * rounds * 200);
}

TEST(PeerBudgetThreads, lose_no_request_when_a_slice_of_the_window_ends) {
    constexpr int threads = 4, rounds = 20'000;
    BudgetOptions options = finagle;
    options.per_second = 0;
    const auto budget = make_budget(options, {});
    std::vector<std::jthread> crowd;
    for (int t = 0; t < threads; ++t) {
        crowd.emplace_back([&] {
            for (int i = 0; i < rounds; ++i) budget->on_start(start + i * 400us);
        });
    }
    crowd.clear();
    EXPECT_EQ(budget->milli_left(), threads * rounds * 200)
        << "eight of the ten seconds remembered";
    EXPECT_EQ(retries(*budget, start + 8s), threads * rounds / 5);
    EXPECT_EQ(budget->milli_left(), 0);
}

TEST(PeerBudgetThreads, may_start_a_call_on_one_thread_and_end_it_on_another) {
    constexpr int rounds = 100;
    const auto budget = make_budget(envoy_budget, {});
    for (int i = 0; i < rounds; ++i) {
        std::jthread{[&] { calls(*budget, 50, start); }}.join();
        EXPECT_EQ(budget->milli_capacity(), 10'000);
        std::jthread{[&] {
            for (int call = 0; call < 50; ++call) budget->on_end(start);
        }}.join();
        EXPECT_EQ(budget->milli_capacity(), 3'000);
    }
}

}  // namespace
}  // namespace perdure
