// SPDX-License-Identifier: Apache-2.0
//
// Which clients let a service come back from a storm, and how soon? Verdicts over all seeds, never
// over one run, and times beside their closed form.
#include "storm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "evidence.hpp"
#include "runs.hpp"

namespace perdure::testing {
namespace {
namespace storm_study {

using namespace sim;

enum class Verdict : std::uint8_t { always, never };

struct Case {
    std::string name;
    Scenario scenario;
    Verdict verdict = Verdict::always;
    double seconds = 0;       // after the trigger's end
    double tolerance = 0.1;   // of that
    double most_seconds = 0;  // instead, where there is no closed form
};

constexpr Duration long_enough = 130s;

Scenario with_queue(const Queue& queue, int attempts = 3, const Backoff& backoff = patient) {
    Scenario scenario = storm(tries(attempts, backoff), long_enough);
    scenario.services[0].queue = queue;
    return scenario;
}

Plan breaking() {
    Plan plan = tries(3, patient);
    plan.breaker = BreakerOptions{.failure_share = 0.5,
                                  .least_calls = 10,
                                  .window = 10s,
                                  .open_for = 5s,
                                  .probes = 1,
                                  .ramp = 0s};
    return plan;
}

std::vector<Case> client_cases() {
    const BudgetOptions per_request{.kind = BudgetKind::requests, .deposit = 0.2};
    return {
        {"no retries", storm(tries(1, at_once), 100s), Verdict::always, closed_form_recovery(0)},
        {"3 attempts, at once", storm(tries(3, at_once), long_enough), Verdict::never},
        {"3 attempts, full jitter from 100 ms to 10 s", storm(tries(3, patient), long_enough),
         Verdict::never},
        {"… with 0.1 per success, at most 5",
         storm(tries_with({.kind = BudgetKind::fixed, .deposit = 0.1, .capacity = 5}, 1), 110s),
         Verdict::always, closed_form_recovery(100 * 5)},
        {"… with AWS's quota, 14 of 500 per retry", storm(tries_with(aws_quota(), 1.4), 120s),
         Verdict::always, closed_form_recovery(100 * 35)},
        {"… with AWS's quota, 5 of 500 per retry", storm(tries_with(aws_quota(), 0.5), 150s),
         Verdict::always, closed_form_recovery(100 * 100)},
        // Of the throttle's ten tokens five may go; a call that fails again takes none that is left.
        {"… with gRPC's throttle",
         storm(tries_with({.kind = BudgetKind::throttle, .deposit = 0.1, .capacity = 10}, 1), 110s),
         Verdict::always, 30.8},
        {"… with 0.2 per request, kept for 10 s", storm(tries_with(per_request, 1), 320s),
         Verdict::always, closed_form_recovery(1600, 0.2)},
        {"… with AWS's quota, 14 of 500, 1 000 clients",
         storm(tries_with(aws_quota(), 1.4), 290s, 1000), Verdict::always,
         closed_form_recovery(1000 * 35)},
        {.name = "… with a breaker", .scenario = storm(breaking(), 110s), .most_seconds = 20},
    };
}

// The bound that matters is timeout × throughput, 500. Just below it the queue still ends most waits
// in time, and chance decides how soon the storm ends; that row is the naive client's.
std::vector<Case> server_cases() {
    return {
        {.name = "3 attempts, queue of 400",
         .scenario = with_queue({.limit = 400}),
         .most_seconds = 2},
        {.name = "3 attempts at once, queue of 490",
         .scenario = with_queue({.limit = 490}, 3, at_once),
         .most_seconds = 3},
        {"3 attempts, queue of 600", with_queue({.limit = 600}), Verdict::never},
        {"3 attempts at once, queue of 600", with_queue({.limit = 600}, 3, at_once),
         Verdict::never},
        {.name = "3 attempts, last in, first out",
         .scenario = with_queue({.order = Order::lifo}),
         .most_seconds = 2},
        {"3 attempts, expired dropped", with_queue({.expired = Expired::dropped}), Verdict::never},
        {.name = "3 attempts, dropped with less than 30 ms left",
         .scenario = with_queue({.expired = Expired::dropped, .margin = 30ms}),
         .most_seconds = 0.5},
        {.name = "1 attempt, expired dropped",
         .scenario = with_queue({.expired = Expired::dropped}, 1),
         .most_seconds = 1},
    };
}

std::string verdict_of(std::size_t recovered, std::size_t runs) {
    return std::to_string(recovered) + " of " + std::to_string(runs);
}

void send_through(const std::vector<Case>& cases, int seeds, const std::string& table) {
    Evidence evidence{table,
                      {"clients and service", "recovered", "seconds, 95 %", "expected",
                       "busiest second", "calls lost"}};
    for (const Case& one : cases) {
        const auto runs = run_many(one.scenario, seeds);
        std::vector<double> times;
        double busiest = 0, lost = 0;
        for (const Account& account : runs) {
            if (const auto time = recovery_time(one.scenario, account)) times.push_back(*time);
            for (const Second& second : account.seconds)
                busiest = std::max(busiest, static_cast<double>(second.attempts));
            lost += static_cast<double>(account.failed + account.unfinished) / seeds;
        }
        const Summary time = summarise(times);
        std::string expected = "never";
        if (one.verdict == Verdict::never) {
            EXPECT_EQ(times.size(), 0U) << one.name << " came back, of seeds 1 to " << seeds;
        } else {
            EXPECT_EQ(times.size(), runs.size()) << one.name << ", of seeds 1 to " << seeds;
            if (one.seconds > 0) {
                expected = cell(one.seconds, 1) + " ± " + cell(100 * one.tolerance, 0) + " %";
                EXPECT_NEAR(time.mean, one.seconds, one.tolerance * one.seconds) << one.name;
            } else {
                expected = "at most " + cell(one.most_seconds, 1);
                EXPECT_LE(time.mean, one.most_seconds) << one.name;
            }
        }
        evidence.row({one.name, verdict_of(times.size(), runs.size()),
                      times.empty() ? "" : cell(time.mean, times.size() > 1 ? time.margin : 0, 1),
                      expected, cell(busiest, 0), cell(lost, 0)});
    }
}

TEST(Storm, ends_or_does_not_by_what_the_clients_do) {
    send_through(client_cases(), 2, "storm-clients");
}
TEST(Storm, ends_or_does_not_by_what_the_queue_does) {
    send_through(server_cases(), 2, "storm-queues");
}

TEST(SimFull, storms_end_when_the_closed_form_says) {
    if (!full_run_wanted()) GTEST_SKIP() << "set PERDURE_SIM_FULL";
    send_through(client_cases(), 20, "storm-clients");
    send_through(server_cases(), 20, "storm-queues");
}

// What a simulation must show to be believed: well before, and afterwards busy with work that nobody
// waits for any more, at a load it carried well before.
TEST(Storm, leaves_a_service_busy_for_nobody) {
    const Account account = run(storm(tries(3, patient), long_enough), 1);
    const auto sum = [&](Duration from, Duration to, auto field) {
        return over_seconds(account, from, to, field);
    };
    EXPECT_GT(sum(10s, 29s, &Second::ok), 0.999 * sum(10s, 29s, &Second::offered));
    EXPECT_NEAR(sum(10s, 29s, &Second::attempts) / sum(10s, 29s, &Second::offered), 1, 0.01);
    EXPECT_LT(sum(60s, 129s, &Second::ok), 0.01 * sum(60s, 129s, &Second::offered));
    EXPECT_NEAR(sum(60s, 129s, &Second::served) / 69, 1000, 20);
    EXPECT_GT(sum(60s, 129s, &Second::wasted), 0.98 * sum(60s, 129s, &Second::served));
    EXPECT_NEAR(sum(60s, 120s, &Second::attempts) / sum(60s, 120s, &Second::offered), 3, 0.05);
}

// Our throttle forgets by windows, the one of the reference by decay; what they share is that the
// longer it remembers, the longer it holds back a service that is well again.
TEST(Storm, lasts_longer_the_longer_a_throttle_remembers) {
    double before = 0;
    for (const Duration remembers : {5s, 30s, 120s}) {
        Plan plan = tries(3, patient);
        plan.limiter = {.kind = LimiterKind::throttle, .remembers = remembers};
        const Scenario scenario = storm(plan, 400s);
        const auto time = recovery_time(scenario, run(scenario, 1));
        ASSERT_TRUE(time) << seconds(remembers);
        EXPECT_GT(*time, before) << seconds(remembers);
        before = *time;
    }
}

// How large must a trigger be? Four attempts; the share of the speed that is left, and how long. The
// reference saw 0, 5, 18 and 20 of 20 at 0.8, 0.78, 0.75 and 0.7 for ten seconds, 20 and 0 for one.
// Ours tips a little later: of 100 seeds 0, 5, 31, 63 and 87 at 0.8, 0.78, 0.77, 0.76 and 0.75.
TEST(SimFull, storms_begin_with_a_chance_that_grows_with_the_trigger) {
    if (!full_run_wanted()) GTEST_SKIP() << "set PERDURE_SIM_FULL";
    struct Trigger {
        double speed;
        Duration length;
        int least, most;  // seeds that never come back
        int seeds = 20;
    };
    Evidence evidence{"storm-triggers", {"speed left", "for, s", "never came back", "expected"}};
    for (const auto& [speed, length, least, most, seeds_run] :
         std::vector<Trigger>{{0.8, 10s, 0, 2},
                              {0.78, 10s, 1, 25, 100},
                              {0.76, 10s, 7, 18},
                              {0.75, 10s, 14, 20},
                              {0.7, 10s, 20, 20},
                              {0.2, 1s, 20, 20},
                              {0.5, 1s, 0, 0}}) {
        Scenario scenario = storm(tries(4, patient), 130s);
        scenario.changes = {slow_down(30s, 30s + length, speed)};
        int stuck = 0;
        for (const Account& account : run_many(scenario, seeds_run))
            stuck += !recovery(account, {.after = 30s + length, .until = scenario.duration});
        EXPECT_GE(stuck, least) << speed << " for " << seconds(length);
        EXPECT_LE(stuck, most) << speed << " for " << seconds(length);
        evidence.row(
            {cell(speed, 2), cell(seconds(length), 0),
             verdict_of(static_cast<std::size_t>(stuck), static_cast<std::size_t>(seeds_run)),
             least == most ? std::to_string(least)
                           : std::to_string(least) + " to " + std::to_string(most)});
    }
}

}  // namespace storm_study
}  // namespace
}  // namespace perdure::testing
