// SPDX-License-Identifier: Apache-2.0
//
// Does one seed tell one story, everywhere? Under every compiler, at every level of optimisation, on
// any number of threads; and do two policies on one seed meet the same fate?
#include <gtest/gtest.h>

#include <array>
#include <cinttypes>
#include <cstdio>
#include <string>
#include <vector>

#include "fingerprint.hpp"
#include "runs.hpp"
#include "varied_scenarios.hpp"

namespace perdure::testing {
namespace {

using namespace sim;

struct Golden {
    const char* name;
    std::uint64_t hash;
};
// A change of these is a change of every published figure: on purpose or not at all.
constexpr std::array<Golden, 6> golden{{
    {"one attempt", 0x17ee99b1e2f3bd1fU},
    {"hedging, only a queued loser cancelled", 0xeca5f415afaee380U},
    {"three tiers, deadlines passed on", 0xe1d94ccd8b7d0d89U},
    {"a closed loop", 0x01833cc8da71566dU},
    {"a network that loses", 0x4b69e97280979c26U},
    {"breakers and shards", 0xcd80664511dd306aU},
}};

Scenario named(const std::string& name) {
    for (const auto& [other, scenario] : varied_scenarios())
        if (other == name) return scenario;
    ADD_FAILURE() << "there is no scenario " << name;
    return {};
}

TEST(Determinism, gives_the_same_bytes_with_every_compiler) {
    for (const auto& [name, hash] : golden) {
        const std::uint64_t found = fingerprint(run(named(name), 7));
        char text[32];
        std::snprintf(text, sizeof text, "0x%016" PRIx64, found);
        EXPECT_EQ(found, hash) << "{\"" << name << "\", " << text << "U},";
    }
}

TEST(Determinism, gives_different_seeds_different_stories) {
    EXPECT_NE(fingerprint(run(named("one attempt"), 1)), fingerprint(run(named("one attempt"), 2)));
}

TEST(SimThreads, do_not_change_what_replications_tell) {
    const Scenario scenario = named("three tiers, deadlines passed on");
    std::vector<int> heard;
    const auto alone = replicate(scenario, {.first_seed = 5, .seeds = 9, .threads = 1});
    const auto together =
        replicate(scenario, {.first_seed = 5, .seeds = 9, .threads = 4, .progress = [&](int done) {
                                 heard.push_back(done);
                             }});
    ASSERT_EQ(alone.size(), 9U);
    ASSERT_EQ(together.size(), 9U);
    for (std::size_t i = 0; i < alone.size(); ++i) {
        EXPECT_EQ(alone[i].seed, 5 + i);
        expect_lawful(scenario, alone[i]);
        for (const std::string& difference : differences(alone[i], together[i]))
            ADD_FAILURE() << difference << ", seed " << alone[i].seed;
    }
    EXPECT_EQ(heard, (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

// Nobody waits for anybody, so a first attempt is late by its own work alone: one attempt fails as
// often as two attempts are needed.
TEST(CommonRandomNumbers, give_two_policies_the_same_arrivals_work_and_failures) {
    Scenario scenario{.clients = {.count = 10, .rate = {{0s, 500}}},
                      .services = {{.workers = unlimited,
                                    .work = Distribution::exponential(10ms),
                                    .failing = {.share = 0.1}}},
                      .duration = 20s};
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        scenario.plan = plain_plan(1, 25ms, {});
        const Account once = run(scenario, seed);
        scenario.plan = plain_plan(2, 25ms, {.base = 30ms});
        const Account twice = run(scenario, seed);
        ASSERT_LE(once.seconds.size(), twice.seconds.size());
        for (std::size_t i = 0; i < once.seconds.size(); ++i)
            EXPECT_EQ(once.seconds[i].offered, twice.seconds[i].offered);
        EXPECT_EQ(once.failed, twice.attempts - twice.offered);
        EXPECT_GT(once.timeouts, 0U);
        EXPECT_GT(once.failed, once.timeouts);
    }
}

// Twice the rate meets the same arrivals in half the time.
TEST(CommonRandomNumbers, bend_time_to_fit_the_rate) {
    Scenario slow{.clients = {.rate = {{0s, 100}}}, .plan = plain_plan(1, 1s, {}), .duration = 40s};
    Scenario fast = slow;
    fast.clients.rate = {{0s, 200}};
    fast.duration = 20s;
    const Account half = run(slow, 4), whole = run(fast, 4);
    for (std::size_t i = 0; i < 20; ++i)
        EXPECT_EQ(whole.seconds[i].offered,
                  half.seconds[2 * i].offered + half.seconds[2 * i + 1].offered);
}

}  // namespace
}  // namespace perdure::testing
