// SPDX-License-Identifier: Apache-2.0
//
// Servers end connections that nobody uses. Does a call on such a connection succeed, without being
// sent twice?
#include <gtest/gtest.h>

#include <optional>

#include "live/dynamodb/support/local_client.hpp"
#include "perdure/dynamodb/get_item.hpp"
#include "perdure/dynamodb/update_item.hpp"

namespace perdure::live {
namespace {

using namespace dynamodb;

UpdateItem add_and_return() {
    return UpdateItem{"orders", {{"pk", "counter"}}}
        .update("ADD n :one")
        .value(":one", 1)
        .returns(Returns::all_new);
}

// dynalite makes a table active a moment after it has answered.
void make_table(DynamoServer& server) {
    server.create_table("orders");
    const std::string get = R"({"TableName":"orders","Key":{"pk":{"S":"x"}}})";
    for (int asked = 0; asked < 1000 && server.ask("GetItem", get).status != 200; ++asked) {}
}

// Each time the server is gone and another one is there at the same place, as after a deployment. The
// update must not be repeated, so it succeeds only if a dead connection is noticed before it is used.
TEST(DynamoStale, a_write_that_may_not_be_repeated_survives_connections_that_have_ended) {
    for (const Dynamo kind : {Dynamo::dynalite, Dynamo::dynoxide}) {
        if (!DynamoServer::missing(kind).empty()) GTEST_SKIP() << DynamoServer::missing(kind);
        DynamoServer server{kind};
        Client client{local(server.url())};
        for (int round = 0; round < 3; ++round) {
            make_table(server);
            Diagnostics diagnostics;
            const auto added = client.send(add_and_return(), {.diagnostics = &diagnostics});
            ASSERT_TRUE(added) << to_string(added.error());
            EXPECT_EQ(diagnostics.attempts_made(), 1u);
            EXPECT_EQ(*added->attributes->get<int>("n"), 1);
            EXPECT_EQ(client.connections().idle, 1);
            server.restart();
        }
    }
}

}  // namespace
}  // namespace perdure::live
