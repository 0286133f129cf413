// SPDX-License-Identifier: Apache-2.0
//
// How does every test of this room run a scenario? Through here, so that no run goes by whose books
// do not add up.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "evidence.hpp"
#include "perdure/sim/simulate.hpp"
#include "perdure/sim/summary.hpp"

namespace perdure::testing {

// The library's own laws, and those that need to know what was asked for.
inline void expect_lawful(const sim::Scenario& scenario, const sim::Account& account) {
    SCOPED_TRACE("seed " + std::to_string(account.seed));
    for (const std::string& law : sim::broken_laws(account)) ADD_FAILURE() << law;
    EXPECT_EQ(account.offered, account.ok + account.failed + account.unfinished);
    EXPECT_EQ(account.latency.count(), account.ok);
    EXPECT_LE(account.offered, account.calls);
    EXPECT_LE(account.refused_locally, account.failed);
    EXPECT_LE(account.attempts, account.sent);
    if (account.refused_locally == 0 && scenario.drain >= 1h && !scenario.plan.limiter.concurrent) {
        EXPECT_GE(account.attempts, account.offered);
    }
    const double most = worst_case_amplification(scenario.plan);
    if (std::isfinite(most)) {
        // A connection that was refused is no attempt of the rules that bound a call.
        std::uint64_t down = 0;
        for (const sim::ServiceAccount& service : account.services) down += service.down;
        EXPECT_LE(static_cast<double>(account.attempts),
                  most * static_cast<double>(account.offered) + static_cast<double>(down) + 1e-9);
    }
    for (const sim::ServiceAccount& service : account.services) {
        EXPECT_LE(service.wasted_busy, service.busy);
        EXPECT_LE(service.failed, service.served);
        EXPECT_LE(service.waited, service.stayed + service.area);
        EXPECT_GE(service.present_at_end, 0);
    }
}

inline sim::Account run(const sim::Scenario& scenario, std::uint64_t seed,
                        sim::Engine engine = sim::Engine::lanes) {
    for (const std::string& problem : sim::validate(scenario)) ADD_FAILURE() << problem;
    sim::Account account = sim::simulate(scenario, seed, engine);
    expect_lawful(scenario, account);
    return account;
}

// Seeds 1 to `seeds`.
inline std::vector<sim::Account> run_many(const sim::Scenario& scenario, int seeds) {
    for (const std::string& problem : sim::validate(scenario)) ADD_FAILURE() << problem;
    auto accounts = sim::replicate(scenario, {.seeds = seeds, .threads = 2});
    for (const sim::Account& account : accounts) expect_lawful(scenario, account);
    return accounts;
}

template <class Figure>
std::vector<double> each(const std::vector<sim::Account>& accounts, Figure figure) {
    std::vector<double> values;
    for (const sim::Account& account : accounts) values.push_back(figure(account));
    return values;
}

// A mean over replications with its 99.9 % interval: wide enough that fifty rows do not fail by
// chance.
struct Estimate {
    double mean = 0;
    double margin = 0;
    [[nodiscard]] bool covers(double value) const { return std::abs(mean - value) <= margin; }
};

// Student's 99.95th percentile, by Cornish and Fisher's expansion; good to 0.2 % from 15 degrees on.
inline double student_9995(std::size_t degrees) {
    const double n = static_cast<double>(degrees);
    constexpr double z = 3.290526731491926;
    constexpr double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

inline Estimate estimate(const std::vector<double>& values) {
    const sim::Summary summary = sim::summarise(values);
    return {summary.mean, student_9995(values.size() - 1) * summary.deviation /
                              std::sqrt(static_cast<double>(values.size()))};
}

// Sums over the seconds from `from` on, before `to`.
template <class Field>
double over_seconds(const sim::Account& account, Duration from, Duration to, Field field) {
    const auto index = [](Duration at) {
        return static_cast<std::size_t>(std::chrono::floor<std::chrono::seconds>(at).count());
    };
    double sum = 0;
    for (std::size_t i = index(from); i < std::min(index(to), account.seconds.size()); ++i)
        sum += static_cast<double>(account.seconds[i].*field);
    return sum;
}

inline double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace perdure::testing
