// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/story.hpp"

#include <gtest/gtest.h>

#include <map>

namespace perdure::cosmos {
namespace {

Leg leg(int number, std::string region, Reason reason = Reason::retry) {
    Leg one;
    one.number = number;
    one.reason = reason;
    one.region = std::move(region);
    one.endpoint = "host:443";
    return one;
}

Story told() {
    Story story;
    story.begin({.operation = "ReadItem",
                 .database = "shop",
                 .container = "orders",
                 .consistency = "Session"});
    story.add(leg(1, "East US", Reason::initial));
    story.note_answer(1, {429, 3200}, 0.5, 20ms);
    story.add(leg(2, "East US"));
    story.note_answer(2, {503}, 0, {});
    story.add(leg(3, "West US", Reason::other_region));
    story.note_answer(3, {200}, 2.25, {});
    return story;
}

TEST(Story, knows_where_the_call_has_been_and_what_it_cost) {
    const Story story = told();
    EXPECT_EQ(story.regions(), (std::vector<std::string>{"East US", "West US"}));
    EXPECT_DOUBLE_EQ(story.charge(), 2.75);
    EXPECT_EQ(story.throttled(), 1);
    EXPECT_EQ(story.last_retry_after(), 20ms);
    EXPECT_EQ(story.contended(), 0);
    ASSERT_EQ(story.legs().size(), 3u);
    EXPECT_EQ(story.legs()[0].code, (StatusCode{429, 3200}));
    EXPECT_EQ(story.legs()[2].reason, Reason::other_region);
}

TEST(Story, counts_contention_on_one_item) {
    Story story;
    story.begin({.operation = "ReplaceItem"});
    for (int i = 1; i <= 3; ++i) {
        story.add(leg(i, "East US"));
        story.note_answer(i, {449}, 1, {});
    }
    EXPECT_EQ(story.contended(), 3);
    EXPECT_EQ(story.throttled(), 0);
}

TEST(Story, keeps_the_first_and_the_last_attempts_of_a_long_call) {
    Story story;
    story.begin({.operation = "ReadItem"});
    for (int i = 1; i <= 40; ++i) {
        story.add(leg(i, "East US"));
        story.note_answer(i, {429}, 0.25, 1ms);
    }
    std::vector<int> kept;
    for (const Leg& one : story.legs()) kept.push_back(one.number);
    EXPECT_EQ(kept, (std::vector{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 36, 37, 38, 39, 40}));
    EXPECT_EQ(story.left_out(), 25u);
    EXPECT_DOUBLE_EQ(story.charge(), 10);
    EXPECT_EQ(story.throttled(), 40);
    EXPECT_EQ(story.find(20), nullptr);
    ASSERT_NE(story.find(38), nullptr);
    EXPECT_EQ(story.find(38)->number, 38);
}

TEST(Story, begins_anew_for_the_next_call) {
    Story story = told();
    story.begin({.operation = "QueryItems", .database = "d"});
    EXPECT_TRUE(story.legs().empty());
    EXPECT_TRUE(story.regions().empty());
    EXPECT_EQ(story.charge(), 0);
    EXPECT_EQ(story.throttled(), 0);
    EXPECT_EQ(story.last_retry_after(), 0ns);
}

TEST(Story, is_told_as_json) {
    Story story = told();
    story.find(3)->activity_id = "4b1d";
    story.find(3)->server_time = 1500us;
    const std::string json = story.to_json();
    EXPECT_TRUE(json.starts_with(
        R"({"service":"cosmos","operation":"ReadItem","database":"shop","container":"orders",)"
        R"("consistency":"Session","request_units":2.75,"throttled":1,)"
        R"("last_retry_after_ns":20000000,"regions":["East US","West US"],"legs_left_out":0,"legs":[)"
        R"({"number":1,"reason":"initial","region":"East US","endpoint":"host:443",)"
        R"("code":"429/3200","request_units":0.5},)"))
        << json;
    EXPECT_NE(json.find(R"({"number":3,"reason":"other_region","region":"West US",)"
                        R"("endpoint":"host:443","code":"200","request_units":2.25,)"
                        R"("activity_id":"4b1d","server_time_ns":1500000}],"call":{)"),
              std::string::npos)
        << json;
    EXPECT_TRUE(json.ends_with("}}")) << json;
}

TEST(Story, stays_bounded_whatever_it_is_told) {
    Story story;
    const std::string endless(100'000, '"');
    story.begin({.operation = endless, .database = endless, .container = endless});
    for (int i = 1; i <= 1000; ++i) {
        Leg one = leg(i, endless);
        one.endpoint = one.activity_id = endless;
        story.add(std::move(one));
    }
    EXPECT_EQ(story.legs().size(), 15u);
    EXPECT_LT(story.to_json().size(), 32'768u);
}

TEST(Story, has_the_attributes_that_opentelemetry_names) {
    const auto list = told().attributes();
    const std::map<std::string, std::string> all{list.begin(), list.end()};
    EXPECT_EQ(all.size(), list.size()) << "a name stands there twice";
    const std::map<std::string, std::string> want{{"db.system.name", "azure.cosmosdb"},
                                                  {"db.operation.name", "ReadItem"},
                                                  {"db.namespace", "shop"},
                                                  {"db.collection.name", "orders"},
                                                  {"db.response.status_code", "200"},
                                                  {"db.cosmosdb.sub_status_code", "0"},
                                                  {"db.cosmosdb.request_charge", "2.75"},
                                                  {"db.cosmosdb.consistency_level", "Session"},
                                                  {"cloud.region", "East US,West US"},
                                                  {"network.protocol.name", "http"}};
    EXPECT_EQ(all, want);
}

TEST(Story, names_every_reason) {
    for (int i = 0; i <= static_cast<int>(Reason::question); ++i)
        EXPECT_NE(to_string(static_cast<Reason>(i)), "unknown");
}

}  // namespace
}  // namespace perdure::cosmos
