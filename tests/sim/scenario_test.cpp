// SPDX-License-Identifier: Apache-2.0
//
// Is a scenario that makes no sense refused in words, and does every policy of the catalogue make
// sense?
#include "perdure/sim/scenario.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "perdure/sim/policies.hpp"
#include "runs.hpp"
#include "varied_scenarios.hpp"

namespace perdure::testing {
namespace {

using namespace sim;

TEST(Scenario, is_refused_in_words_that_name_the_field) {
    struct Case {
        const char* field;
        std::function<void(Scenario&)> spoil;
    };
    const std::vector<Case> cases{
        {"clients.count", [](Scenario& s) { s.clients.count = 0; }},
        {"clients.rate", [](Scenario& s) { s.clients.rate.clear(); }},
        {"clients.rate", [](Scenario& s) { s.clients.rate = {{0s, -1}}; }},
        {"clients.rate", [](Scenario& s) { s.clients.rate = {{2s, 1}, {1s, 1}}; }},
        {"clients.period",
         [](Scenario& s) { s.clients.arrivals = Arrivals::periodic, s.clients.period = 0s; }},
        {"clients.think",
         [](Scenario& s) { s.clients.arrivals = Arrivals::closed, s.clients.think = {}; }},
        {"policy.rule", [](Scenario& s) { s.plan.rule.attempts = -1; }},
        {"service: needs", [](Scenario& s) { s.services.clear(); }},
        {"replicas", [](Scenario& s) { s.services[0].replicas = 0; }},
        {"workers", [](Scenario& s) { s.services[0].workers = 0; }},
        {"queue.limit", [](Scenario& s) { s.services[0].queue.limit = -1; }},
        {"failing.share", [](Scenario& s) { s.services[0].failing.share = 1.5; }},
        {"shards", [](Scenario& s) { s.services[0].shards = 0; }},
        {"work", [](Scenario& s) { s.services[0].work = Distribution::pareto(1ms, 0.9); }},
        {"calls", [](Scenario& s) { s.services[0].calls = {0}; }},
        {"calls", [](Scenario& s) { s.services[0].calls = {7}; }},
        {"network.loss", [](Scenario& s) { s.network.loss = -0.1; }},
        {"duration", [](Scenario& s) { s.duration = 0s; }},
        {"warm_up", [](Scenario& s) { s.warm_up = s.duration; }},
        {"change.service", [](Scenario& s) { s.changes[0].service = 3; }},
        {"change: must end", [](Scenario& s) { s.changes[0].to = s.changes[0].from; }},
        {"change.down",
         [](Scenario& s) {
             s.services.emplace_back();
             s.services[0].calls = {1};
             s.changes[0].what = Change::What::down;
         }},
        {"places: there is no", [](Scenario& s) { s.places = {0, 1}; }},
        {"places: there is no", [](Scenario& s) { s.places = {-1}; }},
        {"places: each service once", [](Scenario& s) { s.places = {0, 0}; }},
        {"change.speed", [](Scenario& s) { s.changes[0].value = 0; }},
        {"change: a share",
         [](Scenario& s) { s.changes[0].what = Change::What::loss, s.changes[0].value = 2; }},
    };
    for (const auto& [field, spoil] : cases) {
        Scenario scenario = small_storm(plain_plan(1, 1s, {}));
        ASSERT_TRUE(validate(scenario).empty());
        spoil(scenario);
        const auto problems = validate(scenario);
        ASSERT_FALSE(problems.empty()) << field;
        EXPECT_NE(problems.front().find(field), std::string::npos) << problems.front();
    }
}

TEST(Policies, have_names_of_their_own_and_go_through_a_storm) {
    std::set<std::string> names;
    for (const auto& [name, text, plan] : policies()) {
        SCOPED_TRACE(name);
        EXPECT_TRUE(names.insert(name).second);
        EXPECT_FALSE(text.empty());
        EXPECT_EQ(plan.deadline, never);
        EXPECT_GT(run(small_storm(plan), 1).ok, 0U);
        EXPECT_GT(safe_utilisation(plan), 0);
        EXPECT_LE(safe_utilisation(plan), 1);
    }
    EXPECT_FALSE(policy_named("nobody's"));
    EXPECT_TRUE(policy_named("perdure"));
}

// One through the attempts a call can cause for long.
TEST(Policies, know_up_to_which_load_they_are_safe) {
    EXPECT_EQ(safe_utilisation(policy_named("none")->plan), 1);
    EXPECT_NEAR(safe_utilisation(policy_named("immediate")->plan), 1.0 / 3, 1e-12);
    EXPECT_NEAR(safe_utilisation(policy_named("bucket")->plan), 1 / 1.1, 1e-12);
    EXPECT_NEAR(safe_utilisation(policy_named("per-request")->plan), 1 / 1.2, 1e-12);
}

}  // namespace
}  // namespace perdure::testing
