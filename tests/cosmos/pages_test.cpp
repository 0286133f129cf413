// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/pages.hpp"

#include <map>

#include "cosmos/request_stage.hpp"
#include "http/server.hpp"
#include "perdure/cosmos/wire/document.hpp"

namespace perdure::cosmos {
namespace {

class PagesOfAQuery : public DrivenBothWays {
protected:
    static Result<std::optional<Page>> next(Pages& walk) {
        return blocking() ? walk.next() : await(walk.start_next());
    }
    // How often each id came. Ends with the walk, its failure, or after so many pages.
    static std::map<std::string, int> ids(Pages& walk, int most_pages = 1000) {
        std::map<std::string, int> seen;
        for (int i = 0; i < most_pages; ++i) {
            auto page = next(walk);
            EXPECT_TRUE(page) << to_string(page.error());
            if (!page || !*page) break;
            for (const std::string& json : (*page)->documents) ++seen[*Document{json}.id()];
        }
        return seen;
    }
    static void expect_each_once(const std::map<std::string, int>& seen, std::size_t items) {
        EXPECT_EQ(seen.size(), items);
        for (const auto& [id, times] : seen) EXPECT_EQ(times, 1) << id;
    }
};

Query everything(const RequestStage& stage) {
    return Query{stage.name, "SELECT * FROM c"}.page_size(7);
}

TEST_P(PagesOfAQuery, come_from_all_partitions_past_empty_ones) {
    RequestStage stage{4};
    stage.fill(60);
    stage.gateway().empty_pages(2);
    stage.forget();
    auto walk = pages(stage.client(), everything(stage));
    expect_each_once(ids(walk), 60);
    EXPECT_TRUE(walk.ended());
    EXPECT_GE(stage.asked("POST"), 4 * 3);
    const auto more = next(walk);
    ASSERT_TRUE(more);
    EXPECT_FALSE(*more);
}

TEST_P(PagesOfAQuery, of_one_partition_follow_its_continuations) {
    RequestStage stage{2};
    for (int i = 0; i < 20; ++i) {
        const std::string json = R"({"id":"i)" + std::to_string(i) + R"(","pk":"A"})";
        ASSERT_TRUE(stage.client().send(CreateItem{stage.name, json, PartitionKey{"A"}}));
    }
    stage.fill(10);
    stage.forget();
    auto walk = pages(stage.client(), everything(stage).in(PartitionKey{"A"}));
    expect_each_once(ids(walk), 20);
    EXPECT_EQ(stage.asked("POST"), 3);
}

TEST_P(PagesOfAQuery, go_on_with_the_children_when_a_partition_is_split) {
    RequestStage stage{2};
    stage.fill(80);
    auto walk = pages(stage.client(), everything(stage));
    auto seen = ids(walk, 2);
    ASSERT_EQ(seen.size(), 14u);
    // The one that is being walked through, and one that is still to come.
    ASSERT_TRUE(stage.gateway().split({.database = "db", .container = "c", .range = "0"}));
    ASSERT_TRUE(
        stage.gateway().split({.database = "db", .container = "c", .range = "1", .requests = 3}));
    stage.forget();
    for (const auto& [id, times] : ids(walk)) seen[id] += times;
    expect_each_once(seen, 80);
    bool gone = false;
    for (const auto& one : stage.gateway().records()) gone |= one.status == 410;
    EXPECT_TRUE(gone);
}

TEST_P(PagesOfAQuery, can_be_left_and_taken_up_again_by_another) {
    RequestStage stage{3};
    stage.fill(60);
    auto walk = pages(stage.client(), everything(stage));
    auto seen = ids(walk, 3);
    const std::string position = walk.position();
    ASSERT_TRUE(stage.gateway().split({.database = "db", .container = "c"}));

    const auto other = stage.another_client();
    auto rest = pages(*other, everything(stage));
    ASSERT_TRUE(rest.from(position));
    EXPECT_EQ(rest.position(), position);
    for (const auto& [id, times] : ids(rest)) seen[id] += times;
    expect_each_once(seen, 60);

    auto none = pages(*other, everything(stage));
    ASSERT_TRUE(none.from(rest.position()));
    EXPECT_TRUE(none.ended());
    EXPECT_TRUE(ids(none).empty());
}

TEST_P(PagesOfAQuery, are_asked_for_again_after_a_failure) {
    RequestStage stage{2};
    stage.fill(30);
    chaos::GatewayFault fault;
    fault.method = "POST";
    fault.from = 3;  // of the plan and the pages
    fault.to = 3;
    fault.status = 400;
    stage.gateway().plan({fault});
    auto walk = pages(stage.client(), everything(stage));
    auto first = next(walk);
    ASSERT_TRUE(first && *first);
    const auto failed = next(walk);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().status, 400);
    EXPECT_FALSE(walk.ended());
    auto seen = ids(walk);
    for (const std::string& json : (*first)->documents) ++seen[*Document{json}.id()];
    expect_each_once(seen, 30);
}

TEST_P(PagesOfAQuery, give_up_when_the_ranges_are_always_old) {
    RequestStage stage{2};
    stage.fill(1);
    chaos::GatewayFault fault;
    fault.method = "POST";
    fault.resource = "docs";
    fault.from = 2;
    fault.status = 410;
    fault.substatus = 1002;
    stage.gateway().plan({fault});
    stage.forget();
    auto walk = pages(stage.client(), everything(stage));
    const auto failed = next(walk);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().cause, Cause::stale_route);
    EXPECT_EQ(stage.asked("POST"), 1 + 11);
}

TEST_P(PagesOfAQuery, are_refused_where_the_partitions_could_only_answer_for_themselves) {
    RequestStage stage{3};
    stage.fill(30);
    for (const std::string_view text :
         {"SELECT VALUE COUNT(1) FROM c", "SELECT * FROM c ORDER BY c.id"}) {
        const Query query{stage.name, std::string{text}};
        auto walk = pages(stage.client(), query);
        const auto refused = next(walk);
        ASSERT_FALSE(refused) << text;
        EXPECT_EQ(refused.error().cause, Cause::invalid);
        EXPECT_EQ(refused.error().status, 400);
        EXPECT_NE(refused.error().message.find("give a partition key"), std::string::npos);
        auto inside = pages(stage.client(), Query{query}.in(PartitionKey{"k1"}));
        const auto page = next(inside);
        ASSERT_TRUE(page && *page) << text;
        EXPECT_EQ((*page)->documents.size(), 1u);
    }
}

TEST_P(PagesOfAQuery, have_the_price_of_the_plan_in_the_first) {
    RequestStage stage{1};
    stage.fill(3);
    auto walk = pages(stage.client(), everything(stage));
    const auto page = next(walk);
    ASSERT_TRUE(page && *page);
    const auto alone = ask(stage.client(), everything(stage).in_range("0"));
    ASSERT_TRUE(alone);
    EXPECT_GT((*page)->charge, alone->charge);
}

TEST_P(PagesOfAQuery, end_by_their_deadline) {
    RequestStage stage{2};
    const Deadline past{system_clock().now() - 1s};
    auto walk = pages(stage.client(), everything(stage), {.deadline = past});
    const auto late = next(walk);
    ASSERT_FALSE(late);
}

INSTANTIATE_TEST_SUITE_P(, PagesOfAQuery, ::testing::Values(Driven::blocking, Driven::coroutine),
                         driven_name);

TEST(Pages, are_a_range_that_ends_with_the_first_failure) {
    RequestStage stage{2};
    stage.fill(20);
    chaos::GatewayFault fault;
    fault.method = "POST";
    fault.from = 3;  // of the plan and the pages
    fault.to = 3;
    fault.status = 400;
    stage.gateway().plan({fault});
    auto walk = pages(stage.client(), everything(stage));
    std::vector<bool> fine;
    for (const Result<Page>& page : walk) fine.push_back(page.has_value());
    EXPECT_EQ(fine, (std::vector{true, false}));
    std::size_t rest = 0;
    for (Result<Page>& page : walk) rest += page->documents.size();
    EXPECT_EQ(rest, 13u);
    EXPECT_TRUE(walk.ended());
}

TEST(Pages, refuse_a_position_that_is_none) {
    RequestStage stage;
    auto walk = pages(stage.client(), everything(stage));
    for (const std::string_view bad :
         {"", "{}", "[]", R"({"left":[{}]})", R"({"left":[{"min":"","max":"FF"}]})",
          R"({"left":[{"min":"B","max":"A","next":""}]})",
          R"({"left":[{"min":"","max":"FFF","next":""}]})",
          R"({"left":[{"min":"","max":"B","next":""},{"min":"A","max":"C","next":""}]})"}) {
        const auto taken = walk.from(bad);
        ASSERT_FALSE(taken) << bad;
        EXPECT_EQ(taken.error().code, "invalid-position");
    }
    EXPECT_FALSE(walk.ended());
    // What the gateway's own continuation says is of no use to a walk from range to range.
    auto lost = pages(stage.client(), everything(stage).after("x"));
    const auto page = lost.next();
    ASSERT_FALSE(page);
    EXPECT_EQ(page.error().cause, Cause::invalid);
}

// No account merges partitions for a test, so this one is played.
struct MergingAccount {
    std::vector<std::string> asked{};
    bool merged = false;
    std::string plan = R"({"queryInfo":{"distinctType":"None","top":null,"orderBy":[]}})";

    http::Reply answer(const http::Seen& seen) {
        if (seen.target.ends_with("/colls/c"))
            return http::ok(
                R"({"id":"c","_rid":"r","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}})");
        if (seen.target.ends_with("/pkranges")) return ranges(seen);
        const std::string range = seen.header("x-ms-documentdb-partitionkeyrangeid");
        if (range.empty()) return http::ok(plan);
        asked.push_back(range + " [" + seen.header("x-ms-start-epk") + "," +
                        seen.header("x-ms-end-epk") + ") " + seen.header("x-ms-continuation"));
        if (asked.size() == 1)
            return http::ok(R"({"Documents":[1]})", "x-ms-continuation: here\r\n");
        if (range == "0") {
            merged = true;
            return http::status(410, "{}", "x-ms-substatus: 1002\r\n");
        }
        return http::ok(R"({"Documents":[2]})");
    }
    [[nodiscard]] http::Reply ranges(const http::Seen& seen) const {
        const std::string etag = merged ? "\"2\"" : "\"1\"";
        if (seen.header("if-none-match") == etag) return http::status(304);
        const std::string header = "etag: " + etag + "\r\n";
        if (!merged)
            return http::ok(
                R"({"PartitionKeyRanges":[{"id":"0","minInclusive":"","maxExclusive":"80"},)"
                R"({"id":"1","minInclusive":"80","maxExclusive":"FF"}]})",
                header);
        return http::ok(R"({"PartitionKeyRanges":[{"id":"2","minInclusive":"","maxExclusive":"FF",)"
                        R"("parents":["0","1"]}]})",
                        header);
    }
};

ClientOptions only(const http::Server& server) {
    ClientOptions options;
    options.endpoint = server.url();
    options.key = chaos::emulator_key;
    options.discovery = Discovery::endpoint_only;
    options.plan = hasty_plan();
    return options;
}

TEST(Pages, are_refused_by_what_the_plan_says) {
    for (const std::string_view info :
         {R"("distinctType":"Ordered")", R"("top":5)", R"("offset":0)",
          R"("orderBy":["Ascending"])", R"("groupByExpressions":["c.x"])",
          R"("aggregates":["Count"])"}) {
        MergingAccount account;
        account.plan = R"({"queryInfo":{)" + std::string{info} + "}}";
        http::Server server{[&](const http::Seen& seen) { return account.answer(seen); }};
        Client client{only(server)};
        auto walk = pages(client, Query{{"d", "c"}, "SELECT * FROM c"});
        const auto refused = walk.next();
        ASSERT_FALSE(refused) << info;
        EXPECT_EQ(refused.error().cause, Cause::invalid);
        EXPECT_EQ(refused.error().code, "400/1004");
        EXPECT_TRUE(account.asked.empty());
    }
}

TEST(Pages, read_of_a_merged_partition_only_what_is_left) {
    MergingAccount account;
    http::Server server{[&](const http::Seen& seen) { return account.answer(seen); }};
    Client client{only(server)};
    auto walk = pages(client, Query{{"d", "c"}, "SELECT * FROM c"});
    std::vector<std::string> documents;
    for (Result<Page>& page : walk) {
        ASSERT_TRUE(page) << to_string(page.error());
        for (std::string& one : page->documents) documents.push_back(std::move(one));
    }
    EXPECT_EQ(documents, (std::vector<std::string>{"1", "2", "2"}));
    EXPECT_EQ(account.asked,
              (std::vector<std::string>{"0 [,) ", "0 [,) here", "2 [,80) here", "2 [80,FF) "}));
}

}  // namespace
}  // namespace perdure::cosmos
