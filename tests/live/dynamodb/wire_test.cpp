// SPDX-License-Identifier: Apache-2.0
//
// Does a server that works out every signature anew take ours, with whatever keys and clocks? It has
// its own way to sign, in another language.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "live/dynamodb/support/fault_rules.hpp"
#include "live/dynamodb/support/local_client.hpp"
#include "live/dynamodb/support/patience.hpp"
#include "perdure/chaos/proxy.hpp"
#include "perdure/dynamodb/get_item.hpp"
#include "perdure/dynamodb/put_item.hpp"
#include "perdure/http/date.hpp"

namespace perdure::live {
namespace {

using namespace dynamodb;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// The values of one member, wherever it stands in the JSON, in their order.
std::vector<std::string> all(const std::string& json, const std::string& name) {
    std::vector<std::string> found;
    const std::string before = "\"" + name + "\":\"";
    for (std::size_t at = json.find(before); at != std::string::npos; at = json.find(before, at)) {
        at += before.size();
        found.push_back(json.substr(at, json.find('"', at) - at));
    }
    return found;
}

const GetItem get_order{"orders", {{"pk", "o#1"}}};

struct DynamoWireBrief : ::testing::Test {
    void SetUp() override {
        const std::string why = DynamoServer::missing(Dynamo::verifying);
        if (!why.empty()) GTEST_SKIP() << why;
    }
    // A proxy before the server, and a client before the proxy.
    void behind(const DynamoServer& server, std::vector<chaos::Rule> rules,
                const Expected& who = {}) {
        proxy = chaos::Proxy::start({.rules = std::move(rules)}, {.to = server.address()}).value();
        ClientOptions options = local("http://" + proxy->address(), who);
        options.plan = impatient_plan();
        client.emplace(std::move(options));
    }

    std::unique_ptr<chaos::Proxy> proxy;
    std::optional<Client> client;
};

TEST_F(DynamoWireBrief, signatures_are_believed_with_keys_of_both_kinds_and_in_any_region) {
    const std::vector<Expected> table{
        {},
        {.key = "ASIATEMPORARY", .secret = "with/slash+plus", .token = "SESSION/abc+def=="},
        {.region = "eu-central-1"},
    };
    for (const Expected& who : table) {
        DynamoServer server{Dynamo::verifying, who};
        Client direct{local(server.url(), who)};
        const auto got = direct.send(get_order);
        ASSERT_TRUE(got) << to_string(got.error());
        ASSERT_TRUE(got->item);
        EXPECT_EQ(*got->item->get<int>("n"), 42);
        const std::string large(50'000, 'x');  // leaves in several writes
        EXPECT_TRUE(direct.send(PutItem{"orders", {{"pk", "\u00e4"}, {"text", large}}}));
        EXPECT_THAT(all(server.requests(), "verdict"), ElementsAre("good", "good"));
    }
}

TEST_F(DynamoWireBrief, a_wrong_secret_is_refused_once_and_told_to_nobody) {
    DynamoServer server{Dynamo::verifying};
    Client direct{local(server.url(), {.secret = "this-is-not-the-secret"})};
    const auto got = direct.send(get_order);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, "InvalidSignatureException");
    EXPECT_EQ(got.error().effect, Effect::none);
    EXPECT_EQ(got.error().attempts, 1);
    EXPECT_THAT(to_string(got.error()), Not(HasSubstr("this-is-not")));
    EXPECT_THAT(got.error().request_id, StartsWith("VERIFIED"));

    Client stranger{local(server.url(), {.key = "AKIDNOBODY"})};
    const auto refused = stranger.send(get_order);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "UnrecognizedClientException");
    EXPECT_EQ(refused.error().attempts, 1);
}

TEST_F(DynamoWireBrief, a_clock_that_is_wrong_by_an_hour_is_put_right_within_one_call) {
    for (const int offset : {3600, -3600}) {
        DynamoServer server{Dynamo::verifying, {.clock_offset = offset}};
        Client direct{local(server.url())};
        Diagnostics first, second;
        ASSERT_TRUE(direct.send(get_order, {.diagnostics = &first}));
        EXPECT_EQ(first.attempts_made(), 2u);
        EXPECT_EQ(first.attempts().front().cause, Cause::clock_skew);
        EXPECT_NEAR(static_cast<double>(direct.clock_skew() / 1s), offset, 3);
        ASSERT_TRUE(direct.send(get_order, {.diagnostics = &second}));
        EXPECT_EQ(second.attempts_made(), 1u);
    }
}

TEST_F(DynamoWireBrief, a_false_date_from_a_proxy_heals_with_the_next_answer) {
    DynamoServer server{Dynamo::verifying};
    const std::string early = http::http_date(system_clock().wall() - 2h);
    behind(server, {{.fault = chaos::Fault::rewrite,
                     .match = {.to = 1},
                     .rewrite = {.header = "date", .replace = early}}});
    ASSERT_TRUE(client->send(get_order));
    EXPECT_LT(client->clock_skew(), -1h);
    Diagnostics second;
    ASSERT_TRUE(client->send(get_order, {.diagnostics = &second}));
    EXPECT_EQ(second.attempts_made(), 2u);
    EXPECT_LT(std::chrono::abs(client->clock_skew()), 5s);
    EXPECT_THAT(all(server.requests(), "verdict"),
                ElementsAre("good", "InvalidSignatureException", "good"));
}

TEST_F(DynamoWireBrief, every_attempt_is_signed_anew_and_says_which_one_it_is) {
    const Expected who{.token = "SESSION"};
    DynamoServer server{Dynamo::verifying, who};
    behind(server, {failing_after(500, {.to = 2})}, who);
    ASSERT_TRUE(client->send(get_order));
    ASSERT_TRUE(client->send(get_order));
    const std::string requests = server.requests();
    EXPECT_THAT(all(requests, "verdict"), Each("good"));
    EXPECT_THAT(all(requests, "amz-sdk-request"),
                ElementsAre("attempt=1; max=4", "attempt=2; max=4", "attempt=3; max=4",
                            "attempt=1; max=4"));
    const std::vector<std::string> ids = all(requests, "amz-sdk-invocation-id");
    ASSERT_EQ(ids.size(), 4u);
    EXPECT_EQ(ids[0], ids[1]);
    EXPECT_EQ(ids[0], ids[2]);
    EXPECT_NE(ids[0], ids[3]);
    EXPECT_EQ(ids[0].size(), 36u);
    EXPECT_THAT(all(requests, "x-amz-target"), Each("DynamoDB_20120810.GetItem"));
    EXPECT_THAT(all(requests, "content-type"), Each("application/x-amz-json-1.0"));
    // The second attempt has other headers, so another signature even within the same second.
    const std::vector<std::string> signed_by = all(requests, "authorization");
    EXPECT_EQ(std::set<std::string>(signed_by.begin(), signed_by.end()).size(), 4u);
}

}  // namespace
}  // namespace perdure::live
