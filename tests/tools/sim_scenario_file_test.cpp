// SPDX-License-Identifier: Apache-2.0
//
// Do scenario files become what they say, and are mistakes in them explained?
#include "sim/scenario_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "perdure/sim/policies.hpp"
#include "sim/sim_scenarios.hpp"

namespace tool {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* small = R"(
title = "Small"
duration = "20s"
show = ["success"]
[clients]
count = 3
rate = 10
[service]
workers = 2
work = { exponential = "10ms" }
queue = { limit = 7, order = "lifo" }
[[change]]
from = "5s"
to = "10s"
speed = 0.5
[call]
timeout = "500ms"
attempts = 5
[policy.plain]
[policy.aws]
like = "aws-2026"
)";

std::string words(const Problems& problems) {
    std::string text;
    for (const Problem& problem : problems)
        text += in_words(problem.place) + ": " + problem.text + "\n";
    return text;
}

const sim::Scenario& scenario_of(const Reading& reading, std::size_t i = 0) {
    return std::get<sim::Scenario>(reading.study.cases.at(i).what);
}

std::vector<std::string> row_names(const Reading& reading) {
    std::vector<std::string> names;
    for (const StudyRow& row : reading.study.rows) names.push_back(row.name);
    return names;
}

TEST(ScenarioFile, becomes_a_scenario_field_by_field) {
    const Reading reading = read_study(small, "small");
    ASSERT_THAT(words(reading.problems), IsEmpty());
    const sim::Scenario& scenario = scenario_of(reading);
    EXPECT_EQ(scenario.duration, 20s);
    EXPECT_EQ(scenario.clients.count, 3);
    EXPECT_EQ(scenario.clients.rate.front().per_second, 10);
    EXPECT_EQ(scenario.services.front().workers, 2);
    EXPECT_EQ(scenario.services.front().work.shape(), sim::Shape::exponential);
    EXPECT_EQ(scenario.services.front().queue.limit, 7);
    EXPECT_EQ(scenario.services.front().queue.order, sim::Order::lifo);
    EXPECT_EQ(scenario.changes.front().what, sim::Change::What::speed);
    EXPECT_EQ(scenario.changes.front().value, 0.5);
    EXPECT_EQ(reading.study.over, 10s);
    EXPECT_EQ(scenario.plan.attempt_timeout, 500ms);
}

TEST(ScenarioFile, begins_a_policy_with_call_or_with_the_catalogue) {
    const Reading reading = read_study(small, "small");
    EXPECT_THAT(row_names(reading), ElementsAre("plain", "aws"));
    const Plan plain = scenario_of(reading, 0).plan;
    EXPECT_EQ(plain.rule.attempts, 5);
    EXPECT_EQ(plain.budget.kind, BudgetKind::none);
    const Plan aws = scenario_of(reading, 1).plan;
    EXPECT_EQ(aws.rule.attempts, 3);
    EXPECT_EQ(aws.budget, sim::policy_named("aws-2026")->plan.budget);
    EXPECT_EQ(aws.attempt_timeout, 500ms) << "call's timeout holds for all";
}

TEST(ScenarioFile, takes_policies_and_settings_from_the_command_line) {
    const Reading reading = read_study(small, "small",
                                       {.policies = {"none", "plain"},
                                        .settings = {{"clients.rate", "900"},
                                                     {"service.queue.limit", "unlimited"},
                                                     {"change.speed", "0.1"},
                                                     {"call.timeout", "250ms"}}});
    ASSERT_THAT(words(reading.problems), IsEmpty());
    EXPECT_THAT(row_names(reading), ElementsAre("none", "plain"));
    const sim::Scenario& scenario = scenario_of(reading);
    EXPECT_EQ(scenario.clients.rate.front().per_second, 900);
    EXPECT_EQ(scenario.services.front().queue.limit, sim::unlimited);
    EXPECT_EQ(scenario.changes.front().value, 0.1);
    EXPECT_EQ(scenario.plan.attempt_timeout, 250ms);
    EXPECT_EQ(scenario.plan.rule.attempts, 1);
}

TEST(ScenarioFile, compares_variants_along_a_sweep) {
    const Reading reading = read_study(std::string{small} + R"(
[[variant]]
name = "short queue"
policy = "plain"
set = { "service.queue.limit" = 1 }
[[variant]]
policy = "aws"
[sweep]
key = "clients.rate"
values = [10, 20, 30]
)",
                                       "small");
    ASSERT_THAT(words(reading.problems), IsEmpty());
    EXPECT_THAT(row_names(reading), ElementsAre("short queue", "aws"));
    ASSERT_EQ(reading.study.cases.size(), 6U);
    EXPECT_EQ(scenario_of(reading, 1).services.front().queue.limit, 1);
    EXPECT_EQ(scenario_of(reading, 1).clients.rate.front().per_second, 20);
    EXPECT_EQ(scenario_of(reading, 3).services.front().queue.limit, 7);
    EXPECT_THAT(reading.study.sweep.places, ElementsAre(10, 20, 30));
}

TEST(ScenarioFile, finds_services_and_changes_by_name_or_number) {
    const char* two = R"(
[[service]]
name = "web"
workers = "unlimited"
calls = ["db"]
policy = "same"
[[service]]
name = "db"
workers = 4
work = "5ms"
[[change]]
name = "outage"
from = "5s"
service = "db"
failing = 1.0
)";
    const Reading reading = read_study(two, "two",
                                       {.policies = {"immediate"},
                                        .settings = {{"service.db.workers", "9"},
                                                     {"service.1.replicas", "2"},
                                                     {"change.outage.failing", "0.5"}}});
    ASSERT_THAT(words(reading.problems), IsEmpty());
    const sim::Scenario& scenario = scenario_of(reading);
    EXPECT_EQ(scenario.services[1].workers, 9);
    EXPECT_EQ(scenario.services[0].replicas, 2);
    EXPECT_THAT(scenario.services[0].calls, ElementsAre(1));
    EXPECT_EQ(scenario.services[0].plan.rule.attempts, 3) << "the same as the clients'";
    EXPECT_EQ(scenario.changes.front().service, 1);
    EXPECT_EQ(scenario.changes.front().value, 0.5);
    EXPECT_NEAR(reading.study.rows.front().safe_utilisation.value_or(0), 1.0 / 9, 1e-9);
}

struct Mistake {
    const char* file;
    const char* message;
};

TEST(ScenarioFile, explains_every_mistake_with_its_place_and_a_way_out) {
    const auto mistakes = std::to_array<Mistake>({
        {"durtion = \"5s\"", "1:1: `durtion` is no key (did you mean `duration`?)"},
        {"duration = 60", "1:12: `duration` has no unit; write \"60ms\" or \"60s\""},
        {"duration = \"60 sec\"", "1:12: `duration` is no duration"},
        {"duration = \"5s", "this is no TOML"},
        {"seeds = 1\n\n[+call]", "3:1: this is no TOML"},
        {"gr\u00f6\u00dfe = 1", "this is no TOML"},
        {"\u00e9 = 1", "this is no TOML"},
        {"[service]\nqueue = { longest_wiat = \"1s\" }",
         "2:11: `service.queue.longest_wiat` is no key (did you mean `longest_wait`?)"},
        {"[service]\nworkers = 0", "`service.workers` is 0; it is a whole number from 1 to"},
        {"[service]\nworkers = 2.5", "is 2.5; it is a whole number"},
        {"[service]\nfailing = 2", "`service.failing` is 2; it is a number from 0 to 1"},
        {"[service]\nwork = { exponental = \"1ms\" }", "(did you mean `exponential`?)"},
        {"[service]\nwork = { log_normal = { median = \"5ms\" } }", "lacks `p999`"},
        {"[service]\nwork = { log_normal = { median = \"5ms\", p999 = \"4ms\" } }",
         "needs `p999` above `median`"},
        {"[service]\nwork = { empirical = \"no such file\" }", "cannot be read"},
        {"[service]\nqueue = { order = \"fifi\" }",
         "`service.queue.order` is \"fifi\"; it is `fifo` or `lifo` (did you mean `fifo`?)"},
        {"[clients]\nrate = \"fast\"", "`clients.rate` is calls per second"},
        {"[clients]\nrate = [[\"0s\", 1], [5, 2]]", "has no unit"},
        {"[[change]]\nfrom = \"1s\"", "says one thing that changes"},
        {"[[change]]\nfrom = \"1s\"\nspeed = 0.5\nloss = 0.1", "says one thing that changes"},
        {"[[change]]\nfrom = \"1s\"\nspeed = 1\nservice = \"db\"", "is \"db\"; there is `service`"},
        {"[policy.x]\nlike = \"aws-2062\"", "(did you mean `aws-2026`?)"},
        {"[policy.x]\nbudget = \"grpcc\"", "(did you mean `grpc`?)"},
        {"[policy.x]\nbackoff = { jitter = \"some\" }", "is `none`, `full`, `equal` or"},
        {"[policy.x]\nattempts = 0", "`policy.x.attempts` is 0"},
        {"[policy.x]\nattempts = \"unlimited\"", "nothing ends it"},
        {"show = [\"recoverd\"]", "(did you mean `recovered`?)"},
        {"show = []", "1:8: `show` is empty; it names at least one metric"},
        {"[[service]]\nname = \"a\"\n[[service]]\nname = \"a\"", "4:8: `service.name` is \"a\""},
        {"[[variant]]\nname = \"a\"\n[[variant]]\nname = \"a\"", "4:8: `variant.name` is \"a\""},
        {"[[variant]]\ninner = \"storm\"", "there is no policy \"storm\""},
        {"duration = \"9s\"\n[[change]]\nfrom = \"9s\"\nspeed = 1",
         "3:8: `change.from` is not before the end of the run"},
        {"[clients]\nrate = -1",
         "`clients.rate` is calls per second of the whole fleet, from 0 to"},
        {"[[variant]]\npolicy = \"storm\"", "there is no policy \"storm\""},
        {"[sweep]\nkey = \"clients.rate\"", "a sweep has a `key` and 1 to 100 `values`"},
        {"[service]\ncalls = [\"db\"]", "there is no service of that name"},
        {"service = 5", "is no table; write [service]"},
        {"clients = \"many\"", "is \"many\" where a table belongs"},
        {"[clients]\nrate = 1e9\n[service]\nworkers = 1", "more than a thousand million calls"},
    });
    for (const auto& [file, message] : mistakes) {
        SCOPED_TRACE(file);
        EXPECT_THAT(words(read_study(file, "x").problems), HasSubstr(message));
    }
}

TEST(ScenarioFile, lists_all_mistakes_and_each_once) {
    const Reading reading = read_study(R"(
durtion = "5s"
[clients]
cuont = 5
[policy.a]
[policy.b]
[service]
workers = -1
)",
                                       "x");
    EXPECT_EQ(reading.problems.size(), 3U) << words(reading.problems);
}

TEST(ScenarioFile, says_which_word_of_the_command_line_is_wrong) {
    const std::string said =
        words(read_study(small, "x",
                         {.settings = {{"service.queue.limt", "5"}, {"clients.count", "many"}}})
                  .problems);
    EXPECT_THAT(said, HasSubstr("--set service.queue.limt=5: `service.queue.limt` is no key "
                                "(did you mean `limit`?)"));
    EXPECT_THAT(said, HasSubstr("--set clients.count=many: `clients.count` is \"many\""));
}

TEST(ScenarioFile, sets_only_policies_that_exist) {
    const auto with = [](const char* key) {
        return read_study(small, "x", {.settings = {{key, "2"}}});
    };
    EXPECT_THAT(words(with("policy.plan.attempts").problems),
                HasSubstr("--set policy.plan.attempts=2: there is no policy \"plan\""));
    EXPECT_THAT(words(with("policy.plan.attempts").problems), HasSubstr("did you mean `plain`?"));
    EXPECT_EQ(scenario_of(with("policy.plain.attempts")).plan.rule.attempts, 2);
    // One of the catalogue begins as what it is there.
    const Reading bucket = read_study(
        small, "x", {.policies = {"bucket"}, .settings = {{"policy.bucket.attempts", "2"}}});
    ASSERT_THAT(words(bucket.problems), IsEmpty());
    EXPECT_EQ(scenario_of(bucket).plan.budget, sim::policy_named("bucket")->plan.budget);
}

TEST(ScenarioFile, blames_an_unknown_policy_once) {
    const Reading reading =
        read_study("[[service]]\nname = \"a\"\ncalls = [\"b\"]\npolicy = \"same\"\n"
                   "[[service]]\nname = \"b\"\n",
                   "x", {.policies = {"perdur"}});
    EXPECT_EQ(reading.problems.size(), 1U) << words(reading.problems);
    EXPECT_THAT(words(reading.problems), HasSubstr("--policy perdur: there is no policy"));
}

TEST(ScenarioFile, knows_no_safe_utilisation_where_a_breaker_or_limiter_bounds) {
    const Reading reading = read_study(
        small, "x", {.policies = {"immediate", "breaker", "sre-throttle", "bucket", "none"}});
    std::vector<bool> known;
    for (const StudyRow& row : reading.study.rows)
        known.push_back(row.safe_utilisation.has_value());
    EXPECT_THAT(known, ElementsAre(true, false, false, true, true));
}

TEST(ScenarioFile, knows_restarts_and_places) {
    const Reading reading = read_study(R"(
places = ["east", "west"]
moves = "in_turn"
[[service]]
name = "west"
[[service]]
name = "east"
[[change]]
from = "1s"
to = "2s"
service = "east"
down = true
[policy.loop]
attempts = 4
[policy.ours]
like = "perdure"
)",
                                       "x");
    ASSERT_THAT(words(reading.problems), IsEmpty());
    const sim::Scenario& scenario = scenario_of(reading);
    EXPECT_THAT(scenario.places, ElementsAre(1, 0));
    EXPECT_EQ(scenario.moves, sim::Moves::in_turn);
    EXPECT_EQ(scenario.changes.front().what, sim::Change::What::down);
    EXPECT_EQ(scenario.changes.front().service, 1);
    EXPECT_EQ(scenario.plan.connect.attempts, 4) << "a loop counts them as any failure";
    EXPECT_EQ(scenario_of(reading, 1).plan.connect, Plan{}.connect);
    EXPECT_THAT(words(read_study("places = [\"esat\"]\n[service]\nname = \"east\"", "x").problems),
                HasSubstr("names \"esat\"; there is"));
}

TEST(ScenarioFile, ships_files_without_mistakes) {
    std::vector<std::string> names;
    for (const auto& [name, text] : shipped_scenarios()) {
        const Reading reading = read_study(text, std::string{name});
        EXPECT_THAT(words(reading.problems), IsEmpty()) << name;
        EXPECT_FALSE(reading.study.question.empty()) << name;
        EXPECT_FALSE(reading.study.advice.empty()) << name;
        names.emplace_back(name);
    }
    EXPECT_THAT(names, ElementsAre("deep-stack", "failover", "hedging", "hysteresis",
                                   "occ-contention", "partial-outage", "periodic-jobs",
                                   "queue-discipline", "random-failures", "recovery-herd",
                                   "restart", "retry-storm", "timeout-cliff"));
}

TEST(ScenarioFile, knows_only_policies_that_can_be_used) {
    for (const auto& policy : sim::policies()) {
        SCOPED_TRACE(policy.name);
        for (const Finding& finding : validate(policy.plan))
            EXPECT_NE(finding.severity, Severity::problem) << finding.field << " " << finding.text;
        EXPECT_FALSE(policy.text.empty());
    }
    EXPECT_FALSE(sim::policy_named("nobody"));
    EXPECT_EQ(sim::safe_utilisation(sim::policy_named("none")->plan), 1);
    EXPECT_NEAR(sim::safe_utilisation(sim::policy_named("immediate")->plan), 1.0 / 3, 1e-9);
    EXPECT_NEAR(sim::safe_utilisation(sim::policy_named("bucket")->plan), 1 / 1.1, 1e-9);
    EXPECT_NEAR(sim::safe_utilisation(sim::policy_named("per-request")->plan), 1 / 1.2, 1e-9);
}

}  // namespace
}  // namespace tool
