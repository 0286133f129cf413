// SPDX-License-Identifier: Apache-2.0
//
// When does backing off take load away? Only from clients whose next call waits for this one.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "bernoulli.hpp"
#include "evidence.hpp"
#include "perdure/policy/tipping.hpp"
#include "runs.hpp"

namespace perdure::testing {
namespace {

using namespace sim;

// A hundred clients with ten calls a second each, three retries, 100 ms · 2^n without jitter. The
// reference's service is not quite ours, so its counts are matched in their ratios, and the serial
// clients' number of calls with our own closed form.
Scenario hundred_clients(Arrivals arrivals, double failing, const Backoff& backoff) {
    Scenario scenario =
        bernoulli(plain_plan(4, 1s, backoff), {.failing = failing, .clients = 100, .rate = 1000});
    scenario.clients.arrivals = arrivals;
    scenario.clients.think = Distribution::exponential(100ms);
    scenario.warm_up = 0s;
    scenario.duration = 100s;
    return scenario;
}

TEST(SerialClients, call_less_when_they_back_off_and_independent_ones_do_not) {
    constexpr Backoff waits{.base = 100ms, .cap = 10s, .jitter = Jitter::none};
    struct Reference {
        double failing, open_first, open_all, serial_first, serial_all;
    };
    Evidence evidence{"serial",
                      {"failing", "open: first attempts", "all", "reference",
                       "serial: first attempts", "all", "reference"}};
    for (const Reference& row : std::array<Reference, 4>{{{0, 99'731, 99'731, 97'517, 97'517},
                                                          {.1, 100'068, 111'223, 90'292, 100'168},
                                                          {.3, 100'116, 141'845, 66'639, 94'056},
                                                          {.5, 99'834, 187'318, 42'374, 79'497}}}) {
        SCOPED_TRACE(cell(row.failing, 1));
        const Account open = run(hundred_clients(Arrivals::open, row.failing, waits), 1);
        const Account serial = run(hundred_clients(Arrivals::closed, row.failing, waits), 1);
        const double p = row.failing;
        EXPECT_NEAR(static_cast<double>(open.offered), 100'000, 1'100);
        EXPECT_NEAR(open.amplification(), row.open_all / row.open_first, 0.01);
        EXPECT_NEAR(serial.amplification(), row.serial_all / row.serial_first, 0.015);
        const double away = 0.1 + 0.1 * p + 0.2 * p * p + 0.4 * p * p * p;
        EXPECT_NEAR(static_cast<double>(serial.offered), 100 * 100 / away, 0.02 * 10'000 / away);
        evidence.row({cell(p, 1), std::to_string(open.offered), std::to_string(open.attempts),
                      cell(row.open_first, 0) + " / " + cell(row.open_all, 0),
                      std::to_string(serial.offered), std::to_string(serial.attempts),
                      cell(row.serial_first, 0) + " / " + cell(row.serial_all, 0)});
    }
}

TEST(SerialClients, are_the_only_ones_whose_load_depends_on_the_backoff) {
    constexpr Backoff none{.base = 0ms, .cap = 0ms};
    constexpr Backoff large{.base = 1s, .cap = 20s};
    const auto load = [](Arrivals arrivals, const Backoff& backoff) {
        return static_cast<double>(run(hundred_clients(arrivals, 0.5, backoff), 1).attempts);
    };
    EXPECT_NEAR(load(Arrivals::open, large) / load(Arrivals::open, none), 1, 0.01);
    EXPECT_LT(load(Arrivals::closed, large) / load(Arrivals::closed, none), 0.3);
}

}  // namespace
}  // namespace perdure::testing
