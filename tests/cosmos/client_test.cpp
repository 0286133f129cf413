// SPDX-License-Identifier: Apache-2.0
//
// What does a client know of its account, where does it send its calls, and what does it tell?
#include "cosmos/staged.hpp"

#include <atomic>
#include <mutex>

namespace perdure::cosmos {
namespace {

using Names = std::vector<std::string>;

class CosmosClient : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Both, CosmosClient, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

TEST_P(CosmosClient, reads_the_account_once_for_all_its_calls) {
    Stage stage;
    Client client{stage.options_for()};
    EXPECT_TRUE(client.read_regions().empty());
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(ask(client, read_of("known")));
    stage.told();
    EXPECT_EQ(stage.account_reads(), 1u);
    EXPECT_EQ(client.read_regions(), (Names{"East US", "West US"}));
}

TEST_P(CosmosClient, writes_reads_changes_and_deletes_an_item) {
    Stage stage;
    Client client{stage.options_for()};
    const auto made = ask(client, create_of("1").returning_item());
    ASSERT_TRUE(made) << to_string(made.error());
    EXPECT_NE(made->json.find("\"_etag\""), std::string::npos);
    const auto read = ask(client, read_of("1"));
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(read->etag, made->etag);
    const auto replaced = ask(
        client, ReplaceItem{orders, "1", PartitionKey{"A"}, item_json("1", R"(,"n":1)")}.if_match(
                    read->etag));
    ASSERT_TRUE(replaced) << to_string(replaced.error());
    EXPECT_NE(replaced->etag, read->etag);
    const auto stale = ask(
        client, ReplaceItem{orders, "1", PartitionKey{"A"}, item_json("1")}.if_match(read->etag));
    ASSERT_FALSE(stale);
    EXPECT_EQ(stale.error().code, "412");
    ASSERT_TRUE(ask(client, DeleteItem{orders, "1", PartitionKey{"A"}}));
    const auto gone = ask(client, FindItem{orders, "1", PartitionKey{"A"}});
    ASSERT_TRUE(gone) << to_string(gone.error());
    EXPECT_FALSE(*gone);
}

TEST_P(CosmosClient, goes_to_the_regions_the_user_prefers) {
    Stage stage{account_of(3)};
    ClientOptions options = stage.options_for();
    options.preferred = {"northeurope", "West US"};
    Client client{options};
    ASSERT_TRUE(ask(client, read_of("known")));
    ASSERT_TRUE(ask(client, create_of("1")));
    EXPECT_EQ(stage.told(), "North Europe 200, East US 201");
}

TEST_P(CosmosClient, keeps_away_from_excluded_regions) {
    Stage stage{account_of(3)};
    ClientOptions options = stage.options_for();
    options.excluded = {"East US"};
    Client client{options};
    ASSERT_TRUE(ask(client, read_of("known")));
    ASSERT_TRUE(ask(client, read_of("known"), {.excluded = {"west us"}}));
    EXPECT_EQ(stage.told(), "West US 200, North Europe 200");
    // None left is no choice, and only one region takes writes.
    ASSERT_TRUE(ask(client, read_of("known"), {.excluded = {"West US", "North Europe"}}));
    EXPECT_EQ(stage.told(), "West US 200");
    ASSERT_TRUE(ask(client, create_of("1"), {.excluded = {"East US"}}));
    EXPECT_EQ(stage.told(), "East US 201");
}

TEST_P(CosmosClient, keeps_to_its_endpoint_if_it_is_told_to) {
    Stage stage;
    Plan plan = quick();
    for (NamedRule& named : plan.rules) named.rule.attempts = 3;
    ClientOptions options = stage.options_for(plan);
    options.endpoint = stage->endpoint("West US");
    options.discovery = Discovery::endpoint_only;
    Client client{options};
    ASSERT_TRUE(ask(client, read_of("known")));
    EXPECT_EQ(stage.told(), "West US 200");
    EXPECT_EQ(stage.account_reads(), 0u);
    stage->set("West US", RegionState::retired).value();
    const auto read = ask(client, read_of("known"));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, "403/1008");
    EXPECT_EQ(stage.told().find("East US"), std::string::npos);
    EXPECT_EQ(stage.account_reads(), 0u);
}

TEST_P(CosmosClient, writes_in_its_own_region_where_all_take_writes) {
    Stage stage{multi_write_account(2)};
    ClientOptions options = stage.options_for();
    options.preferred = {"West US", "East US"};
    Client client{options};
    ASSERT_TRUE(ask(client, create_of("1")));
    ASSERT_TRUE(ask(client, read_of("1")));
    EXPECT_EQ(stage.told(), "West US 201, West US 200");

    options.writes = Writes::first_region;
    Client modest{options};
    ASSERT_TRUE(ask(modest, create_of("2")));
    EXPECT_EQ(stage.told(), "East US 201");
}

TEST_P(CosmosClient, starts_without_the_global_endpoint_if_a_region_was_named_before) {
    Stage stage;
    Client client{stage.options_for()};
    ASSERT_TRUE(ask(client, read_of("known")));
    stage->set("global", RegionState::refusing).value();
    stage->fail_over("West US", chaos::FailOver::caught_up).value();
    stage.told();
    ASSERT_TRUE(ask(client, create_of("1")));
    EXPECT_EQ(stage.told(), "East US 403/3, West US 201");
    EXPECT_EQ(client.write_regions().front(), "West US");
}

TEST_P(CosmosClient, says_that_the_account_could_not_be_read) {
    Stage stage;
    stage->set("global", RegionState::refusing).value();
    Client client{stage.options_for()};
    const auto made = ask(client, create_of("1"), {.deadline = within(1s)});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().effect, Effect::none) << to_string(made.error());
    if (made.error().code != "not-ready") {
        EXPECT_NE(made.error().message.find("account"), std::string::npos)
            << to_string(made.error());
    }
    stage->set("global", RegionState::up).value();
    const auto later = ask(client, create_of("1"));
    EXPECT_TRUE(later) << to_string(later.error());
}

TEST_P(CosmosClient, tells_the_whole_story_of_a_call) {
    Stage stage;
    Client client{stage.options_for()};
    ASSERT_TRUE(ask(client, read_of("known")));
    stage->plan({{.region = "East US", .resource = "docs", .status = 503, .substatus = 21008}});
    stage.told();
    Story story;
    ASSERT_TRUE(ask(client, read_of("known"), {.story = &story}));
    stage.told();
    const auto items = stage.items();
    ASSERT_EQ(story.legs().size(), 2u);
    ASSERT_EQ(items.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(story.legs()[i].activity_id, items[i].activity_id);
        EXPECT_EQ(story.legs()[i].region, items[i].region);
        EXPECT_GT(story.legs()[i].charge, 0);
    }
    EXPECT_NE(items[0].activity_id, items[1].activity_id);
    EXPECT_EQ(story.legs()[0].code, (StatusCode{503, 21008}));
    EXPECT_EQ(story.legs()[0].reason, Reason::initial);
    EXPECT_EQ(story.legs()[1].reason, Reason::other_region);
    EXPECT_EQ(story.regions(), (Names{"East US", "West US"}));
    EXPECT_EQ(story.call.attempts_made(), 2u);
    EXPECT_TRUE(story.call.succeeded());
    EXPECT_DOUBLE_EQ(story.charge(), story.legs()[0].charge + story.legs()[1].charge);
    const std::string json = story.to_json();
    for (const std::string_view word : {"West US", "503/21008", "other_region", "ReadItem"})
        EXPECT_NE(json.find(word), std::string::npos) << json;
}

TEST_P(CosmosClient, shows_calls_that_took_long) {
    Stage stage;
    std::mutex mutex;
    Names shown;
    ClientOptions options = stage.options_for();
    options.slow = {.point = 60ms, .other = 1h, .show = [&](const Story& story) {
                        const std::lock_guard held{mutex};
                        shown.push_back(story.to_json());
                    }};
    Client client{options};
    ASSERT_TRUE(ask(client, read_of("known")));
    stage->plan({{.resource = "docs", .delay = 80ms}});
    ASSERT_TRUE(ask(client, Query{orders, "SELECT * FROM c"}.in(PartitionKey{"A"})));
    EXPECT_TRUE(shown.empty());
    ASSERT_TRUE(ask(client, read_of("known")));
    ASSERT_EQ(shown.size(), 1u);
    EXPECT_NE(shown[0].find("ReadItem"), std::string::npos) << shown[0];
    Story own;
    ASSERT_TRUE(ask(client, read_of("known"), {.story = &own}));
    EXPECT_EQ(shown.size(), 2u);
}

TEST_P(CosmosClient, is_done_by_its_deadline_in_a_region_that_never_answers) {
    Stage stage{account_of(1)};
    Client client{stage.options_for()};
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(ask(client, read_of("known")));
    stage->set("East US", RegionState::black_hole).value();
    const TimePoint began = system_clock().now();
    Story story;
    const auto read = ask(client, read_of("known"), {.deadline = within(300ms), .story = &story});
    const Duration took = system_clock().now() - began;
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().cause, Cause::timed_out);
    EXPECT_LE(took, 800ms);
    EXPECT_GE(story.call.attempts_made(), 2u);  // no attempt has more than a third of the time
    for (const AttemptRecord& attempt : story.call.attempts()) EXPECT_LE(attempt.took, 250ms);
}

TEST_P(CosmosClient, reads_elsewhere_while_a_region_never_answers) {
    Stage stage;
    Client client{stage.options_for()};
    ASSERT_TRUE(ask(client, read_of("known")));
    stage->set("East US", RegionState::black_hole).value();
    stage.told();
    for (int i = 0; i < 6; ++i) {
        const auto read = ask(client, read_of("known"), {.deadline = within(600ms)});
        ASSERT_TRUE(read) << to_string(read.error());
    }
    // Timeouts that have waited for a second together mark it.
    EXPECT_EQ(client.read_regions(), (Names{"West US", "East US"}));
}

// Connections that fell silent with it stay so.
TEST_P(CosmosClient, returns_to_a_region_that_is_back) {
    for (const RegionState lost : {RegionState::refusing, RegionState::black_hole}) {
        Stage stage;
        ClientOptions options = stage.options_for();
        options.regions.probe_every = 10ms;
        options.regions.timeouts_to_mark = 1;
        Client client{options};
        for (int i = 0; i < 2; ++i) ASSERT_TRUE(ask(client, read_of("known")));
        stage->set("East US", lost).value();
        for (int i = 0; i < 6; ++i)
            ASSERT_TRUE(ask(client, read_of("known"), {.deadline = within(600ms)}));
        EXPECT_EQ(client.read_regions().front(), "West US");
        stage->set("East US", RegionState::up).value();
        const TimePoint end = system_clock().now() + 20s;
        while (client.read_regions().front() != "East US" && system_clock().now() < end)
            ASSERT_TRUE(ask(client, read_of("known")));
        stage.told();
        ASSERT_TRUE(ask(client, read_of("known")));
        EXPECT_EQ(stage.told(), "East US 200");
    }
}

TEST(CosmosTwins, are_reported_once) {
    Stage stage;
    std::atomic<int> told = 0;
    ClientOptions options = stage.options_for();
    options.notice = [&](const std::string& text) {
        EXPECT_NE(text.find("another client"), std::string::npos) << text;
        ++told;
    };
    Client first{options};
    EXPECT_FALSE(first.twin());
    {
        Client second{options};
        EXPECT_TRUE(second.twin());
        Client third{options};
        EXPECT_TRUE(third.twin());
    }
    EXPECT_EQ(told, 1);
    const Stage other;
    ClientOptions elsewhere = other.options_for();
    EXPECT_FALSE(Client{elsewhere}.twin());
}

}  // namespace
}  // namespace perdure::cosmos
