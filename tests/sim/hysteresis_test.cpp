// SPDX-License-Identifier: Apache-2.0
//
// Does a service come back where it went down? The load goes up past the capacity and down again.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "evidence.hpp"
#include "runs.hpp"
#include "storm.hpp"

namespace perdure::testing {
namespace {
namespace hysteresis_study {

using namespace sim;

constexpr double top = 1200;
constexpr Duration length = 960s;

Scenario sweep(const Plan& plan, int queue) {
    Scenario scenario = storm(plan, length);
    scenario.clients.rate = {{0s, 0}, {length / 2, top}, {length, 0}};
    scenario.services[0].queue.limit = queue;
    scenario.changes.clear();
    return scenario;
}

enum class Branch : std::uint8_t { up, down };

// Good answers per second around the time at which so many calls begin, as a share of the calls.
double kept(const Scenario& scenario, const Account& account, double rate, Branch branch) {
    const double half = seconds(scenario.duration) / 2;
    const double at = branch == Branch::up ? half * rate / top : half * (2 - rate / top);
    const auto from = Duration{static_cast<Duration::rep>((at - 5) * 1e9)};
    return over_seconds(account, from, from + 10s, &Second::ok) /
           over_seconds(account, from, from + 10s, &Second::offered);
}

struct Column {
    const char* name;
    Plan plan;
    int queue;
    double comes_back_at;  // on the way down, from this rate on; above: nothing
    double collapses_at;   // on the way up
};
std::vector<Column> columns() {
    return {{"3 attempts", tries(3, patient), 1000, 310, 1100},
            {"1 attempt", tries(1, at_once), 1000, 900, 1100},
            {"3 attempts, 0.1 per success",
             tries_with({.kind = BudgetKind::fixed, .deposit = 0.1, .capacity = 5}, 1), 1000, 880,
             1100},
            {"3 attempts, queue of 400", tries(3, patient), 400, top, top}};
}

void compare(int seeds) {
    Evidence evidence{
        "hysteresis",
        {"clients and queue", "calls/s", "answered on the way up", "on the way down"}};
    for (const Column& column : columns()) {
        const Scenario scenario = sweep(column.plan, column.queue);
        const auto runs = run_many(scenario, seeds);
        for (const double rate : {280.0, 380.0, 580.0, 780.0, 880.0, 980.0, 1160.0}) {
            SCOPED_TRACE(std::string{column.name} + " at " + cell(rate, 0));
            const auto mean = [&](Branch branch) {
                return summarise(each(runs,
                                      [&](const Account& account) {
                                          return kept(scenario, account, rate, branch);
                                      }))
                    .mean;
            };
            const double up = mean(Branch::up), down = mean(Branch::down);
            evidence.row(
                {column.name, cell(rate, 0), cell(100 * up, 1) + " %", cell(100 * down, 1) + " %"});
            if (column.collapses_at == top) {
                EXPECT_GT(up * rate, 0.95 * std::min(rate, capacity_per_second));
                EXPECT_GT(down * rate, 0.95 * std::min(rate, capacity_per_second));
                continue;
            }
            if (rate < 970) {
                EXPECT_GT(up, 0.97);
            }
            if (rate > column.collapses_at) {
                EXPECT_LT(up, 0.1);
            }
            if (rate < column.comes_back_at) {
                EXPECT_GT(down, 0.9);
            }
            if (rate > column.comes_back_at + 60) {
                EXPECT_LT(down, 0.05);
            }
        }
    }
}

TEST(Hysteresis, keeps_naive_clients_down_until_a_third_and_others_only_above_capacity) {
    compare(1);
}
TEST(SimFull, hysteresis_is_that_of_the_reference) {
    if (!full_run_wanted()) GTEST_SKIP() << "set PERDURE_SIM_FULL";
    compare(10);
}

}  // namespace hysteresis_study
}  // namespace
}  // namespace perdure::testing
