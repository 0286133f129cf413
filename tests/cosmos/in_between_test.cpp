// SPDX-License-Identifier: Apache-2.0
//
// What goes wrong between two things that each are right: a split between a write and a read, a write
// that may have landed in a region that is not asked, somebody on the way who answers too.
#include <string>

#include "http/server.hpp"
#include "perdure/cosmos/modify.hpp"
#include "perdure/cosmos/pages.hpp"
#include "staged.hpp"

namespace perdure::cosmos {
namespace {

using chaos::FaultEnding;
using chaos::Strikes;

UpsertItem version(int number) {
    return {orders, item_json("1", R"(,"v":)" + std::to_string(number)), PartitionKey{"A"}};
}

// A read region that is behind, and is preferred.
class Behind : public ::testing::Test {
protected:
    static ClientOptions prefers_west(const Stage& stage) {
        ClientOptions options = stage.options_for();
        options.preferred = {"West US", "East US"};
        return options;
    }
    // By somebody else; it has one item, of another version.
    static void make_anew(Stage& stage) {
        Client other{stage.options_for()};
        ASSERT_TRUE(other.send(DeleteContainer{orders}));
        ASSERT_TRUE(other.send(CreateContainer{orders, {"/pk"}}));
        ASSERT_TRUE(other.send(version(1)));
        (void)stage.told();
    }
};

TEST_F(Behind, a_read_after_a_split_sees_what_was_written_after_it) {
    Stage stage{account_of(2)};
    Client client{prefers_west(stage)};
    ASSERT_TRUE(client.send(version(1)));
    ASSERT_TRUE(client.send(read_of("1")));  // the ranges are known now
    ASSERT_TRUE(stage->replicate("West US", never));
    ASSERT_TRUE(stage->split({.database = "shop", .container = "orders"}));
    ASSERT_TRUE(client.send(version(2)));
    const auto now = client.send(read_of("1"));
    ASSERT_TRUE(now) << to_string(now.error());
    EXPECT_NE(now->json.find(R"("v":2)"), std::string::npos) << now->json << '\n' << stage.told();
}

TEST_F(Behind, a_container_that_others_made_anew_can_be_read_again) {
    Stage stage{account_of(2)};
    ClientOptions options = prefers_west(stage);
    options.regions.refresh_apart = 0ms;
    Client client{std::move(options)};
    for (int i = 1; i < 20; ++i) ASSERT_TRUE(client.send(version(i)));
    ASSERT_TRUE(client.send(read_of("1")));
    make_anew(stage);
    const auto now = client.send(read_of("1"));
    EXPECT_TRUE(now) << to_string(now.error()) << '\n' << stage.told();
}

TEST_F(Behind, a_container_that_others_made_anew_can_be_read_though_it_was_never_looked_up) {
    Stage stage{account_of(1)};
    ClientOptions options = stage.options_for();
    options.regions.refresh_apart = 0ms;
    Client client{std::move(options)};
    for (int i = 1; i < 20; ++i) ASSERT_TRUE(client.send(version(i)));
    make_anew(stage);
    const auto now = client.send(read_of("1"));
    EXPECT_TRUE(now) << to_string(now.error()) << '\n' << stage.told();
}

TEST(Ambiguous, a_write_that_may_have_landed_elsewhere_is_not_reported_as_none) {
    Stage stage{multi_write_account(2)};
    ASSERT_TRUE(stage->replicate("West US", never));
    Client client{stage.options_for()};
    ASSERT_TRUE(client.send(read_of("known")));
    stage->plan({{.region = "East US",
                  .kind = RequestKind::write,
                  .to = 1,
                  .strikes = Strikes::after_applying,
                  .ending = FaultEnding::reset},
                 {.region = "East US", .resource = "docs", .ending = FaultEnding::reset},
                 {.region = "West US", .kind = RequestKind::write, .status = 503}});
    const auto made = client.send(CreateOnce{orders, item_json("7"), PartitionKey{"A"}},
                                  {.deadline = within(3s)});
    ASSERT_FALSE(made);
    EXPECT_EQ(stage.times_written("7"), 1u);
    EXPECT_EQ(made.error().effect, Effect::unknown) << to_string(made.error()) << '\n'
                                                    << stage.told();
}

// Somebody between us and the service, who has an answer for everything.
ClientOptions through(const http::Server& somebody) {
    ClientOptions options;
    options.endpoint = somebody.url();
    options.key = chaos::emulator_key;
    options.discovery = Discovery::endpoint_only;
    options.plan = quick();
    options.settle = 5ms;
    return options;
}

TEST(Ambiguous, what_somebody_on_the_way_answers_is_no_word_about_an_item) {
    const DeleteItem remove = DeleteItem{orders, "1", PartitionKey{"A"}}.idempotent();
    const struct {
        const char* what;
        http::Reply reply;
        Effect effect;
    } cases[] = {
        {"a path he does not know", http::status(404, "<html>"), Effect::none},
        {"sent to log in", http::status(302, "", "Location: /login\r\n"), Effect::unknown},
        {"a page", http::status(200, "", "ETag: \"1\"\r\n"), Effect::unknown},
    };
    for (const auto& [what, reply, effect] : cases) {
        SCOPED_TRACE(what);
        http::Server somebody{[&](const http::Seen&) { return reply; }};
        Client client{through(somebody)};
        const auto removed = client.send(remove);
        ASSERT_FALSE(removed);
        EXPECT_EQ(removed.error().effect, effect) << to_string(removed.error());
        const auto made = client.send(create_of("1"));
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().effect, effect) << to_string(made.error());
        EXPECT_FALSE(client.send(FindItem{orders, "1", PartitionKey{"A"}}));
    }
}

TEST(Ambiguous, a_lost_write_is_not_settled_by_somebody_on_the_way) {
    http::Server somebody{[](const http::Seen& seen) {
        if (seen.method == "POST") return http::Reply{"", http::Then::reset};
        return http::status(404, "<html>");
    }};
    Client client{through(somebody)};
    const auto made = client.send(CreateOnce{orders, item_json("1"), PartitionKey{"A"}});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().effect, Effect::unknown) << to_string(made.error());
}

TEST(Ambiguous, a_batch_that_failed_in_half_an_answer_is_not_reported_as_applied) {
    Stage stage{account_of(1)};
    Client client{stage.options_for()};
    stage->plan({{.kind = RequestKind::write,
                  .to = 1,
                  .strikes = Strikes::after_applying,
                  .ending = FaultEnding::half_answer}});
    Batch batch{orders, PartitionKey{"A"}};
    batch.create(item_json("b1")).create(item_json("known"));
    const auto done = client.send(batch);
    ASSERT_FALSE(done);
    EXPECT_EQ(stage.times_written("b1"), 0u);
    EXPECT_NE(done.error().effect, Effect::applied) << to_string(done.error()) << stage.told();
}

TEST(Metadata, that_cannot_be_had_is_not_asked_for_by_every_call) {
    Stage stage{account_of(1)};
    Client client{stage.options_for()};
    ASSERT_TRUE(client.send(version(1)));
    stage->plan({{.method = "GET", .resource = "colls", .status = 403}});
    (void)stage->take_records();
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(client.send(read_of("1")));
    int looked_up = 0;
    for (const auto& one : stage->take_records()) looked_up += one.status == 403 ? 1 : 0;
    EXPECT_EQ(looked_up, 1);
}

TEST(Metadata, that_is_old_and_cannot_be_had_is_not_asked_for_by_every_call) {
    Stage stage{account_of(1)};
    Client client{stage.options_for()};
    ASSERT_TRUE(client.send(version(1)));
    ASSERT_TRUE(client.send(read_of("1")));  // the ranges are known now
    ASSERT_TRUE(stage->split({.database = "shop", .container = "orders"}));
    stage->plan({{.method = "GET", .resource = "colls", .status = 403}});
    (void)stage->take_records();
    for (int i = 0; i < 40; ++i) {
        ASSERT_TRUE(client.send(version(i)));
        ASSERT_TRUE(client.send(read_of("1")));
    }
    int looked_up = 0;
    for (const auto& one : stage->take_records()) looked_up += one.status == 403 ? 1 : 0;
    EXPECT_LE(looked_up, 2);
}

// The etag of a feed may be another region's, which answers "nothing new" to it.
TEST(Metadata, that_claims_to_be_new_is_read_from_the_beginning_when_it_is_in_doubt) {
    Stage stage{account_of(1)};
    Client client{stage.options_for()};
    ASSERT_TRUE(client.send(version(1)));
    Pages all = pages(client, Query{orders, "SELECT * FROM c"}.page_size(1));
    ASSERT_TRUE(all.next());
    ASSERT_TRUE(stage->split({.database = "shop", .container = "orders"}));
    stage->plan({{.resource = "pkranges", .to = 1, .status = 304}});
    (void)stage.told();
    const auto page = all.next();
    ASSERT_TRUE(page) << to_string(page.error());
    const std::string told = stage.told();
    EXPECT_EQ(told.find("410"), told.rfind("410")) << told;
}

TEST(Metadata, that_can_be_done_without_does_not_keep_a_hurried_plan) {
    Stage stage{account_of(1)};
    Plan plan = quick();
    plan.deadline = 500ms;
    Client client{stage.options_for(plan)};
    ASSERT_TRUE(client.send(version(1)));
    stage->plan({{.method = "GET", .resource = "colls", .ending = FaultEnding::silence}});
    const auto read = client.send(read_of("1"));
    EXPECT_TRUE(read) << to_string(read.error());
}

TEST(Metadata, the_account_is_spared_by_calls_that_all_insist_on_a_new_document) {
    Stage stage{account_of(2)};
    Client client{stage.options_for(plan_for(Retries::fail_fast))};
    ASSERT_TRUE(client.send(read_of("known")));
    stage->plan({{.kind = RequestKind::write, .status = 403, .substatus = 3}});
    (void)stage.told();
    const TimePoint began = system_clock().now();
    for (int i = 0; i < 500; ++i) EXPECT_FALSE(client.send(create_of("1")));
    const auto tenths = (system_clock().now() - began) / 100ms;
    (void)stage.told();
    EXPECT_LE(stage.account_reads(), static_cast<std::size_t>(tenths) + 2);
}

TEST(Ambiguous, a_created_item_that_another_has_changed_since_is_still_known_by_its_creator) {
    Stage stage{account_of(1)};
    Client client{stage.options_for()};
    const CreateOnce create =
        CreateOnce{orders, item_json("8"), PartitionKey{"A"}}.token("kept before the crash");
    ASSERT_TRUE(client.send(create));
    const auto changed =
        modify(client, read_of("8"),
               [](std::string_view json) -> Result<std::string> { return std::string{json}; });
    ASSERT_TRUE(changed) << to_string(changed.error());
    const auto again = client.send(create);
    EXPECT_TRUE(again) << to_string(again.error());
}

}  // namespace
}  // namespace perdure::cosmos
