// SPDX-License-Identifier: Apache-2.0
//
// Does every kind of budget keep its own books exactly?
#include "perdure/policy/budget.hpp"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "perdure/time/random.hpp"
#include "policy/ledger.hpp"
#include "policy/start.hpp"

namespace perdure {
namespace {

constexpr BudgetOptions aws{.kind = BudgetKind::fixed, .capacity = 50};
constexpr BudgetOptions grpc_throttle{.kind = BudgetKind::throttle, .capacity = 10};
constexpr BudgetOptions steady{.kind = BudgetKind::steady, .capacity = 5, .per_second = 2};

TEST(FixedBudget, starts_full_and_pays_until_it_is_empty) {
    Ledger ledger{aws};
    EXPECT_EQ(ledger.left(), 50'000);
    EXPECT_EQ(ledger.retries(1400, start), 35);
    EXPECT_EQ(ledger.left(), 1'000);
    EXPECT_EQ(ledger.retries(500, start), 2);
    EXPECT_EQ(ledger.left(), 0);
    EXPECT_FALSE(ledger.retry(1, start));
    EXPECT_TRUE(ledger.retry(0, start)) << "what costs nothing is never refused";
}

TEST(FixedBudget, takes_nothing_when_it_refuses) {
    Ledger ledger{{.kind = BudgetKind::fixed, .capacity = 1}};
    EXPECT_FALSE(ledger.retry(1400, start));
    EXPECT_EQ(ledger.left(), 1'000);
}

TEST(FixedBudget, a_first_success_deposits_and_a_late_one_returns_the_last_cost) {
    Ledger ledger{aws};
    ASSERT_TRUE(ledger.retry(1400, start));
    ASSERT_TRUE(ledger.retry(1400, start));
    EXPECT_EQ(ledger.left(), 47'200);
    ledger.late_success(1400);
    EXPECT_EQ(ledger.left(), 48'600);
    ledger.first_success(start);
    EXPECT_EQ(ledger.left(), 48'700);
    ledger.first_successes(1'000, start);
    EXPECT_EQ(ledger.left(), 50'000) << "never above its capacity";
    ledger.late_success(1400);
    EXPECT_EQ(ledger.left(), 50'000);
}

// Standard mode before 2026 in AWS's own units, tenths of ours: 5 per retry, 10 after a timeout.
TEST(FixedBudget, counts_as_the_aws_quota_of_version_2_0) {
    constexpr int ordinary = 500, timeout = 1000;
    Ledger ledger{aws};
    EXPECT_TRUE(ledger.retry(ordinary, start));
    EXPECT_EQ(ledger.left(), 49'500);
    EXPECT_TRUE(ledger.retry(timeout, start));
    EXPECT_EQ(ledger.left(), 48'500);
    ledger.late_success(ordinary);
    EXPECT_EQ(ledger.left(), 49'000);
    ledger.late_success(timeout);
    EXPECT_EQ(ledger.left(), 50'000);

    Ledger poor{{.kind = BudgetKind::fixed, .capacity = 0.7}};
    EXPECT_FALSE(poor.retry(timeout, start));
    EXPECT_TRUE(poor.retry(ordinary, start));
    EXPECT_EQ(poor.left(), 200);
    poor.first_success(start);
    EXPECT_EQ(poor.left(), 300);
}

TEST(ThrottleBudget, is_switched_off_by_five_net_failures_and_takes_nothing_for_a_retry) {
    Ledger ledger{grpc_throttle};
    for (int failures = 1; failures <= 4; ++failures) {
        ledger.budget().on_failure({.cause = Cause::unavailable}, ledger);
        EXPECT_TRUE(ledger.retry(1400, start)) << failures;
        EXPECT_EQ(ledger.left(), 10'000 - failures * 1000);
    }
    ledger.budget().on_failure({.cause = Cause::throttled}, ledger);
    EXPECT_FALSE(ledger.retry(1400, start)) << "half is not more than half";
    ledger.first_success(start);
    EXPECT_TRUE(ledger.retry(1400, start));
}

TEST(ThrottleBudget, every_success_gives_the_same_late_or_not) {
    Ledger ledger{grpc_throttle};
    for (int i = 0; i < 20; ++i) ledger.budget().on_failure({.cause = Cause::internal}, ledger);
    EXPECT_EQ(ledger.left(), 0) << "never below empty";
    ledger.first_success(start);
    ledger.late_success(1400);
    EXPECT_EQ(ledger.left(), 200);
    ledger.first_successes(200, start);
    EXPECT_EQ(ledger.left(), 10'000);
}

TEST(ThrottleBudget, does_not_mind_answers_about_state) {
    Ledger ledger{grpc_throttle};
    for (const Cause cause : {Cause::conflict, Cause::invalid, Cause::not_found, Cause::too_large,
                              Cause::forbidden, Cause::cancelled})
        ledger.budget().on_failure({.cause = cause}, ledger);
    EXPECT_EQ(ledger.left(), 10'000);
}

TEST(SteadyBudget, is_refilled_by_time_alone) {
    Ledger ledger{steady};
    EXPECT_EQ(ledger.retries(1000, start), 5) << "starts full";
    ledger.first_successes(100, start);
    ledger.late_success(1000);
    EXPECT_FALSE(ledger.retry(1000, start)) << "successes give nothing";
    EXPECT_FALSE(ledger.retry(1000, start + 499ms));
    EXPECT_TRUE(ledger.retry(1000, start + 500ms));
    EXPECT_FALSE(ledger.retry(1000, start + 999ms));
    EXPECT_EQ(ledger.retries(1000, start + 2s), 3);
    EXPECT_EQ(ledger.retries(1000, start + 1h), 5) << "up to its capacity";
}

TEST(SteadyBudget, loses_no_fraction_however_often_it_is_asked) {
    Ledger ledger{steady};
    ledger.retries(1000, start);
    int paid = 0;
    for (auto now = start; now < start + 100s; now += 77us) paid += ledger.retry(1000, now) ? 1 : 0;
    EXPECT_NEAR(paid, 200, 1);
}

TEST(SteadyBudget, is_not_harmed_by_a_clock_that_goes_back) {
    Ledger ledger{steady};
    ledger.retries(1000, start);
    EXPECT_FALSE(ledger.retry(1000, start - 1h));
    EXPECT_FALSE(ledger.retry(1000, start));
    EXPECT_TRUE(ledger.retry(1000, start + 500ms));
}

TEST(NoBudget, always_pays) {
    Ledger ledger{{.kind = BudgetKind::none}};
    EXPECT_EQ(ledger.retries(1'000'000, start), 1'000'000);
}

struct Script {
    Ledger& ledger;
    Random& random;
    TimePoint now = start;

    void step() {
        now += Duration{static_cast<Duration::rep>(random.next() * random.next() * 1e9)};
        const double kind = random.next();
        const int cost = static_cast<int>(random.next() * 3) * 700;
        if (kind < 0.6) {
            ledger.first_successes(1 + static_cast<int>(random.next() * 60), now);
        } else if (kind < 0.7) {
            ledger.budget().on_failure({.cause = Cause::unavailable}, ledger);
        } else {
            for (int burst = static_cast<int>(random.next() * 12); burst >= 0; --burst)
                if (ledger.retry(cost, now) && random.next() < 0.3) ledger.late_success(cost);
        }
    }
};

// The throttle charges for failures and the steady budget is filled by time, so the bound on
// retries is stated for the two kinds that success pays for.
TEST(Budget, holds_its_bound_for_every_prefix_of_any_run) {
    for (const BudgetKind kind :
         {BudgetKind::traffic, BudgetKind::fixed, BudgetKind::throttle, BudgetKind::steady}) {
        for (std::uint64_t seed = 1; seed <= 150; ++seed) {
            SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + ", seed " +
                         std::to_string(seed));
            SeededRandom random{seed};
            Ledger ledger{{.kind = kind, .capacity = 1 + 60 * random.next(), .per_second = 3}};
            Script script{ledger, random};
            for (int step = 0; step < 400; ++step) {
                script.step();
                ASSERT_GE(ledger.left(), 0);
                ASSERT_LE(ledger.left(), ledger.capacity());
                if (kind == BudgetKind::throttle || kind == BudgetKind::steady) continue;
                ASSERT_LE(ledger.spent(), ledger.earned()) << "step " << step;
            }
        }
    }
}

TEST(BudgetThreads, conserve_every_thousandth) {
    constexpr int threads = 4, rounds = 20'000;
    const auto budget =
        make_budget({.kind = BudgetKind::fixed, .deposit = 0.1, .capacity = 1e6}, {});
    const Still still;
    ASSERT_TRUE(budget->try_withdraw(900'000'000, start, still));  // far from both ends
    std::atomic<std::int64_t> balance{100'000'000};
    std::vector<std::jthread> crowd;
    for (int t = 0; t < threads; ++t) {
        crowd.emplace_back([&, t] {
            std::int64_t own = 0;
            for (int i = 0; i < rounds; ++i) {
                budget->on_first_success(start);
                own += 100;
                const int cost = 500 + 100 * t;
                if (budget->try_withdraw(cost, start, still)) own -= cost;
                if (i % 3 == 0) budget->on_late_success(cost), own += cost;
            }
            balance += own;
        });
    }
    crowd.clear();
    EXPECT_EQ(budget->milli_left(), balance.load());
}

TEST(BudgetThreads, never_overdraw_nor_overfill) {
    constexpr int threads = 4, rounds = 20'000;
    const auto budget = make_budget({.kind = BudgetKind::fixed, .capacity = 3}, {});
    const Still still;
    std::atomic<std::int64_t> spent{0};
    std::atomic<int> wrong{0};
    std::vector<std::jthread> crowd;
    for (int t = 0; t < threads; ++t) {
        crowd.emplace_back([&] {
            for (int i = 0; i < rounds; ++i) {
                budget->on_first_success(start);
                if (budget->try_withdraw(700, start, still)) spent += 700;
                const int left = budget->milli_left();
                if (left < 0 || left > 3'000) ++wrong;
            }
        });
    }
    crowd.clear();
    EXPECT_EQ(wrong, 0);
    EXPECT_LE(spent + budget->milli_left(), 3'000 + threads * rounds * 100);
}

}  // namespace
}  // namespace perdure
