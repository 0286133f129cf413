// SPDX-License-Identifier: Apache-2.0
//
// Do the servers of these tests do what the tests take for granted?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "live/support/dynamo_server.hpp"

namespace perdure::live {
namespace {

using ::testing::HasSubstr;

const std::string put_body = R"({"TableName":"orders","Item":{"pk":{"S":"a"},"n":{"N":"1"}}})";
const std::string get_body = R"({"TableName":"orders","Key":{"pk":{"S":"a"}}})";

TEST(DynamoFixtures, dynoxide_holds_items_until_it_is_restarted) {
    if (!DynamoServer::missing(Dynamo::dynoxide).empty())
        GTEST_SKIP() << DynamoServer::missing(Dynamo::dynoxide);
    DynamoServer server;
    server.create_table("orders");
    EXPECT_EQ(server.ask("PutItem", put_body).status, 200);
    const http::Response got = server.ask("GetItem", get_body);
    EXPECT_THAT(got.body, HasSubstr(R"("pk":{"S":"a"})"));
    EXPECT_TRUE(got.headers.find("x-amz-crc32"));
    server.restart();
    EXPECT_EQ(server.ask("GetItem", get_body).status, 400);
    EXPECT_THAT(server.ask("GetItem", get_body).body, HasSubstr("ResourceNotFoundException"));
}

TEST(DynamoFixtures, dynalite_holds_items) {
    if (!DynamoServer::missing(Dynamo::dynalite).empty())
        GTEST_SKIP() << DynamoServer::missing(Dynamo::dynalite);
    DynamoServer server{Dynamo::dynalite};
    server.create_table("orders");
    // The table is there at once, and active a moment later.
    http::Response written = server.ask("PutItem", put_body);
    for (int asked = 0; written.status != 200 && asked < 100; ++asked)
        written = server.ask("PutItem", put_body);
    EXPECT_THAT(server.ask("GetItem", get_body).body, HasSubstr(R"("pk":{"S":"a"})"));
}

TEST(DynamoFixtures, the_verifying_server_refuses_what_nobody_signed) {
    if (!DynamoServer::missing(Dynamo::verifying).empty())
        GTEST_SKIP() << DynamoServer::missing(Dynamo::verifying);
    DynamoServer server{Dynamo::verifying};
    const http::Response answer = server.ask("GetItem", get_body);
    EXPECT_EQ(answer.status, 400);
    EXPECT_THAT(answer.body, HasSubstr("#InvalidSignatureException"));
    EXPECT_THAT(answer.body, HasSubstr("Signature expired"));
    EXPECT_THAT(server.requests(), HasSubstr(R"("verdict":"InvalidSignatureException")"));
}

}  // namespace
}  // namespace perdure::live
