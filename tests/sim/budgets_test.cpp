// SPDX-License-Identifier: Apache-2.0
//
// What do retry budgets do when attempts fail by chance? Ours and the peers' beside published tables
// and closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "bernoulli.hpp"
#include "evidence.hpp"
#include "perdure/policy/tipping.hpp"
#include "runs.hpp"

namespace perdure::testing {
namespace {
namespace budgets_study {

using namespace sim;

struct Pair {
    double success = 0, load = 0;
};

constexpr std::size_t columns = 7;
struct Row {
    double failing;
    std::array<Pair, columns> expected;
};

// One busy client, 300 000 requests after the warm-up.
constexpr std::array<Row, 10> table{{
    {.01, {{{1, 1.010}, {1, 1.010}, {1, 1.010}, {1, 1.010}, {1, 1.010}, {1, 1.010}, {1, 1.010}}}},
    {.05,
     {{{1, 1.053},
       {.9999, 1.052},
       {.9999, 1.052},
       {.9999, 1.052},
       {1, 1.053},
       {.9994, 1.052},
       {1, 1.053}}}},
    {.10,
     {{{.9999, 1.111},
       {.9990, 1.110},
       {.9990, 1.110},
       {.9990, 1.110},
       {.9891, 1.099},
       {.9177, 1.020},
       {.9999, 1.111}}}},
    {.20,
     {{{.9983, 1.249},
       {.9921, 1.241},
       {.9921, 1.241},
       {.9920, 1.241},
       {.8694, 1.087},
       {.7997, 1},
       {.9571, 1.197}}}},
    {.25,
     {{{.9959, 1.329},
       {.9842, 1.313},
       {.9730, 1.298},
       {.9103, 1.214},
       {.8111, 1.081},
       {.7498, 1},
       {.8985, 1.199}}}},
    {.30,
     {{{.9917, 1.418},
       {.9728, 1.391},
       {.8615, 1.231},
       {.8159, 1.166},
       {.7532, 1.075},
       {.7000, 1},
       {.8389, 1.199}}}},
    {.40,
     {{{.9744, 1.622},
       {.7800, 1.299},
       {.6911, 1.151},
       {.6656, 1.108},
       {.6393, 1.064},
       {.6006, 1},
       {.7201, 1.199}}}},
    {.50,
     {{{.9379, 1.872},
       {.6007, 1.200},
       {.5517, 1.101},
       {.5372, 1.072},
       {.5275, 1.053},
       {.5011, 1},
       {.6003, 1.199}}}},
    {.90,
     {{{.3440, 3.438},
       {.1020, 1.022},
       {.1009, 1.011},
       {.1006, 1.008},
       {.1008, 1.010},
       {.0999, 1},
       {.1194, 1.199}}}},
    {1.0, {{{0, 4}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1.2}}}},
}};

struct Column {
    const char* name;
    std::function<Plan()> plan;
};

std::array<Column, columns> budgets() {
    constexpr BudgetOptions aws{.kind = BudgetKind::fixed, .deposit = 0.1, .capacity = 50};
    return {{
        {"4 attempts", [] { return paying(4, {.kind = BudgetKind::none}, 1); }},
        {"AWS, 5", [=] { return paying(3, aws, 0.5); }},
        {"AWS, 10", [=] { return paying(3, aws, 1.0); }},
        {"AWS, 14", [=] { return paying(3, aws, 1.4); }},
        {"0.1 per success", [] { return paying_from_bucket(PaidBy::success, 10'000); }},
        {"gRPC 10/0.1",
         [] {
             return paying(4, {.kind = BudgetKind::throttle, .deposit = 0.1, .capacity = 10}, 1);
         }},
        {"20 % per request",
         [] { return paying(4, {.kind = BudgetKind::requests, .deposit = 0.2}, 1); }},
    }};
}

std::string cell_of(const Pair& pair) { return cell(pair.success, 4) + " / " + cell(pair.load, 3); }

void compare_with_table(const std::vector<double>& shares, double requests) {
    std::vector<std::string> head{"failing"};
    for (const Column& column : budgets()) head.emplace_back(column.name);
    Evidence evidence{"budgets", head};
    for (const Row& row : table) {
        if (std::ranges::find(shares, row.failing) == shares.end()) continue;
        std::vector<std::string> found{cell(row.failing, 2)}, expected{"reference"};
        for (std::size_t i = 0; i < columns; ++i) {
            const Column column = budgets()[i];
            const Account account =
                run(bernoulli(column.plan(), {.failing = row.failing, .requests = requests}), 1);
            const Pair pair{account.success(), account.amplification()};
            EXPECT_NEAR(pair.success, row.expected[i].success, 0.005)
                << column.name << ", " << row.failing;
            EXPECT_NEAR(pair.load, row.expected[i].load, 0.005)
                << column.name << ", " << row.failing;
            found.push_back(cell_of(pair));
            expected.push_back(cell_of(row.expected[i]));
        }
        evidence.row(found);
        evidence.row(expected);
    }
}

TEST(Budgets, do_to_random_failures_what_the_table_says) {
    compare_with_table({.10, .25, .50, 1.0}, 300'000);
}
TEST(SimFull, budgets_do_to_random_failures_what_the_table_says) {
    if (!full_run_wanted()) GTEST_SKIP() << "set PERDURE_SIM_FULL";
    compare_with_table({.01, .05, .10, .20, .25, .30, .40, .50, .90, 1.0}, 600'000);
}

TEST(Budgets, without_one_leave_the_closed_forms_of_independent_failures) {
    for (const int attempts : {1, 2, 3, 5})
        for (const double p : {0.05, 0.3, 0.7}) {
            const Plan plan = paying(attempts, {.kind = BudgetKind::none}, 0);
            const Scenario scenario =
                bernoulli(plan, {.failing = p, .requests = 4'000, .warm_up = 100});
            const auto runs = run_many(scenario, 20);
            SCOPED_TRACE(std::to_string(attempts) + " attempts, failing " + cell(p, 2));
            const auto success = estimate(each(runs, [](const Account& a) { return a.success(); }));
            const auto load =
                estimate(each(runs, [](const Account& a) { return a.amplification(); }));
            EXPECT_NEAR(success.mean, 1 - std::pow(p, attempts), success.margin + 1e-4);
            EXPECT_NEAR(load.mean, load_factor(p, attempts), load.margin + 1e-4);
        }
}

// Tokens per request of AWS's quota, in its own units.
double drift(double p, int attempts, double cost) {
    double sum = 1 - p;
    for (int k = 2; k <= attempts; ++k) sum -= std::pow(p, k - 1) * (1 - p) * (k - 2) * cost;
    return sum - std::pow(p, attempts) * (attempts - 1) * cost;
}

TEST(Budgets, of_aws_drain_where_the_drift_turns) {
    EXPECT_NEAR(drift(0.2149, 3, 14), 0, 2e-3);
    EXPECT_NEAR(drift(0.3207, 3, 5), 0, 2e-3);
    constexpr BudgetOptions aws{.kind = BudgetKind::fixed, .deposit = 0.1, .capacity = 50};
    for (const auto& [cost, threshold] : {std::pair{1.4, 0.2149}, std::pair{0.5, 0.3207}}) {
        const auto refusals = [&, price = cost](double p) {
            return run(bernoulli(paying(3, aws, price), {.failing = p, .requests = 60'000}), 1)
                .budget_refusals;
        };
        EXPECT_LT(refusals(threshold - 0.02), 60U) << cost;
        EXPECT_GT(refusals(threshold + 0.02), 600U) << cost;
    }
}

// A switch: below 9.1 % it is on nearly always, above it is off nearly always.
TEST(Budgets, of_grpc_switch_at_nine_percent) {
    const Plan grpc = paying(4, {.kind = BudgetKind::throttle, .deposit = 0.1, .capacity = 10}, 1);
    const auto share_retried = [&](double p) {
        const Account account = run(bernoulli(grpc, {.failing = p, .requests = 500'000}), 1);
        return (account.amplification() - 1) / (load_factor(p, 4) - 1);
    };
    EXPECT_GT(share_retried(0.05), 0.97);
    EXPECT_LT(share_retried(0.15), 0.05);
}

// Brooker's comparison: 100 clients, ten calls a second each, 100 seconds. The clients share nothing,
// so each is a run of its own, with a bucket of its own. His published code pays in at every first
// attempt, whatever his text says.
Pair of_separate_clients(int clients, double rate, double failing) {
    double offered = 0, ok = 0, attempts = 0;
    for (int client = 0; client < clients; ++client) {
        const Scenario scenario =
            bernoulli(paying_from_bucket(PaidBy::request, 5'000),
                      {.failing = failing, .rate = rate, .requests = 100 * rate, .warm_up = 0});
        const Account account = run(scenario, static_cast<std::uint64_t>(client) + 1);
        offered += static_cast<double>(account.offered);
        ok += static_cast<double>(account.ok);
        attempts += static_cast<double>(account.attempts);
    }
    return {ok / offered, attempts / offered};
}

TEST(Budgets, give_brookers_bucket_the_figures_of_his_program) {
    struct Case {
        double failing;
        Pair expected;
    };
    Evidence evidence{"brooker-bucket", {"failing", "success", "his", "attempts per call", "his"}};
    for (const auto& [failing, expected] : std::array<Case, 6>{{{.01, {1.0000, 1.010}},
                                                                {.05, {.9998, 1.051}},
                                                                {.075, {.9961, 1.079}},
                                                                {.10, {.9846, 1.095}},
                                                                {.20, {.8836, 1.103}},
                                                                {.50, {.5505, 1.104}}}}) {
        const Pair found = of_separate_clients(100, 10, failing);
        EXPECT_NEAR(found.success, expected.success, 0.005) << failing;
        EXPECT_NEAR(found.load, expected.load, 0.005) << failing;
        evidence.row({cell(failing, 3), cell(found.success, 4), cell(expected.success, 4),
                      cell(found.load, 3), cell(expected.load, 3)});
    }
}

// 100 calls a second in all, 30 % fail: the smaller the clients, the more of their start tokens are
// never missed.
TEST(Budgets, of_constant_size_are_too_generous_for_many_small_clients) {
    struct Case {
        int clients;
        Pair expected;
    };
    for (const auto& [clients, expected] :
         std::array<Case, 3>{{{10, {.778, 1.104}}, {100, {.794, 1.140}}, {1000, {.949, 1.350}}}}) {
        const Pair found = of_separate_clients(clients, 100.0 / clients, 0.3);
        EXPECT_NEAR(found.success, expected.success, 0.02) << clients;
        EXPECT_NEAR(found.load, expected.load, 0.02) << clients;
    }
}

}  // namespace budgets_study
}  // namespace
}  // namespace perdure::testing
