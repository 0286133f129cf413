// SPDX-License-Identifier: Apache-2.0
//
// What is a call worth that was in flight when the service broke? Two more attempts, however many calls
// there were; and what does that cost when nothing has broken?
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "ledger.hpp"
#include "start.hpp"

namespace perdure {
namespace {

constexpr int per_retry = 1400;
constexpr int floor_milli = 8400;

// Attempts of so many calls, all begun before `now`, that fail then; how many retries are paid.
int retries_of_caught(Ledger& ledger, int calls, TimePoint began, TimePoint now, int each) {
    int paid = 0;
    for (int call = 0; call < calls; ++call) {
        ledger.budget().on_failure({.started = began, .now = now}, ledger);
        for (int retry = 0; retry < each; ++retry) paid += ledger.retry(per_retry, now) ? 1 : 0;
    }
    return paid;
}

TEST(CaughtCalls, are_each_good_for_two_more_attempts_of_a_client_that_has_just_begun) {
    for (const int calls : {1, 3, 4, 16, 32, 200, 5000}) {
        Ledger ledger{{}};
        EXPECT_EQ(retries_of_caught(ledger, calls, start, start + 1s, 2), 2 * calls) << calls;
    }
}

TEST(CaughtCalls, are_given_nothing_beyond_that) {
    Ledger ledger{{}};
    EXPECT_EQ(retries_of_caught(ledger, 100, start, start + 1s, 2), 200);
    EXPECT_EQ(ledger.retries(per_retry, start + 1s), 0);
}

TEST(CaughtCalls, are_those_that_had_begun_when_the_first_failed_or_begin_while_it_breaks) {
    Ledger ledger{{}};
    ledger.first_success(start);
    retries_of_caught(ledger, 10, start, start + 1s, 2);
    EXPECT_EQ(retries_of_caught(ledger, 20, start + 1s + 99ms, start + 1s + 120ms, 2), 40);
    const int before = ledger.left();
    for (int later = 0; later < 1000; ++later) {
        const TimePoint began = start + 1s + 100ms + later * 1ms;
        ledger.budget().on_failure({.started = began, .now = began + 100ms}, ledger);
    }
    EXPECT_EQ(ledger.left(), before) << "calls begun in the outage are not caught by it";
}

TEST(CaughtCalls, of_a_service_that_never_worked_are_those_in_flight_at_its_first_failure) {
    Ledger ledger{{}};
    EXPECT_EQ(retries_of_caught(ledger, 10, start, start + 1s, 2), 20);
    for (int call = 0; call < 100; ++call)
        ledger.budget().on_failure({.started = start + 1001ms, .now = start + 1050ms}, ledger);
    EXPECT_EQ(ledger.left(), 0);
}

TEST(CaughtCalls, are_counted_once_though_their_retry_goes_elsewhere_at_once_and_fails_too) {
    Ledger ledger{{}};
    for (int call = 0; call < 10; ++call) {
        ledger.budget().on_failure({.started = start, .now = start + 1s}, ledger);
        ledger.budget().on_failure({.started = start + 1s, .now = start + 1010ms, .first = false},
                                   ledger);
    }
    EXPECT_EQ(floor_milli + ledger.for_caught(), 10 * 2 * per_retry);
}

TEST(CaughtCalls, are_counted_when_the_last_of_their_copies_has_failed) {
    Ledger ledger{{}};
    for (int call = 0; call < 10; ++call) {
        ledger.budget().on_failure({.started = start, .now = start + 1s, .others_under_way = true},
                                   ledger);
        ledger.budget().on_failure({.started = start, .now = start + 1s}, ledger);
    }
    EXPECT_EQ(floor_milli + ledger.for_caught(), 10 * 2 * per_retry);
}

// Sessions end one after the other; those that are left go on with call after call.
TEST(CaughtCalls, of_a_server_that_closes_its_sessions_one_by_one_are_all_repeated) {
    constexpr int sessions = 100;
    Ledger ledger{{}};
    ledger.first_success(start);
    int refused = 0;
    for (int at_ms = 0; at_ms < sessions; ++at_ms) {
        const TimePoint now = start + 1s + at_ms * 1ms;
        ledger.budget().on_failure({.started = now - 2ms, .now = now}, ledger);
        refused += ledger.retry(per_retry, now) ? 0 : 1;
        for (int left = at_ms; left < sessions; left += 10) ledger.first_success(now);
    }
    EXPECT_EQ(refused, 0);
}

TEST(CaughtCalls, of_a_second_break_need_what_the_first_one_gave_back) {
    Ledger ledger{{}};
    EXPECT_EQ(retries_of_caught(ledger, 50, start, start + 1s, 1), 50);
    for (int call = 0; call < 50; ++call) ledger.late_success(per_retry);
    ledger.first_successes(100, start + 2s);
    EXPECT_EQ(retries_of_caught(ledger, 50, start + 3s, start + 4s, 2), 100);
}

TEST(CaughtCalls, are_few_while_failures_are_strewn_among_successes) {
    Ledger ledger{{}};
    SeededRandom random{7};
    for (int call = 0; call < 100'000; ++call) {
        const TimePoint now = start + call * 1ms;
        if (random.next() >= 0.15) ledger.first_success(now);
        else ledger.budget().on_failure({.started = now - 20ms, .now = now}, ledger);
    }
    EXPECT_LE(ledger.for_caught(), 40 * 2 * per_retry) << "100 ms hold fifteen failures";
}

TEST(CaughtCalls, are_still_caught_when_a_few_others_succeed_between_them) {
    Ledger ledger{{}};
    int paid = 0;
    for (int call = 0; call < 100; ++call) {
        const TimePoint now = start + 1s + call * 1ms;
        paid += retries_of_caught(ledger, 1, start, now, 2);
        if (call % 20 == 19) ledger.first_success(now);
    }
    EXPECT_EQ(paid, 200);
}

TEST(CaughtCalls, are_not_those_that_cost_nothing_or_were_refused_for_other_reasons) {
    for (const FailedAttempt& failed :
         {FailedAttempt{.cause = Cause::unavailable, .free = true},
          FailedAttempt{.cause = Cause::throttled}, FailedAttempt{.cause = Cause::contended},
          FailedAttempt{.cause = Cause::invalid}}) {
        Ledger ledger{{}};
        for (int call = 0; call < 100; ++call) ledger.budget().on_failure(failed, ledger);
        EXPECT_EQ(ledger.for_caught(), 0) << to_string(failed.cause);
    }
}

TEST(CaughtCalls, get_nothing_where_the_budget_has_no_capacity_or_says_so) {
    for (const BudgetOptions& options :
         {BudgetOptions{.capacity = 0}, BudgetOptions{.per_caught = 0}}) {
        Ledger ledger{options};
        const int start_tokens = ledger.left();
        retries_of_caught(ledger, 100, start, start + 1s, 2);
        EXPECT_LE(ledger.spent(), start_tokens);
    }
}

// Two callers share a budget; one of them has had a million successes when the other's calls are caught.
class SharedBreak : public ::testing::Test {
protected:
    void fail(const Traffic& caller, TimePoint began, TimePoint now) {
        budget->on_failure({.started = began, .now = now}, caller);
    }
    // Calls of this caller that begin in the outage and fail.
    void outage(const Traffic& caller, TimePoint from) {
        for (int call = 0; call < 1000; ++call, from += 1ms) fail(caller, from, from + 100ms);
    }

    struct Told final : Traffic {
        std::uint64_t count = 0;
        std::uint64_t first_successes() const noexcept override { return count; }
    };
    const std::unique_ptr<Budget> budget = make_budget({}, {});
    Told quiet, busy;
    static constexpr TimePoint break_at = start + 1s;
    static constexpr int ten_calls = 10 * 2 * per_retry;
};

TEST_F(SharedBreak, is_not_over_by_what_another_caller_did_before_it) {
    quiet.count = 5;
    busy.count = 1'000'000;
    for (int call = 0; call < 10; ++call) fail(quiet, start, break_at);
    outage(busy, break_at + 100ms);
    EXPECT_EQ(budget->milli_for_caught(), ten_calls);
}

TEST_F(SharedBreak, is_not_over_by_what_another_caller_did_since_an_earlier_break) {
    quiet.count = busy.count = 5;
    fail(busy, start - 1h, start - 1h);
    busy.count += 1'000'000;
    quiet.count += 100;
    for (int call = 0; call < 10; ++call) fail(quiet, start, break_at);
    outage(busy, break_at + 100ms);
    EXPECT_EQ(budget->milli_for_caught(), ten_calls);
}

TEST_F(SharedBreak, is_over_by_what_both_do_after_it) {
    quiet.count = busy.count = 5;
    for (int call = 0; call < 10; ++call) fail(quiet, start, break_at);
    fail(busy, break_at + 200ms, break_at + 300ms);
    quiet.count += 5;
    busy.count += 5;
    fail(quiet, break_at + 400ms, break_at + 500ms);
    const TimePoint again = break_at + 1s;
    for (int call = 0; call < 20; ++call) fail(busy, again - 10ms, again);
    EXPECT_EQ(budget->milli_for_caught(), 2 * ten_calls) << "a second break";
}

TEST_F(SharedBreak, catches_calls_that_begin_while_it_breaks_if_any_caller_ever_worked) {
    fail(quiet, start - 1h, start - 1h);
    busy.count = 5;
    for (int call = 0; call < 10; ++call) fail(busy, break_at + 50ms, break_at + 60ms);
    EXPECT_EQ(budget->milli_for_caught(), ten_calls);
}

}  // namespace
}  // namespace perdure
