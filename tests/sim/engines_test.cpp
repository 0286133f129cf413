// SPDX-License-Identifier: Apache-2.0
//
// Do the fast engine and the plain one tell the same story? To the last count of every second.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fingerprint.hpp"
#include "random_scenario.hpp"
#include "runs.hpp"
#include "varied_scenarios.hpp"

namespace perdure::testing {
namespace {

using namespace sim;

void expect_same(const Scenario& scenario, std::uint64_t seed) {
    const Account lanes = run(scenario, seed, Engine::lanes);
    const Account plain = run(scenario, seed, Engine::plain);
    EXPECT_GT(lanes.calls, 0U);
    for (const std::string& difference : differences(lanes, plain))
        ADD_FAILURE() << "with the plain engine " << difference << " (seed " << seed << ")";
}

TEST(Engines, tell_the_same_story_of_varied_scenarios) {
    for (const auto& [name, scenario] : varied_scenarios())
        for (const std::uint64_t seed : {1U, 2U, 3U}) {
            SCOPED_TRACE(name);
            expect_same(scenario, seed);
        }
}

TEST(Engines, tell_the_same_story_of_random_scenarios) {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        SCOPED_TRACE("scenario of seed " + std::to_string(seed));
        expect_same(random_scenario(seed), seed);
    }
}

TEST(SimFull, engines_tell_the_same_story_of_many_random_scenarios) {
    if (!full_run_wanted()) GTEST_SKIP() << "set PERDURE_SIM_FULL";
    for (std::uint64_t seed = 1'000; seed < 5'000; ++seed) {
        SCOPED_TRACE("scenario of seed " + std::to_string(seed));
        expect_same(random_scenario(seed), seed);
        if (HasFailure()) return;
    }
}

// A scenario that never does what its name says would prove nothing.
TEST(Engines, are_compared_on_scenarios_in_which_what_they_are_named_for_happens) {
    std::uint64_t cancelled = 0, dropped = 0, rejected = 0, hedges = 0, lost = 0, unfinished = 0,
                  refused = 0, present = 0, refusals = 0, down = 0;
    for (const auto& [name, scenario] : varied_scenarios()) {
        const Account account = run(scenario, 1);
        hedges += account.hedges, lost += account.lost, unfinished += account.unfinished;
        refused += account.refused_locally, refusals += account.budget_refusals;
        for (const ServiceAccount& service : account.services) {
            cancelled += service.cancelled, dropped += service.dropped;
            rejected += service.rejected, down += service.down;
            present += static_cast<std::uint64_t>(service.present_at_end);
        }
    }
    for (const std::uint64_t count :
         {cancelled, dropped, rejected, hedges, lost, unfinished, refused, present, refusals, down})
        EXPECT_GT(count, 0U);
}

}  // namespace
}  // namespace perdure::testing
