// SPDX-License-Identifier: Apache-2.0
//
// What a caller gets who asks for what cannot be: too large, badly named, not there. Before it is
// sent where we can know it, and in the service's own words where only it can.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "live/dynamodb/support/local_client.hpp"
#include "perdure/dynamodb/any_operation.hpp"
#include "perdure/dynamodb/batch_write.hpp"
#include "perdure/dynamodb/get_item.hpp"
#include "perdure/dynamodb/put_item.hpp"
#include "perdure/dynamodb/update_item.hpp"

namespace perdure::live {
namespace {

using namespace dynamodb;
using ::testing::HasSubstr;

struct DynamoInput : ::testing::Test {
    void SetUp() override {
        const std::string why = DynamoServer::missing(Dynamo::dynoxide);
        if (!why.empty()) GTEST_SKIP() << why;
        server.emplace();
        server->create_table("orders");
        client.emplace(local(server->url()));
    }
    // The failure is final, nothing was done, and the message has these words.
    template <class R>
    void expect_refused(const R& request, Cause cause, const std::string& words) {
        const auto result = client->send(request);
        ASSERT_FALSE(result) << words;
        EXPECT_EQ(result.error().cause, cause) << to_string(result.error());
        EXPECT_EQ(result.error().effect, Effect::none);
        EXPECT_LE(result.error().attempts, 1);
        EXPECT_THAT(to_string(result.error()), HasSubstr(words));
    }

    std::optional<DynamoServer> server;
    std::optional<Client> client;
};

Item with(const std::string& name, Value value) {
    Item item{{"pk", "a"}};
    item.set(name, std::move(value));
    return item;
}

TEST_F(DynamoInput, an_item_over_400_kb_is_not_sent) {
    const std::string text(419'840, 'x');
    expect_refused(PutItem{"orders", with("text", text)}, Cause::too_large, "409600");
    EXPECT_EQ(client->connections().idle, 0);

    // Past our own check, in the service's words.
    expect_refused(
        AnyOperation{"PutItem", R"({"TableName":"orders","Item":{"pk":{"S":"a"},"t":{"S":")" +
                                    text + R"("}}})"},
        Cause::invalid, "ValidationException");

    // In a batch the others are written all the same.
    BatchWrite writes{"orders", {"pk"}};
    writes.put({{"pk", "small"}}).put(with("text", text)).put({{"pk", "small too"}});
    const BatchReport<> report = batch_write(*client, writes);
    EXPECT_EQ(report.done, 2u);
    ASSERT_EQ(report.leftovers.size(), 1u);
    EXPECT_EQ(report.leftovers[0].index, 1u);
    EXPECT_EQ(report.leftovers[0].failure.cause, Cause::too_large);
}

TEST_F(DynamoInput, values_that_cannot_be_are_named_by_their_path) {
    expect_refused(PutItem{"orders", with("", "x")}, Cause::invalid, "name may not be empty");
    expect_refused(PutItem{"orders", with("tags", StringSet{})}, Cause::invalid, "tags");
    expect_refused(PutItem{"orders", with("tags", StringSet{"a", "a"})}, Cause::invalid, "tags");
    expect_refused(PutItem{"orders", with("n", Number::as_written("1e126"))}, Cause::invalid, "n");
    expect_refused(PutItem{"orders", with("n", Number::as_written("abc"))}, Cause::invalid, "n");
    expect_refused(PutItem{"orders", with("s", "\xff\xfe")}, Cause::invalid, "UTF-8");
    EXPECT_EQ(client->connections().idle, 0);  // nothing went out
}

TEST_F(DynamoInput, what_only_the_service_knows_is_told_in_its_words) {
    expect_refused(GetItem{"nowhere", {{"pk", "a"}}}, Cause::not_found,
                   "ResourceNotFoundException");
    expect_refused(GetItem{"orders", {{"wrong", "a"}}}, Cause::invalid, "ValidationException");
    expect_refused(PutItem{"orders", {{"pk", 7}}}, Cause::invalid, "ValidationException");
    expect_refused(UpdateItem{"orders", {{"pk", "a"}}}.update("SET nonsense"), Cause::invalid,
                   "ValidationException");
    expect_refused(PutItem{"orders", {{"pk", "a"}}}.condition("attribute_exists(pk)"),
                   Cause::conflict, "ConditionalCheckFailedException");
    expect_refused(AnyOperation{"NoSuchThing"}, Cause::invalid, "UnknownOperationException");
}

TEST_F(DynamoInput, a_server_that_is_no_dynamodb_is_not_taken_for_one) {
    ClientOptions options = local("http://127.0.0.1:1");  // a port that is given to nobody
    options.plan = plan_for(Retries::fail_fast);
    Client nobody{std::move(options)};
    const auto got = nobody.send(GetItem{"orders", {{"pk", "a"}}});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().effect, Effect::none);
}

}  // namespace
}  // namespace perdure::live
