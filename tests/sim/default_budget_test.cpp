// SPDX-License-Identifier: Apache-2.0
//
// Does our default budget keep its three promises? As good as AWS's of 2026 while failures are rare,
// next to no extra load in an outage, and a storm that many small clients do not keep alive.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "bernoulli.hpp"
#include "evidence.hpp"
#include "perdure/policy/presets.hpp"
#include "runs.hpp"
#include "storm.hpp"

namespace perdure::testing {
namespace {

using namespace sim;

struct Named {
    const char* name;
    Plan plan;
};

Plan ours() { return Plan{.deadline = never}; }
Plan aws() { return plan_from(presets::aws_standard_2026()); }

std::vector<Named> contenders() {
    Plan finagle = paying(4, {.kind = BudgetKind::requests, .deposit = 0.2, .per_second = 10}, 1);
    finagle.rule.backoff = Backoff{};
    return {{"perdure", ours()},
            {"AWS 2026", aws()},
            {"gRPC A6", plan_from(presets::grpc_a6())},
            {"Finagle", finagle}};
}

struct Fleet {
    int clients;
    double rate;  // of all together
};
constexpr std::array<Fleet, 4> fleets{{{1, 100}, {1, 10}, {100, 100}, {1000, 100}}};

TEST(DefaultBudget, lets_as_many_calls_succeed_as_that_of_aws_up_to_fifteen_percent_failures) {
    for (const double failing : {0.01, 0.05, 0.10, 0.15})
        for (const Fleet& fleet : fleets) {
            const Coin coin{failing, fleet.clients, fleet.rate, 50'000, 20'000};
            const double own = run(bernoulli(ours(), coin), 1).success();
            const double theirs = run(bernoulli(aws(), coin), 1).success();
            EXPECT_NEAR(own, theirs, 0.005) << failing << ", " << fleet.clients << " clients, "
                                            << fleet.rate << " calls a second";
        }
}

// Everything fails from the first minute on; what is measured begins two minutes later.
Scenario outage(Plan plan, const Fleet& fleet) {
    Scenario scenario = bernoulli(std::move(plan), {.clients = fleet.clients, .rate = fleet.rate});
    scenario.changes = {{.from = 60s, .what = Change::What::failing, .value = 1}};
    scenario.duration = 600s;
    scenario.warm_up = 180s;
    return scenario;
}

TEST(DefaultBudget, adds_next_to_nothing_in_a_total_outage) {
    for (const Fleet& fleet : fleets) {
        const Account account = run(outage(ours(), fleet), 1);
        EXPECT_EQ(account.ok, 0U);
        EXPECT_LE(account.amplification(), 1.005) << fleet.clients << " clients";
    }
}

struct Ended {
    double ours, aws;
};
Ended end_of_storm(int clients, std::uint64_t seed) {
    const auto time = [&](const Plan& plan) {
        const Scenario scenario = storm(plan, clients > 100 ? 290s : 130s, clients);
        const auto found = recovery_time(scenario, run(scenario, seed));
        EXPECT_TRUE(found) << clients << " clients, seed " << seed;
        return found.value_or(1e9);
    };
    return {time(ours()), time(aws())};
}

TEST(DefaultBudget, ends_the_storm_of_a_thousand_small_clients_in_a_third_of_the_time_of_aws) {
    const auto [own, theirs] = end_of_storm(1000, 1);
    EXPECT_LT(own, closed_form_recovery(1000 * 35) / 3);
    EXPECT_LT(own, theirs / 3);
}

TEST(DefaultBudget, ends_the_storm_of_a_hundred_clients_no_later_than_that_of_aws) {
    const auto [own, theirs] = end_of_storm(100, 1);
    EXPECT_LE(own, theirs);
}

TEST(SimFull, the_default_budget_beside_its_peers) {
    if (!full_run_wanted()) GTEST_SKIP() << "set PERDURE_SIM_FULL";
    std::vector<std::string> head{"failing", "clients"};
    for (const auto& [name, plan] : contenders()) head.emplace_back(name);
    Evidence chance{"default-chance", head};
    for (const double failing : {.01, .05, .10, .15, .20, .30, .50})
        for (const Fleet& fleet : {fleets[0], fleets[3]}) {
            std::vector<std::string> cells{cell(failing, 2), std::to_string(fleet.clients)};
            for (const auto& [name, plan] : contenders()) {
                const Account account =
                    run(bernoulli(plan, {failing, fleet.clients, fleet.rate, 200'000, 50'000}), 1);
                cells.push_back(cell(account.success(), 4) + " / " +
                                cell(account.amplification(), 3));
            }
            chance.row(cells);
        }
    Evidence total{"default-outage", {"clients", "policy", "attempts per call in an outage"}};
    for (const Fleet& fleet : {fleets[0], fleets[3]})
        for (const auto& [name, plan] : contenders())
            total.row({std::to_string(fleet.clients), name,
                       cell(run(outage(plan, fleet), 1).amplification(), 4)});
    Evidence storms{"default-storm", {"clients", "policy", "recovered", "seconds, 95 %"}};
    for (const int clients : {100, 1000})
        for (const auto& [name, plan] : contenders()) {
            const Scenario scenario = storm(plan, 320s, clients);
            std::vector<double> times;
            for (const Account& account : run_many(scenario, 20))
                if (const auto time = recovery_time(scenario, account)) times.push_back(*time);
            const Summary time = summarise(times);
            storms.row({std::to_string(clients), name, std::to_string(times.size()) + " of 20",
                        times.empty() ? "" : cell(time.mean, time.margin, 1)});
            if (std::string{"perdure"} == name) {
                EXPECT_EQ(times.size(), 20U) << clients;
                EXPECT_LT(time.most,
                          closed_form_recovery(clients * 35.0) / (clients > 100 ? 3 : 1));
            }
        }
}

}  // namespace
}  // namespace perdure::testing
