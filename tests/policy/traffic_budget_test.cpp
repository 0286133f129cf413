// SPDX-License-Identifier: Apache-2.0
//
// Does the default budget follow its own traffic, and never spend what it did not earn?
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "perdure/policy/budget.hpp"
#include "policy/ledger.hpp"
#include "policy/start.hpp"

namespace perdure {
namespace {

// So many first successes per second, and one question for a retry at the end.
TimePoint busy(Ledger& ledger, int per_second, int seconds, TimePoint from) {
    for (int second = 0; second < seconds; ++second)
        for (int i = 0; i < per_second; ++i)
            ledger.first_success(from + second * 1s + i * (Duration{1s} / per_second));
    const TimePoint end = from + seconds * 1s;
    ledger.retry(0, end);
    return end;
}

TEST(TrafficBudget, starts_with_two_failing_calls_worth_of_its_rule) {
    struct Case {
        std::string rule;
        Rule of;
        int milli;
    };
    const Case cases[] = {
        {"the default: 2 x 3 x 1.4", {}, 8'400},
        {"7 attempts", {.attempts = 7}, 16'800},
        {"no limit counts as the default", {.attempts = 0}, 8'400},
        {"one attempt still leaves hedges and named rules something", {.attempts = 1}, 2'800},
        {"a dearer rule", {.attempts = 4, .cost = 5}, 30'000},
        {"a cheaper rule does not make it smaller", {.attempts = 4, .cost = 0}, 8'400},
    };
    for (const Case& each : cases) {
        SCOPED_TRACE(each.rule);
        const Ledger ledger{{}, each.of};
        EXPECT_EQ(ledger.left(), each.milli);
        EXPECT_EQ(ledger.capacity(), each.milli);
    }
    EXPECT_EQ(Ledger(BudgetOptions{.capacity = 3}).left(), 3'000) << "a limit below the floor wins";
}

TEST(TrafficBudget, grows_to_a_tenth_of_the_last_ten_seconds_successes) {
    Ledger ledger{{}};
    TimePoint now = busy(ledger, 50, 60, start);
    EXPECT_EQ(ledger.capacity(), 50'000);
    EXPECT_EQ(ledger.left(), 50'000);
    now = busy(ledger, 500, 60, now);
    EXPECT_EQ(ledger.capacity(), 100'000) << "at most the option";
    for (int i = 0; i < 4; ++i) now = busy(ledger, 20, 5, now);
    EXPECT_NEAR(ledger.capacity(), 20'000, 500);
    EXPECT_EQ(ledger.left(), ledger.capacity()) << "what is above is lost";
    for (int i = 0; i < 4; ++i) now = busy(ledger, 1, 5, now);
    EXPECT_EQ(ledger.capacity(), 8'400) << "at least the floor";
}

TEST(TrafficBudget, forgets_what_is_longer_ago_than_about_ten_seconds) {
    Ledger ledger{{}};
    TimePoint now = busy(ledger, 80, 3600, start);
    EXPECT_EQ(ledger.capacity(), 80'000);
    for (int second = 0; second < 16; ++second) ledger.retry(0, now += 1s);
    EXPECT_EQ(ledger.capacity(), 8'400);
}

TEST(TrafficBudget, does_not_read_three_seconds_as_ten) {
    Ledger ledger{{}};
    busy(ledger, 100, 3, start);
    EXPECT_LE(ledger.capacity(), 60'000);
    EXPECT_EQ(ledger.left(), 8'400 + 300 * 100 - 100) << "the first success found a full bucket";
}

TEST(TrafficBudget, is_worked_out_at_most_once_a_second_and_never_on_success) {
    struct Counted final : Traffic {
        mutable int asked = 0;
        std::uint64_t first_successes() const noexcept override {
            return static_cast<std::uint64_t>(++asked);
        }
    } traffic;
    const auto budget = make_budget({}, {});
    for (int i = 0; i < 10'000; ++i) budget->on_first_success(start + i * 1ms);
    EXPECT_EQ(traffic.asked, 0);
    for (int i = 0; i < 10'000; ++i) (void)budget->try_withdraw(1, start + i * 1ms, traffic);
    EXPECT_EQ(traffic.asked, 10);
}

TEST(TrafficBudget, tops_up_only_what_successes_paid_and_the_bucket_did_not_hold) {
    Ledger ledger{{}};
    TimePoint now = busy(ledger, 10, 60, start);
    ASSERT_EQ(ledger.capacity(), 10'000);
    ledger.retries(1000, now);
    ASSERT_EQ(ledger.left(), 0);
    now = busy(ledger, 100, 1, now);
    EXPECT_EQ(ledger.left(), 10'000) << "exactly what was paid in, although it may hold more now";
    EXPECT_GT(ledger.capacity(), 11'000);
}

TEST(TrafficBudget, in_a_total_outage_adds_only_its_start_tokens) {
    Ledger ledger{{}};
    int retries = 0;
    for (int call = 0; call < 100'000; ++call)
        for (int retry = 0; retry < 3 && ledger.retry(1400, start + call * 10ms); ++retry)
            ++retries;
    EXPECT_EQ(retries, 6);
}

TEST(TrafficBudget, is_not_harmed_by_a_clock_that_goes_back) {
    Ledger ledger{{}};
    busy(ledger, 50, 60, start);
    ledger.first_success(start - 1h);
    EXPECT_TRUE(ledger.retry(1400, start - 1h));
    busy(ledger, 50, 60, start + 60s);
    EXPECT_NEAR(ledger.capacity(), 50'000, 100);
}

struct Told final : Traffic {
    std::uint64_t count = 0;
    std::uint64_t first_successes() const noexcept override { return count; }
};

TEST(TrafficBudget, pays_once_for_a_success_when_callers_share_it) {
    const auto budget = make_budget({}, {});
    Told busy_caller, idle_caller;
    std::int64_t spent = 0;
    TimePoint now = start;
    for (int round = 0; round < 200; ++round, now += 1s) {
        for (int i = 0; i < 100 && round < 20; ++i) {
            ++busy_caller.count;
            budget->on_first_success(now);
        }
        for (const Told* asker : {&busy_caller, &idle_caller})
            while (budget->try_withdraw(1400, now += 1s, *asker)) spent += 1400;
    }
    EXPECT_LE(spent, 8'400 + 100 * static_cast<std::int64_t>(busy_caller.count));
}

// One caller of several that share a budget.
struct Sharer {
    Budget& budget;
    Told traffic{};

    // So many first successes per second; one look at the budget at the end of each second.
    TimePoint busy(std::uint64_t per_second, int seconds, TimePoint from) {
        for (int second = 0; second < seconds; ++second) {
            succeed(per_second, from + second * 1s);
            look(from + (second + 1) * 1s);
        }
        return from + seconds * 1s;
    }
    void succeed(std::uint64_t count, TimePoint now) {
        traffic.count += count;
        for (std::uint64_t i = 0; i < count; ++i) budget.on_first_success(now);
    }
    void look(TimePoint now) const { (void)budget.try_withdraw(0, now, traffic); }
};

TEST(TrafficBudget, does_not_take_the_history_of_another_caller_for_traffic_of_now) {
    const auto budget = make_budget({}, {});
    Sharer quiet{*budget}, busy{*budget};
    const TimePoint now = quiet.busy(1, 60, start);
    busy.succeed(100'000, start);
    busy.look(now + 1s);
    EXPECT_EQ(budget->milli_capacity(), 8'400) << "its first look: nothing is new since";
    busy.look(now + 2s);
    EXPECT_EQ(budget->milli_capacity(), 8'400);
}

TEST(TrafficBudget, follows_a_caller_from_its_first_look_on) {
    const auto budget = make_budget({}, {});
    Sharer quiet{*budget}, busy{*budget};
    TimePoint now = quiet.busy(1, 60, start);
    busy.succeed(100'000, start);
    now = busy.busy(50, 30, now);
    EXPECT_NEAR(budget->milli_capacity(), 50'000, 1'000);
}

TEST(TrafficBudget, adds_up_the_traffic_of_callers_that_share_it) {
    const auto budget = make_budget({}, {});
    Sharer one{*budget}, other{*budget};
    TimePoint now = start;
    for (int round = 0; round < 30; ++round, now += 2s) {
        one.succeed(40, now);
        other.succeed(40, now);
        one.look(now + 1s);
        other.look(now + 2s);
    }
    EXPECT_NEAR(budget->milli_capacity(), 40'000, 4'000) << "20 per second each";
}

TEST(TrafficBudget, does_not_take_an_hour_of_a_caller_that_rarely_fails_for_its_last_seconds) {
    const auto budget = make_budget({}, {});
    Sharer steady{*budget}, rare{*budget};
    TimePoint now = steady.busy(10, 30, start);
    rare.look(now + 1s);
    now = steady.busy(10, 3600, now + 1s);
    rare.succeed(3'600, now);
    rare.look(now + 1s);
    EXPECT_NEAR(budget->milli_capacity(), 11'000, 200) << "ten per second and one per second";
}

TEST(TrafficBudget, forgets_a_caller_that_has_not_looked_for_ten_seconds) {
    const auto budget = make_budget({}, {});
    Sharer gone{*budget}, quiet{*budget};
    TimePoint now = gone.busy(80, 30, start);
    ASSERT_EQ(budget->milli_capacity(), 80'000);
    now = quiet.busy(1, 5, now);
    EXPECT_GE(budget->milli_capacity(), 80'000);
    quiet.busy(1, 6, now);
    EXPECT_EQ(budget->milli_capacity(), 8'400);
}

TEST(TrafficBudget, takes_a_count_that_went_back_for_a_new_caller) {
    const auto budget = make_budget({}, {});
    Sharer caller{*budget};
    const TimePoint now = caller.busy(50, 60, start);
    caller.traffic.count = 1'000;  // another caller at the same address
    caller.look(now + 1s);
    EXPECT_EQ(budget->milli_capacity(), 8'400);
    caller.busy(50, 30, now + 1s);
    EXPECT_NEAR(budget->milli_capacity(), 50'000, 1'000);
}

TEST(TrafficBudget, remembers_a_bounded_number_of_callers) {
    const auto budget = make_budget({}, {});
    std::vector<Told> callers(100);
    TimePoint now = start;
    for (int round = 0; round < 3; ++round)
        for (Told& caller : callers) {
            caller.count += 1'000;
            (void)budget->try_withdraw(0, now += 1s, caller);
            EXPECT_LE(budget->milli_capacity(), 8'400 + 1'000) << "none is seen twice in time";
        }
    Sharer last{*budget};
    last.busy(50, 30, now);
    EXPECT_NEAR(budget->milli_capacity(), 50'000, 1'000);
}

// Every caller fails now and then, so each is seen, by its looks or by a break, again and again.
int capacity_shared_by(int count) {
    const auto budget = make_budget({}, {});
    std::vector<Told> callers(static_cast<std::size_t>(count));
    TimePoint now = start;
    for (int turn = 0; turn < 300 * count; ++turn, now += 100ms / count) {
        // By turns, and each round begins with another one.
        Told& caller = callers[static_cast<std::size_t>((turn + turn / count) % count)];
        if (turn / count % 2 == 0) {  // five per second
            ++caller.count;
            budget->on_first_success(now);
        }
        budget->on_failure({.cause = Cause::unavailable, .started = now, .now = now}, caller);
        (void)budget->try_withdraw(0, now, caller);
    }
    return budget->milli_capacity();
}

TEST(TrafficBudget, does_not_forget_callers_while_more_share_it_than_it_knows) {
    EXPECT_NEAR(capacity_shared_by(8), 40'000, 6'000);
    EXPECT_NEAR(capacity_shared_by(16), 80'000, 12'000);
    EXPECT_GE(capacity_shared_by(17), 65'000);
    EXPECT_GE(capacity_shared_by(100), 65'000);
}

struct SharedTraffic final : Traffic {
    std::atomic<std::uint64_t> count{0};
    std::uint64_t first_successes() const noexcept override {
        return count.load(std::memory_order_relaxed);
    }
};

TEST(TrafficBudgetThreads, keep_the_bound_while_the_bucket_grows_and_shrinks) {
    constexpr int threads = 4, rounds = 30'000;
    const auto budget = make_budget({}, {});
    SharedTraffic traffic;
    std::atomic<std::int64_t> spent{0};
    std::atomic<int> negative{0};
    std::vector<std::jthread> crowd;
    for (int t = 0; t < threads; ++t) {
        crowd.emplace_back([&, t] {
            for (int i = 0; i < rounds; ++i) {
                const TimePoint now = start + i * 1ms;
                if ((i / 5'000 + t) % 2 == 0) {
                    traffic.count.fetch_add(1, std::memory_order_relaxed);
                    budget->on_first_success(now);
                }
                if (i % 7 == 0 && budget->try_withdraw(1400, now, traffic)) spent += 1400;
                if (budget->milli_left() < 0) ++negative;
            }
        });
    }
    crowd.clear();
    EXPECT_EQ(negative, 0);
    // One success per thread may be between its count and its deposit when the bucket is topped up.
    EXPECT_LE(spent, 8'400 + 100 * (static_cast<std::int64_t>(traffic.count) + threads));
}

}  // namespace
}  // namespace perdure
