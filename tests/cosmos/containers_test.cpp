// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/containers.hpp"

#include "cosmos/describing.hpp"
#include "cosmos/orders.hpp"

namespace perdure::cosmos {
namespace {

TEST(Databases, are_made_found_listed_and_deleted) {
    EXPECT_EQ(told(CreateDatabase{"shop"}), "POST /dbs\ndbs \n"
                                            "Content-Type: application/json\n\n{\"id\":\"shop\"}");
    EXPECT_NE(told(CreateDatabase{"shop"}.throughput(400)).find("x-ms-offer-throughput: 400\n"),
              std::string::npos);
    EXPECT_EQ(told(ReadDatabase{"shop"}), "GET /dbs/shop\ndbs dbs/shop\n");
    EXPECT_EQ(told(DeleteDatabase{"shop"}), "DELETE /dbs/shop\ndbs dbs/shop\n");
    EXPECT_EQ(told(ListDatabases{}), "GET /dbs\ndbs \n");
    EXPECT_EQ(told(ListDatabases{}.after("more")), "GET /dbs\ndbs \nx-ms-continuation: more\n");
    EXPECT_EQ(refusal(CreateDatabase{"a/b"}), "invalid-id");
    EXPECT_EQ(refusal(DeleteDatabase{".."}), "invalid-id");
    EXPECT_EQ(refusal(CreateDatabase{"a"}.throughput(0)), "invalid-request");
}

TEST(Databases, are_read_from_the_answer) {
    const auto made =
        answered(CreateDatabase{"shop"}, {.status = 201, .body = R"({"id":"shop","_rid":"abc="})"});
    ASSERT_TRUE(made);
    EXPECT_EQ(made->id, "shop");
    EXPECT_EQ(made->rid, "abc=");
    EXPECT_TRUE(cannot_read(ReadDatabase{"shop"}, {.body = "<html>"}));
    const auto all =
        answered(ListDatabases{}, {.body = R"({"Databases":[{"id":"a"},{"id":"b"}]})"});
    ASSERT_TRUE(all);
    EXPECT_EQ(all->documents, (std::vector<std::string>{R"({"id":"a"})", R"({"id":"b"})"}));
}

TEST(Containers, are_made_with_their_partition_key) {
    EXPECT_EQ(
        told(CreateContainer{orders, {"/customer"}}.throughput(400)),
        "POST /dbs/shop/colls\ncolls dbs/shop\n"
        "x-ms-offer-throughput: 400\n"
        "Content-Type: application/json\n\n"
        R"({"id":"orders","partitionKey":{"paths":["/customer"],"kind":"Hash","version":2}})");
    EXPECT_EQ(
        told(CreateContainer{orders, {"/a", "/b"}}.autoscale(4000).default_ttl(3600)),
        "POST /dbs/shop/colls\ncolls dbs/shop\n"
        "x-ms-cosmos-offer-autopilot-settings: {\"maxThroughput\":4000}\n"
        "Content-Type: application/json\n\n"
        R"({"id":"orders","partitionKey":{"paths":["/a","/b"],"kind":"MultiHash","version":2},)"
        R"("defaultTtl":3600})");
    EXPECT_NE(body_of(CreateContainer{orders, {"/a"}}.version(KeyVersion::v1))
                  .find(R"("kind":"Hash","version":1})"),
              std::string::npos);
    const Value policy = Value::raw(R"({"indexingMode":"none"})");
    EXPECT_NE(body_of(CreateContainer{orders, {"/a"}}.with("indexingPolicy", policy))
                  .find(R"(,"indexingPolicy":{"indexingMode":"none"}})"),
              std::string::npos);
}

TEST(Containers, are_refused_when_they_cannot_be_meant) {
    EXPECT_EQ(refusal(CreateContainer{orders, {}}), "invalid-request");
    EXPECT_EQ(refusal(CreateContainer{orders, {"/a", "/b", "/c", "/d"}}), "invalid-request");
    EXPECT_EQ(refusal(CreateContainer{orders, {"a"}}), "invalid-request");
    EXPECT_EQ(refusal(CreateContainer{orders, {"/"}}), "invalid-request");
    EXPECT_EQ(refusal(CreateContainer{orders, {"/a", "/b"}}.version(KeyVersion::v1)),
              "invalid-request");
    EXPECT_EQ(refusal(CreateContainer{orders, {"/a"}}.with("id", "x")), "invalid-request");
    EXPECT_EQ(refusal(CreateContainer{orders, {"/a"}}.with("p", Value::raw("{"))), "invalid-value");
    EXPECT_EQ(refusal(CreateContainer{{"shop", "a?b"}, {"/a"}}), "invalid-id");
    EXPECT_EQ(refusal(ReplaceContainer{orders, R"({"id":"other"})"}), "invalid-request");
}

TEST(Containers, are_found_changed_listed_and_deleted) {
    EXPECT_EQ(told(ReadContainer{orders}),
              "GET /dbs/shop/colls/orders\ncolls dbs/shop/colls/orders\n");
    EXPECT_EQ(told(ReplaceContainer{orders, R"({"id":"orders"})"}.if_match("e")),
              "PUT /dbs/shop/colls/orders\ncolls dbs/shop/colls/orders\nIf-Match: e\n"
              "Content-Type: application/json\n\n{\"id\":\"orders\"}");
    EXPECT_EQ(told(DeleteContainer{orders}),
              "DELETE /dbs/shop/colls/orders\ncolls dbs/shop/colls/orders\n");
    EXPECT_EQ(told(ListContainers{"shop"}), "GET /dbs/shop/colls\ncolls dbs/shop\n");
    EXPECT_TRUE(DeleteContainer{orders}.idempotent().takes({404}));
    EXPECT_FALSE(DeleteContainer{orders}.takes({404}));
}

TEST(Containers, are_read_from_the_answer) {
    const std::string json =
        R"({"id":"orders","_rid":"r=","_etag":"\"e\"","partitionKey":{"paths":["/a"],"kind":"Hash","version":2}})";
    const auto read = answered(ReadContainer{orders}, {.body = json});
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(read->properties.id, "orders");
    EXPECT_EQ(read->properties.key.paths, std::vector<std::string>{"/a"});
    EXPECT_EQ(read->etag, "\"e\"");
    EXPECT_EQ(read->json, json);
    EXPECT_TRUE(cannot_read(ReadContainer{orders}, {.body = "<html>"}));
    const auto all = answered(ListContainers{"shop"}, {.body = R"({"DocumentCollections":[]})"});
    ASSERT_TRUE(all);
    EXPECT_TRUE(all->documents.empty());
}

}  // namespace
}  // namespace perdure::cosmos
