// SPDX-License-Identifier: Apache-2.0
//
// What does a call do after each refusal: where does it go, how often, and what is its caller told?
#include "cosmos/staged.hpp"

#include "perdure/cosmos/pages.hpp"

namespace perdure::cosmos {
namespace {

class CosmosTalk : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Both, CosmosTalk, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

TEST_P(CosmosTalk, moves_a_write_to_the_region_that_takes_it_after_a_failover) {
    Stage stage{account_of(3)};
    Client client{stage.options_for()};
    ASSERT_TRUE(ask(client, create_of("1")));
    stage->fail_over("West US", chaos::FailOver::caught_up).value();
    stage.told();
    Story story;
    const auto made = ask(client, create_of("2"), {.story = &story});
    ASSERT_TRUE(made) << to_string(made.error());
    EXPECT_EQ(stage.told(), "East US 403/3, West US 201");
    EXPECT_EQ(stage.account_reads(), 1u);
    EXPECT_EQ(client.write_regions().front(), "West US");
    EXPECT_EQ(stage.times_written("2"), 1u);
    EXPECT_EQ(story.regions(), (std::vector<std::string>{"East US", "West US"}));
    ASSERT_TRUE(ask(client, create_of("3")));
    EXPECT_EQ(stage.told(), "West US 201");
}

// The document goes on naming the old region, as it may for minutes.
TEST_P(CosmosTalk, finds_the_write_region_although_the_account_names_another) {
    Stage stage{account_of(3)};
    Client client{stage.options_for()};
    ASSERT_TRUE(ask(client, create_of("1")));
    stage->plan({{.region = "East US", .kind = RequestKind::write, .status = 403, .substatus = 3}});
    stage->fail_over("North Europe", chaos::FailOver::caught_up).value();
    stage->flap(1min);
    stage.told();
    const auto made = ask(client, create_of("2"));
    ASSERT_TRUE(made) << to_string(made.error());
    EXPECT_EQ(stage.times_written("2"), 1u);
    ASSERT_TRUE(ask(client, create_of("3")));
    stage.told();
    ASSERT_TRUE(ask(client, create_of("4")));
    EXPECT_EQ(stage.told(), "North Europe 201");
}

TEST_P(CosmosTalk, leaves_a_region_that_is_no_region_of_the_account_any_more) {
    Stage stage;
    Client client{stage.options_for()};
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(ask(client, read_of("known")));
    stage->set("East US", RegionState::retired).value();
    stage.told();
    ASSERT_TRUE(ask(client, read_of("known")));
    EXPECT_EQ(stage.told(), "East US 403/1008, West US 200");
    EXPECT_EQ(stage.account_reads(), 1u);
    ASSERT_TRUE(ask(client, read_of("known")));
    EXPECT_EQ(stage.told(), "West US 200");
}

TEST_P(CosmosTalk, asks_the_write_region_with_its_token_when_another_is_behind) {
    Stage stage;
    ClientOptions options = stage.options_for();
    options.preferred = {"West US", "East US"};
    Client client{options};
    stage->replicate("West US", never).value();
    ASSERT_TRUE(ask(client, create_of("1")));
    stage.told();
    Story story;
    const auto read = ask(client, read_of("1"), {.story = &story});
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(stage.told(), "West US 404/1002, East US 200");
    const auto items = stage.items();
    ASSERT_EQ(items.size(), 2u);
    EXPECT_FALSE(items[0].session_token.empty());
    EXPECT_EQ(items[1].session_token, items[0].session_token);
    EXPECT_EQ(story.legs()[1].reason, Reason::write_region);
    // What was not seen here needs no detour.
    ASSERT_TRUE(ask(client, read_of("1"), {.session = "0:-1#0"}).error().cause == Cause::not_found);
}

TEST_P(CosmosTalk, asks_every_region_once_where_all_take_writes) {
    Stage stage{multi_write_account(3)};
    Client client{stage.options_for()};
    ASSERT_TRUE(ask(client, read_of("known")));
    stage->plan({{.resource = "docs", .status = 404, .substatus = 1002}});
    stage.told();
    const auto read = ask(client, read_of("known"));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, "404/1002");
    EXPECT_EQ(stage.told(), "East US 404/1002, West US 404/1002, North Europe 404/1002");
}

TEST_P(CosmosTalk, waits_as_long_as_the_service_asks_when_it_is_throttled) {
    Stage stage;
    Client client{stage.options_for()};
    stage->plan(
        {{.resource = "docs", .to = 2, .status = 429, .substatus = 3200, .retry_after = 40ms}});
    Story story;
    const auto made = ask(client, create_of("1"), {.story = &story});
    ASSERT_TRUE(made) << to_string(made.error());
    EXPECT_EQ(stage.told(), "East US 429/3200, East US 429/3200, East US 201");
    const auto items = stage.items();
    EXPECT_GE(items[1].at - items[0].at, 40ms);
    EXPECT_GE(items[2].at - items[1].at, 40ms);
    EXPECT_EQ(story.throttled(), 2);
    EXPECT_EQ(story.last_retry_after(), 40ms);
    EXPECT_EQ(stage.times_written("1"), 1u);
}

TEST_P(CosmosTalk, gives_up_after_ten_throttled_attempts_and_says_what_was_asked_for) {
    Stage stage;
    Client client{stage.options_for()};
    stage->plan({{.resource = "docs", .status = 429, .substatus = 3200, .retry_after = 1ms}});
    Story story;
    const auto read = ask(client, read_of("known"), {.story = &story});
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().cause, Cause::throttled);
    EXPECT_EQ(read.error().effect, Effect::none);
    EXPECT_EQ(read.error().code, "429/3200");
    EXPECT_EQ(read.error().stop, Stop::attempts);
    EXPECT_EQ(read.error().attempts, 10);
    EXPECT_EQ(read.error().retry_after, 1ms);
    EXPECT_EQ(story.throttled(), 10);
    EXPECT_EQ(stage.told().find("West US"), std::string::npos);
}

TEST_P(CosmosTalk, tries_again_where_others_change_the_same_item) {
    chaos::GatewayOptions account = account_of(2);
    account.record_headers = {"x-ms-noretry-449"};
    Stage stage{account};
    Client client{stage.options_for()};
    stage->plan({{.kind = RequestKind::write, .to = 3, .status = 449}});
    Story story;
    const auto made = ask(client, create_of("1"), {.story = &story});
    ASSERT_TRUE(made) << to_string(made.error());
    EXPECT_EQ(stage.told(), "East US 449, East US 449, East US 449, East US 201");
    EXPECT_EQ(story.contended(), 3);
    for (const auto& item : stage.items()) {
        ASSERT_EQ(item.headers.size(), 1u);
        EXPECT_EQ(item.headers[0].second, "True");
    }
}

TEST_P(CosmosTalk, lives_through_a_split) {
    Stage stage;
    Client client{stage.options_for()};
    ASSERT_TRUE(ask(client, create_of("1")));
    ASSERT_TRUE(ask(client, read_of("1")));
    stage->split({.database = "shop", .container = "orders", .requests = 2}).value();
    stage.told();
    const auto made = ask(client, create_of("2"));
    ASSERT_TRUE(made) << to_string(made.error());
    EXPECT_EQ(stage.told(), "East US 410/1007, East US 410/1007, East US 201");
    EXPECT_EQ(stage.times_written("2"), 1u);
    ASSERT_TRUE(ask(client, read_of("1")));
    ASSERT_TRUE(ask(client, read_of("2")));
    stage.told();
    const std::string token = stage.items().back().session_token;
    EXPECT_EQ(token.find(','), std::string::npos) << token;  // of one child, not of all ranges
    EXPECT_NE(token.substr(0, 2), "0:") << token;
}

// The write's answer names a range of which the client has not heard yet.
TEST_P(CosmosTalk, reads_what_it_wrote_right_after_a_split) {
    Stage stage;
    ClientOptions options = stage.options_for();
    options.preferred = {"West US", "East US"};
    Client client{options};
    ASSERT_TRUE(ask(client, create_of("1")));
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(ask(client, read_of("1")));
    stage->split({.database = "shop", .container = "orders"}).value();
    stage->replicate("West US", never).value();
    ASSERT_TRUE(ask(client, create_of("2")));
    stage.told();
    const auto read = ask(client, read_of("2"));
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(stage.told(), "West US 404/1002, East US 200");
}

TEST_P(CosmosTalk, walks_on_where_a_partition_is_split_between_two_pages) {
    Stage stage;
    Client client{stage.options_for()};
    for (int i = 0; i < 20; ++i) {
        const std::string pk = "p" + std::to_string(i);
        ASSERT_TRUE(
            ask(client, CreateItem{orders, R"({"id":"1","pk":")" + pk + "\"}", PartitionKey{pk}}));
    }
    Pages walk = pages(client, Query{orders, "SELECT * FROM c"}.page_size(3));
    std::size_t found = 0;
    int turns = 0;
    for (;;) {
        auto page = GetParam() == Way::blocking
                        ? walk.next()
                        : block_on(net::default_reactor(), walk.start_next());
        ASSERT_TRUE(page) << to_string(page.error());
        if (!*page) break;
        found += (*page)->documents.size();
        if (++turns == 2) stage->split({.database = "shop", .container = "orders"}).value();
    }
    EXPECT_EQ(found, 21u);
    EXPECT_NE(stage.told().find("410/1002"), std::string::npos);
}

TEST_P(CosmosTalk, takes_reads_elsewhere_at_once_where_the_service_is_broken) {
    for (const int status : {503, 500, 408, 502, 504}) {
        Stage stage;
        Client client{stage.options_for()};
        ASSERT_TRUE(ask(client, read_of("known")));
        stage->plan({{.region = "East US", .resource = "docs", .status = status}});
        stage.told();
        const auto read = ask(client, read_of("known"));
        ASSERT_TRUE(read) << to_string(read.error());
        EXPECT_EQ(stage.told(), "East US " + std::to_string(status) + ", West US 200");
        EXPECT_EQ(client.read_regions().front(), "East US");  // once is no sign
        for (int i = 0; i < 2; ++i) ASSERT_TRUE(ask(client, read_of("known")));
        stage.told();
        EXPECT_EQ(client.read_regions().front(), "West US") << status;  // three in a row are
        ASSERT_TRUE(ask(client, read_of("known")));
        EXPECT_EQ(stage.told(), "West US 200");
    }
}

TEST_P(CosmosTalk, repeats_a_write_only_where_it_was_surely_not_processed) {
    Stage stage;
    Client client{stage.options_for()};
    ASSERT_TRUE(ask(client, read_of("known")));
    stage->plan({{.kind = RequestKind::write, .to = 2, .status = 503}});
    stage.told();
    ASSERT_TRUE(ask(client, create_of("503")));
    EXPECT_EQ(stage.told(), "East US 503, East US 503, East US 201");
    for (const int status : {500, 408, 502, 504}) {
        stage->plan({{.kind = RequestKind::write, .status = status}});
        const auto made = ask(client, create_of(std::to_string(status)));
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().effect, Effect::unknown) << status;
        EXPECT_EQ(made.error().stop, Stop::unsafe) << status;
        EXPECT_EQ(stage.told(), "East US " + std::to_string(status));
    }
}

TEST_P(CosmosTalk, takes_writes_elsewhere_where_all_regions_take_them) {
    Stage stage{multi_write_account(2)};
    Client client{stage.options_for()};
    ASSERT_TRUE(ask(client, read_of("known")));
    stage->plan({{.region = "East US", .kind = RequestKind::write, .status = 503}});
    stage.told();
    ASSERT_TRUE(ask(client, create_of("1")));
    EXPECT_EQ(stage.told(), "East US 503, West US 201");
}

// Not by a coroutine: `start` has a copy of the request.
TEST(CosmosAmending, helps_a_write_to_a_full_partition) {
    Stage stage;
    Client client{stage.options_for()};
    stage->plan({{.path = "*/docs", .to = 1, .status = 403, .substatus = 1014}});
    UpsertItem write{orders, item_json("1"), PartitionKey{"A"}};
    int asked = 0;
    const auto elsewhere = [&](const Failure& failure) {
        EXPECT_EQ(failure.code, "403/1014");
        ++asked;
        write = UpsertItem{orders, R"({"id":"1","pk":"B"})", PartitionKey{"B"}};
        return true;
    };
    const auto made = client.send(write, {.amend = elsewhere});
    ASSERT_TRUE(made) << to_string(made.error());
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(stage.told(), "East US 403/1014, East US 201");
    EXPECT_EQ(stage->writes({"shop", "orders", R"(["B"])", "1"}).size(), 1u);
}

TEST_P(CosmosTalk, does_not_repeat_what_will_be_refused_again) {
    Stage stage;
    Client client{stage.options_for()};
    ASSERT_TRUE(ask(client, read_of("known")));
    const struct {
        int status, substatus;
        Cause cause;
    } cases[] = {{400, 0, Cause::invalid},      {401, 0, Cause::forbidden},
                 {403, 0, Cause::forbidden},    {403, 1014, Cause::forbidden},
                 {403, 5300, Cause::forbidden}, {409, 0, Cause::conflict},
                 {412, 0, Cause::conflict},     {413, 0, Cause::too_large}};
    for (const auto& [status, substatus, cause] : cases) {
        stage->plan({{.kind = RequestKind::write, .status = status, .substatus = substatus}});
        stage.told();
        const auto made = ask(client, create_of("1"));
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().effect, Effect::none);
        EXPECT_EQ(made.error().stop, Stop::permanent);
        if (status != 403 || substatus != 1014) {
            EXPECT_EQ(made.error().cause, cause) << to_string(made.error());
        }
        stage.told();
        EXPECT_EQ(stage.items().size(), 1u) << status << '/' << substatus;
    }
}

}  // namespace
}  // namespace perdure::cosmos
