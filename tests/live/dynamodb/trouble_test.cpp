// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a call when the answer is damaged, cut short, late, or not DynamoDB's at all? A real
// server behind the fault proxy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "live/dynamodb/support/fault_rules.hpp"
#include "live/dynamodb/support/local_client.hpp"
#include "live/dynamodb/support/patience.hpp"
#include "perdure/chaos/proxy.hpp"
#include "perdure/dynamodb/get_item.hpp"
#include "perdure/dynamodb/put_item.hpp"
#include "perdure/dynamodb/update_item.hpp"

namespace perdure::live {
namespace {

using namespace dynamodb;
using chaos::Fault;
using ::testing::HasSubstr;
using ::testing::Not;

const GetItem get{"orders", {{"pk", "a"}}};
const PutItem put{"orders", {{"pk", "a"}, {"n", 1}}};

UpdateItem add() {
    return UpdateItem{"orders", {{"pk", "counter"}}}.update("ADD n :one").value(":one", 1);
}

struct DynamoTroubleBrief : ::testing::Test {
    void SetUp() override {
        const std::string why = DynamoServer::missing(Dynamo::dynoxide);
        if (!why.empty()) GTEST_SKIP() << why;
        server.emplace();
        server->create_table("orders");
        proxy = chaos::Proxy::start({}, {.to = server->address()}).value();
        ClientOptions options = local("http://" + proxy->address());
        options.plan = impatient_plan();
        client.emplace(std::move(options));
        ASSERT_TRUE(client->send(put));
    }
    void disturb(std::vector<chaos::Rule> rules) {
        ASSERT_TRUE(proxy->change({.rules = std::move(rules)}));
        diagnostics = {};
    }
    // How often ADD was applied.
    int counted() {
        return number(
            server->ask("GetItem", R"({"TableName":"orders","Key":{"pk":{"S":"counter"}}})").body);
    }
    static int number(const std::string& json) {
        const std::size_t at = json.find(R"("N":")");
        return at == std::string::npos ? 0 : std::stoi(json.substr(at + 5));
    }

    std::optional<DynamoServer> server;
    std::unique_ptr<chaos::Proxy> proxy;
    std::optional<Client> client;
    Diagnostics diagnostics;
};

chaos::Rule wrong_checksum(chaos::Match match = {}) {
    return {.fault = Fault::rewrite,
            .match = std::move(match),
            .rewrite = {.header = "x-amz-crc32", .replace = "12345"}};
}

TEST_F(DynamoTroubleBrief, a_wrong_checksum_is_repeated_and_then_has_a_name_of_its_own) {
    disturb({wrong_checksum({.to = 1})});
    EXPECT_TRUE(client->send(get, {.diagnostics = &diagnostics}));
    EXPECT_EQ(diagnostics.attempts_made(), 2u);

    disturb({wrong_checksum()});
    const auto got = client->send(get);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, "crc32-mismatch");
    EXPECT_EQ(got.error().cause, Cause::corrupt);
    EXPECT_EQ(got.error().attempts, 4);

    // A success that cannot be read has been applied, and is not done again.
    const auto added = client->send(add());
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().effect, Effect::applied);
    EXPECT_EQ(added.error().attempts, 1);
    EXPECT_EQ(counted(), 1);
}

TEST_F(DynamoTroubleBrief, changed_bytes_are_noticed_by_their_checksum) {
    disturb(
        {{.fault = Fault::rewrite, .match = {.to = 1}, .rewrite = {.find = "1", .replace = "9"}}});
    const auto got = client->send(get, {.diagnostics = &diagnostics});
    ASSERT_TRUE(got && got->item);
    EXPECT_EQ(*got->item->get<int>("n"), 1);
    EXPECT_EQ(diagnostics.attempts_made(), 2u);
}

TEST_F(DynamoTroubleBrief, waits_for_as_long_as_the_service_asks) {
    chaos::Rule busy = refusing("InternalServerError", 500, {.to = 1});
    busy.headers.emplace_back("x-amz-retry-after", "150");
    disturb({busy});
    EXPECT_TRUE(client->send(get, {.diagnostics = &diagnostics}));
    ASSERT_EQ(diagnostics.attempts_made(), 2u);
    EXPECT_EQ(diagnostics.attempts().front().retry_after, Duration{150ms});
    EXPECT_GE(diagnostics.attempts().back().waited_before, 150ms);
}

TEST_F(DynamoTroubleBrief, throttles_are_repeated_and_their_reasons_kept) {
    disturb({refusing("ThrottlingException", 400, {.to = 2})});
    EXPECT_TRUE(client->send(add(), {.diagnostics = &diagnostics}));
    EXPECT_EQ(diagnostics.attempts_made(), 3u);
    EXPECT_EQ(counted(), 1);

    chaos::Rule hot = refusing("ProvisionedThroughputExceededException", 400);
    hot.body = R"({"__type":"x#ProvisionedThroughputExceededException","message":"hot",)"
               R"("ThrottlingReasons":[{"reason":"TableWriteKeyRangeThroughputExceeded",)"
               R"("resource":"arn:aws:dynamodb:us-east-1:123456789012:table/orders"}]})";
    disturb({hot});
    ServiceError said;
    const auto added = client->send(add(), {.error = &said});
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().cause, Cause::throttled);
    EXPECT_EQ(added.error().effect, Effect::none);
    ASSERT_EQ(said.throttling.size(), 1u);
    EXPECT_EQ(said.throttling[0].reason, "TableWriteKeyRangeThroughputExceeded");
    EXPECT_EQ(counted(), 1);
}

TEST_F(DynamoTroubleBrief, a_500_after_the_work_leaves_a_plain_add_unknown_and_a_put_done) {
    disturb({failing_after(500, {.to = 1})});
    const auto added = client->send(add());
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().effect, Effect::unknown);
    EXPECT_EQ(added.error().stop, Stop::unsafe);
    EXPECT_EQ(counted(), 1);

    disturb({failing_after(500, {.to = 1})});
    EXPECT_TRUE(client->send(put, {.diagnostics = &diagnostics}));
    EXPECT_EQ(diagnostics.attempts_made(), 2u);
}

TEST_F(DynamoTroubleBrief, an_update_with_a_way_to_look_is_found_out) {
    disturb({failing_after(500, {.to = 1})});
    const auto update = add().landed([](const std::optional<Item>& now) {
        return now && now->get<int>("n").value_or(0) == 1 ? Verdict::yes : Verdict::no;
    });
    const auto added = client->send(update);
    ASSERT_TRUE(added) << to_string(added.error());
    EXPECT_TRUE(added->found_out);
    EXPECT_EQ(counted(), 1);
}

TEST_F(DynamoTroubleBrief, a_page_of_a_load_balancer_is_judged_by_its_status) {
    const std::string page = "<html><body><h1>503 Service Unavailable</h1></body></html>";
    chaos::Rule balancer{.fault = Fault::inject,
                         .status = 503,
                         .headers = {{"Content-Type", "text/html"}},
                         .body = page};
    balancer.match.to = 1;
    disturb({balancer});
    EXPECT_TRUE(client->send(get, {.diagnostics = &diagnostics}));
    EXPECT_EQ(diagnostics.attempts_made(), 2u);

    balancer.match.to = 100;
    disturb({balancer});
    const auto got = client->send(get);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().status, 503);
    EXPECT_THAT(to_string(got.error()), Not(HasSubstr("<html>")));

    // The same with a status that says all is well: nothing may be made of it.
    balancer.status = 200;
    disturb({balancer});
    const auto empty = client->send(get);
    ASSERT_FALSE(empty);
    EXPECT_EQ(empty.error().cause, Cause::corrupt);
    EXPECT_THAT(to_string(empty.error()), Not(HasSubstr("<html>")));
}

TEST_F(DynamoTroubleBrief, an_answer_that_is_cut_short_is_none) {
    for (const std::size_t bytes : {0U, 20U, 150U}) {
        disturb({{.fault = Fault::close_after, .match = {.to = 1}, .bytes = bytes}});
        EXPECT_TRUE(client->send(get, {.diagnostics = &diagnostics})) << bytes;
        EXPECT_EQ(diagnostics.attempts_made(), 2u) << bytes;
    }
    disturb({{.fault = Fault::close_after, .bytes = 20}});
    const auto added = client->send(add());
    ASSERT_FALSE(added);
    EXPECT_NE(added.error().effect, Effect::none);
    EXPECT_EQ(added.error().attempts, 1);
    EXPECT_EQ(counted(), 1);
}

TEST_F(DynamoTroubleBrief, a_silent_server_costs_no_more_than_the_deadline) {
    disturb({{.fault = Fault::swallow_reply}});
    const auto added = client->send(add(), {.deadline = Deadline::in(200ms, system_clock().now()),
                                            .diagnostics = &diagnostics});
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().effect, Effect::unknown);
    EXPECT_LT(added.error().elapsed, 1s);
    EXPECT_EQ(counted(), 1);
}

}  // namespace
}  // namespace perdure::live
