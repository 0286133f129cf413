// SPDX-License-Identifier: Apache-2.0
//
// Do plans in files and flags become what they say, and are mistakes in them explained?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "chaos/plan_file.hpp"

namespace tool {
namespace {

using chaos::Fault;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string words(const Problems& problems) {
    std::string text;
    for (const Problem& problem : problems)
        text += in_words(problem.place) + ": " + problem.text + "\n";
    return text;
}

TEST(ChaosPlanFile, becomes_a_plan_field_by_field) {
    const PlanReading reading = read_plan(R"(
protocol = "http"
seed = 42
[[rule]]
name = "busy"
fault = "inject"
status = 429
body = "later"
headers = { "Retry-After" = "7", "X-Two" = "b" }
[rule.match]
method = "POST"
path = "/orders/*"
header = "x-tenant: 7"
body = "cents"
from = 2
to = 9
every_nth = 3
probability = 0.25
[[rule]]
fault = "drip"
bytes = 10
delay = "1.5s"
part = "body"
toward = "server"
[[rule]]
fault = "cut-at-marker"
marker = "COMMIT"
when = "after"
[[rule]]
fault = "rewrite"
rewrite = { header = "etag", find = "a", replace = "b" }
[[rule]]
fault = "refuse"
closed_for = "until changed"
)");
    ASSERT_THAT(words(reading.problems), IsEmpty());
    EXPECT_EQ(reading.plan.seed, 42);
    ASSERT_EQ(reading.plan.rules.size(), 5);
    const chaos::Rule& busy = reading.plan.rules[0];
    EXPECT_EQ(busy.name, "busy");
    EXPECT_EQ(busy.fault, Fault::inject);
    EXPECT_EQ(busy.status, 429);
    EXPECT_EQ(busy.body, "later");
    EXPECT_EQ(busy.headers.size(), 2);
    EXPECT_EQ(busy.match.method, "POST");
    EXPECT_EQ(busy.match.path, "/orders/*");
    EXPECT_EQ(busy.match.header, "x-tenant: 7");
    EXPECT_EQ(busy.match.body, "cents");
    EXPECT_EQ(busy.match.from, 2);
    EXPECT_EQ(busy.match.to, 9);
    EXPECT_EQ(busy.match.every_nth, 3);
    EXPECT_EQ(busy.match.probability, 0.25);
    const chaos::Rule& drip = reading.plan.rules[1];
    EXPECT_EQ(drip.bytes, 10);
    EXPECT_EQ(drip.delay, 1500ms);
    EXPECT_EQ(drip.part, chaos::Part::body);
    EXPECT_EQ(drip.toward, chaos::Toward::server);
    EXPECT_EQ(reading.plan.rules[2].when, chaos::When::after);
    EXPECT_FALSE(reading.plan.rules[2].toward);
    EXPECT_EQ(reading.plan.rules[3].rewrite.replace, "b");
    EXPECT_EQ(reading.plan.rules[4].closed_for, never);
}

TEST(ChaosPlanFile, says_how_a_link_is_cut) {
    const PlanReading reading = read_plan(R"(protocol = "tcp"
[[rule]]
fault = "cut_at_marker"
marker = "COMMIT"
when = "after"
then = "half_open"
delay = "1s"
open_for = "2s"
[[rule]]
fault = "cut_at_marker"
marker = "COMMIT"
when = "answered"
then = "swallow"
)");
    ASSERT_THAT(words(reading.problems), IsEmpty());
    EXPECT_EQ(reading.plan.rules[0].then, chaos::Then::half_open);
    EXPECT_EQ(reading.plan.rules[0].delay, 1s);
    EXPECT_EQ(reading.plan.rules[0].open_for, 2s);
    EXPECT_EQ(reading.plan.rules[1].when, chaos::When::answered);
    EXPECT_EQ(reading.plan.rules[1].then, chaos::Then::swallow);
}

TEST(ChaosPlanFile, explains_mistakes_with_their_line_and_the_fix) {
    struct Row {
        const char* text;
        const char* where;
        const char* word;
    };
    const std::vector<Row> rows{
        {"x = ", "1:", "no TOML"},
        {"protocol = \"udp\"", "1:", "`http` or `tcp`"},
        {"seed = -1", "1:", "whole number"},
        {"sead = 1", "1:", "did you mean `seed`?"},
        {"rule = 3", "1:", "[[rule]]"},
        {"[[rule]]\nname = \"a\"", "1:", "`rule.fault` is missing; it is `delay`"},
        {"[[rule]]\nfault = \"reset_afer\"", "2:", "did you mean `reset_after`?"},
        {"[[rule]]\nfault = 7", "2:", "is none"},
        {"[[rule]]\nfault = \"delay\"\ndelay = 5", "3:", "no unit"},
        {"[[rule]]\nfault = \"delay\"", "1:", "how long"},
        {"[[rule]]\nfault = \"delay\"\nstatus = 503", "3:", "`rule.status` is no key"},
        {"[[rule]]\nfault = \"reset_after\"\nmatch = { probability = 5 }", "3:", "from 0 to 1"},
        {"[[rule]]\nfault = \"reset_after\"\nmatch = { from = 0 }", "3:", "whole number"},
        {"[[rule]]\nfault = \"reset_after\"\nmatch = { methods = \"GET\" }", "3:", "`method`"},
        {"[[rule]]\nfault = \"inject\"\nheaders = { a = 1 }", "3:", "no text"},
        {"[[rule]]\nfault = \"inject\"\nstatus = 99", "3:", "from 200 to 999"},
        {"[[rule]]\nfault = \"replace_reply\"\nstatus = 99", "3:", "from 200 to 999"},
        {"protocol = \"tcp\"\n[[rule]]\nfault = \"replace_reply\"", "2:", "only an HTTP reply"},
        {"[[rule]]\nfault = \"cut_at_marker\"", "1:", "marker"},
        {"[[rule]]\nfault = \"cut_at_marker\"\nmarker = \"A\"\nwhen = \"now\"", "4:", "`after`"},
        {"[[rule]]\nfault = \"rewrite\"", "1:", "`rule.rewrite` is missing"},
        {"[[rule]]\nfault = \"drip\"\ndelay = \"1s\"\ntoward = \"me\"", "4:", "`client`"},
        {"protocol = \"tcp\"\n[[rule]]\nfault = \"inject\"\nmatch = { path = \"/\" }",
         "2:", "of HTTP"},
    };
    for (const Row& row : rows) {
        const std::string said = words(read_plan(row.text).problems);
        EXPECT_THAT(said, StartsWith(row.where)) << row.text;
        EXPECT_THAT(said, HasSubstr(row.word)) << row.text;
    }
}

TEST(ChaosPlanFile, has_a_bound) {
    std::string text;
    for (int i = 0; i < 101; ++i) text += "[[rule]]\nfault = \"reset_after\"\n";
    EXPECT_THAT(words(read_plan(text).problems), HasSubstr("at most 100"));
}

TEST(ChaosPlanFile, is_sound_in_every_plan_that_comes_along) {
    int plans = 0;
    for (const auto& entry : std::filesystem::directory_iterator{PERDURE_PLANS}) {
        std::ifstream file{entry.path()};
        const std::string text{std::istreambuf_iterator<char>{file}, {}};
        const PlanReading reading = read_plan(text);
        EXPECT_THAT(words(reading.problems), IsEmpty()) << entry.path();
        EXPECT_FALSE(reading.plan.rules.empty()) << entry.path();
        ++plans;
    }
    EXPECT_GE(plans, 4);
}

TEST(ChaosFlag, becomes_a_rule_of_one_word) {
    EXPECT_EQ(rule_from_flag("reset-after:5%")->match.probability, 0.05);
    EXPECT_EQ(rule_from_flag("reset_after")->match.probability, 1);
    EXPECT_EQ(rule_from_flag("delay:10%:200ms")->delay, 200ms);
    EXPECT_EQ(rule_from_flag("drip:3:1s")->bytes, 3);
    EXPECT_EQ(rule_from_flag("drip:3:1s")->delay, 1s);
    EXPECT_EQ(rule_from_flag("inject:429:1.5%")->status, 429);
    EXPECT_EQ(rule_from_flag("replace-reply:500:10%")->status, 500);
    EXPECT_EQ(rule_from_flag("close-after:0")->bytes, 0);
    EXPECT_EQ(rule_from_flag("refuse:2s")->closed_for, 2s);
    EXPECT_EQ(rule_from_flag("cut-at-marker:COMMIT:after")->when, chaos::When::after);
    EXPECT_EQ(rule_from_flag("cut-at-marker:COMMIT")->marker, "COMMIT");
}

TEST(ChaosFlag, is_refused_with_what_to_write) {
    struct Row {
        const char* text;
        const char* word;
    };
    const std::vector<Row> rows{
        {"", "is no fault"},
        {"reset-afer", "did you mean `reset_after`?"},
        {"reset-after:", "5%"},
        {"reset-after:105%", "5%"},
        {"reset-after:-5%", "5%"},
        {"reset-after:nan%", "5%"},
        {"reset-after:200ms", "5%"},
        {"delay", "delay:200ms"},
        {"delay:5", "delay:200ms"},
        {"inject:99", "inject:503"},
        {"inject:5000", "inject:503"},
        {"replace-reply:99", "replace-reply:500"},
        {"drip:1", "drip:1:1s"},
        {"cut-at-marker:after", "COMMIT"},
        {"cut-at-marker:A:B", "COMMIT"},
        {"rewrite", "--plan FILE"},
    };
    for (const Row& row : rows) {
        const auto rule = rule_from_flag(row.text);
        ASSERT_FALSE(rule) << row.text;
        EXPECT_THAT(rule.error().message, HasSubstr(row.word)) << row.text;
    }
}

}  // namespace
}  // namespace tool
