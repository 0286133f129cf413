// SPDX-License-Identifier: Apache-2.0
//
// What does a budget do to success and load when each attempt fails by chance? Compared with a
// reference table made apart from this library: 3 attempts, the AWS quota, one busy client.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "perdure/time/random.hpp"
#include "policy/ledger.hpp"

namespace perdure {
namespace {

struct Outcome {
    double success, attempts;  // per request
};

struct Client {
    Ledger ledger{{.kind = BudgetKind::fixed, .capacity = 50}};
    Random& random;
    double failing;
    int cost;

    // Attempts made; negative if all of them failed.
    int request() {
        const TimePoint now{1h};
        for (int attempt = 1;; ++attempt) {
            if (random.next() >= failing) {
                attempt == 1 ? ledger.first_success(now) : ledger.late_success(cost);
                return attempt;
            }
            if (attempt == 3 || !ledger.retry(cost, now)) return -attempt;
        }
    }
};

Outcome measure(double failing, int cost, Random& random) {
    Client client{.random = random, .failing = failing, .cost = cost};
    for (int i = 0; i < 100'000; ++i) client.request();  // the start tokens are spent or not needed
    constexpr int requests = 300'000;
    int good = 0, attempts = 0;
    for (int i = 0; i < requests; ++i) {
        const int made = client.request();
        good += made > 0 ? 1 : 0;
        attempts += std::abs(made);
    }
    return {static_cast<double>(good) / requests, static_cast<double>(attempts) / requests};
}

struct Row {
    double failing;
    Outcome at_5, at_10, at_14;  // AWS tokens per retry
};

constexpr Row reference[] = {
    {0.01, {1.0000, 1.010}, {1.0000, 1.010}, {1.0000, 1.010}},
    {0.05, {0.9999, 1.052}, {0.9999, 1.052}, {0.9999, 1.052}},
    {0.10, {0.9990, 1.110}, {0.9990, 1.110}, {0.9990, 1.110}},
    {0.20, {0.9921, 1.241}, {0.9921, 1.241}, {0.9920, 1.241}},
    {0.25, {0.9842, 1.313}, {0.9730, 1.298}, {0.9103, 1.214}},
    {0.30, {0.9728, 1.391}, {0.8615, 1.231}, {0.8159, 1.166}},
    {0.40, {0.7800, 1.299}, {0.6911, 1.151}, {0.6656, 1.108}},
    {0.50, {0.6007, 1.200}, {0.5517, 1.101}, {0.5372, 1.072}},
    {0.90, {0.1020, 1.022}, {0.1009, 1.011}, {0.1006, 1.008}},
    {1.00, {0.0000, 1.000}, {0.0000, 1.000}, {0.0000, 1.000}},
};

TEST(Bernoulli, gives_the_success_and_load_of_the_reference_table) {
    constexpr std::uint64_t seed = 20260214;
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom random{seed};
    for (const Row& row : reference) {
        const struct {
            int cost;
            Outcome expected;
        } columns[] = {{500, row.at_5}, {1000, row.at_10}, {1400, row.at_14}};
        for (const auto& [cost, expected] : columns) {
            SCOPED_TRACE("failing " + std::to_string(row.failing) + ", cost " +
                         std::to_string(cost));
            const Outcome got = measure(row.failing, cost, random);
            EXPECT_NEAR(got.success, expected.success, 0.005);
            EXPECT_NEAR(got.attempts, expected.attempts, 0.005);
        }
    }
}

}  // namespace
}  // namespace perdure
