// SPDX-License-Identifier: Apache-2.0
//
// Which containers can be made, and is what their definitions say enforced?
#include <string>
#include <utility>

#include "wire.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {
namespace {

class Definitions : public ::testing::Test {
protected:
    Definitions() {
        EXPECT_EQ(account.ask("global", "POST /dbs HTTP/1.1\n", R"({"id":"d"})").status(), "201");
    }
    // With a key, if the text has none.
    [[nodiscard]] Reply make(const std::string& more) const {
        const std::string key = more.find("\"partitionKey\"") == std::string::npos
                                    ? R"("partitionKey":{"paths":["/pk"]})"
                                    : "";
        const std::string comma = key.empty() || more.empty() ? "" : ",";
        return account.ask("global", "POST /dbs/d/colls HTTP/1.1\n",
                           R"({"id":"x",)" + key + comma + more + '}');
    }
    [[nodiscard]] Reply replace(const std::string& more) const {
        return account.ask("global", "PUT /dbs/d/colls/x HTTP/1.1\n", R"({"id":"x",)" + more + '}');
    }
    void drop() const {
        EXPECT_EQ(account.ask("global", "DELETE /dbs/d/colls/x HTTP/1.1\n").status(), "204");
    }

    FakeAccount account;
};

TEST_F(Definitions, that_are_not_served_or_not_valid_are_refused_by_name) {
    const std::pair<const char*, const char*> refused[] = {
        {R"("computedProperties":[{"name":"p","query":"SELECT VALUE c.a FROM c"}])",
         "Computed properties"},
        {R"("analyticalStorageTtl":-1)", "Analytical stores"},
        {R"("changeFeedPolicy":{"retentionDuration":10})", "all versions and deletes"},
        {R"("conflictResolutionPolicy":{"mode":"Custom"})", "Conflict resolutions"},
        {R"("materializedViewDefinition":{})", "Materialized views"},
        {R"("defaultTtl":0)", "defaultTtl '0'"},
        {R"("defaultTtl":-10)", "defaultTtl '-10'"},
        {R"("defaultTtl":1.5)", "defaultTtl '1.5'"},
        {R"("defaultTtl":null)", "defaultTtl 'null'"},
        {R"("defaultTtl":"5")", "defaultTtl"},
        {R"("indexingPolicy":{"indexingMode":"often"})", "indexing mode 'often'"},
        {R"("indexingPolicy":{"compositeIndexes":[[{"path":"/a"}]]})", "at least two paths"},
        {R"("indexingPolicy":{"compositeIndexes":[[{"path":"/a"},{"path":"/b/*"}]]})", "/b/*"},
        {R"("indexingPolicy":{"compositeIndexes":[[{"path":"/a"},{"path":"/b","order":"up"}]]})",
         "order 'up'"},
        {R"("indexingPolicy":{"spatialIndexes":[{"path":"/p/?","types":["Dot"]}]})", "type 'Dot'"},
        {R"("indexingPolicy":{"spatialIndexes":[{"path":"/p/?","boundingBox":{}}]})", "Geography"},
        {R"("geospatialConfig":{"type":"Geometry"},"indexingPolicy":{"spatialIndexes":[{"path":"/p/?"}]})",
         "boundingBox"},
        {R"("indexingPolicy":{"vectorIndexes":[{"path":"/v","type":"flat"}]})",
         "/v not matching in Embedding's path"},
        {R"("vectorEmbeddingPolicy":{"vectorEmbeddings":[{"path":"/v","dataType":"float33"}]})",
         "DataType:float33"},
        {R"("uniqueKeyPolicy":{"uniqueKeys":[{"paths":[]}]})", "unique key"},
        {R"("partitionKey":{"paths":"/pk"})", "one to three paths"},
        {R"("partitionKey":{"paths":["id"]})", "'id' could not be accepted"},
        {R"("partitionKey":{"paths":["/id ds"]})", "'/id ds' could not be accepted"},
        {R"("partitionKey":{"paths":["/id/"]})", "could not be accepted"},
        {R"("partitionKey":{"paths":["/id/*"]})", "could not be accepted"},
        {R"("partitionKey":{"paths":["/'open"]})", "could not be accepted"},
        {R"("partitionKey":{"paths":["/a","/b"],"kind":"Hash"})", "MultiHash"},
        {R"("partitionKey":{"paths":["/a"],"kind":"Range"})", "MultiHash"},
        {R"("partitionKey":{"paths":["/a"],"version":3})", "version 1 or 2"}};
    for (const auto& [definition, name] : refused) {
        const Reply reply = make(definition);
        EXPECT_EQ(reply.status(), "400") << definition;
        EXPECT_NE(reply.body.find(name), std::string::npos) << definition << reply.body;
    }
}

TEST_F(Definitions, of_vectors_are_checked_as_the_service_does) {
    const auto vectors = [&](const std::string& dimensions, const std::string& index) {
        return make(
                   R"("vectorEmbeddingPolicy":{"vectorEmbeddings":[{"path":"/v","dataType":"int8",)"
                   R"("distanceFunction":"cosine","dimensions":)" +
                   dimensions + R"(}]},"indexingPolicy":{"vectorIndexes":[{"path":"/v")" + index +
                   "}]}")
            .body;
    };
    const std::string flat = R"(,"type":"flat")", disk = R"(,"type":"diskANN")";
    for (const auto& [dimensions, index, name] :
         {std::tuple{"-1", flat, "Dimensions:-1"},
          {"8000", flat, "Dimensions:8000 which is more than the maximum"},
          {"9", R"(,"type":"notFlat")", "Index Type::notFlat is invalid"},
          {"9", disk + R"(,"quantizationByteSize":0)",
           "QuantizationByteSize value :: 0 is out of range"},
          {"9", disk + R"(,"indexingSearchListSize":5)",
           "IndexingSearchListSize value :: 5 is out of range"},
          {"9", disk + R"(,"vectorIndexShardKey":["a"])", "invalid Shard Path: a."},
          {"9", disk + R"(,"vectorIndexShardKey":["/a","/b"])", "exceeds the maximum: 1"}})
        EXPECT_NE(vectors(dimensions, index).find(name), std::string::npos) << index;
    EXPECT_NE(vectors("9", flat).find("\"_rid\""), std::string::npos);
}

TEST_F(Definitions, are_completed_with_the_default_indexes) {
    const Reply made = make("");
    EXPECT_EQ(made.status(), "201");
    EXPECT_NE(made.body.find(R"("indexingMode":"consistent","automatic":true,)"
                             R"("includedPaths":[{"path":"/*"}],)"
                             R"("excludedPaths":[{"path":"/\"_etag\"/?"}])"),
              std::string::npos)
        << made.body;
    EXPECT_NE(made.body.find(R"("geospatialConfig":{"type":"Geography"})"), std::string::npos);
    const Reply read = account.ask("global", "GET /dbs/d/colls/x HTTP/1.1\n");
    EXPECT_EQ(read.header("x-ms-documentdb-collection-index-transformation-progress"), "100");
}

TEST_F(Definitions, always_exclude_etags_and_keep_their_vectors) {
    const std::string vectors =
        R"("vectorEmbeddingPolicy":{"vectorEmbeddings":[{"path":"/v","dataType":"int8",)"
        R"("distanceFunction":"cosine","dimensions":9}]},"indexingPolicy":{"excludedPaths":)"
        R"([{"path":"/v/*"}],"vectorIndexes":[{"path":"/v","type":")";
    const Reply made = make(vectors + R"(flat"}]})");
    EXPECT_NE(made.body.find(R"("excludedPaths":[{"path":"/v/*"},{"path":"/\"_etag\"/?"}])"),
              std::string::npos)
        << made.body;
    EXPECT_EQ(replace(vectors + R"(flat"}]})").status(), "200");
    EXPECT_EQ(replace(vectors + R"(diskANN"}]})").status(), "400");
    EXPECT_EQ(replace(R"("defaultTtl":60)").status(), "400");
}

TEST_F(Definitions, keep_their_keys_when_they_are_replaced) {
    EXPECT_EQ(make(R"("uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/a"]}]})").status(), "201");
    EXPECT_EQ(replace(R"("partitionKey":{"paths":["/other"]})").status(), "400");
    EXPECT_EQ(replace(R"("uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/b"]}]})").status(), "400");
    EXPECT_EQ(replace(R"("computedProperties":[{"name":"p","query":"q"}])").status(), "400");
    const Reply same = replace(R"("partitionKey":{"paths":["/pk"],"kind":"Hash"},"defaultTtl":60)");
    EXPECT_EQ(same.status(), "200");
    EXPECT_NE(same.body.find(R"("uniqueKeys":[{"paths":["/a"]}])"), std::string::npos);
}

TEST_F(Definitions, may_quote_the_names_in_their_key) {
    for (const char* path : {R"(/\"a' 1*()\"/\"b/c\")", R"(/'a\" 1*()'/'b/c')"}) {
        EXPECT_EQ(make(R"("partitionKey":{"paths":[")" + std::string{path} + R"("],"version":2})")
                      .status(),
                  "201")
            << path;
        const std::string name = path[1] == '\'' ? R"(a\" 1*())" : "a' 1*()";
        EXPECT_EQ(account
                      .ask("East US",
                           "POST /dbs/d/colls/x/docs HTTP/1.1\n"
                           "x-ms-documentdb-partitionkey: [\"v\"]\n",
                           R"({"id":"1",")" + name + R"(":{"b/c":"v"}})")
                      .status(),
                  "201")
            << path;
        drop();
    }
}

TEST(TimeToLive, ends_items_by_their_own_or_the_containers_number) {
    FakeAccount account;
    account.furnish(R"(,"defaultTtl":5)");
    EXPECT_EQ(account.create("East US", "1").status(), "201");
    EXPECT_EQ(account.create("East US", "2", R"(,"ttl":-1)").status(), "201");
    EXPECT_EQ(account.create("East US", "3", R"(,"ttl":2)").status(), "201");
    for (const char* wrong : {"0", "null", "-10", "1.5", "\"2\""})
        EXPECT_EQ(account.create("East US", "4", ",\"ttl\":" + std::string{wrong}).status(), "400")
            << wrong;
    const auto alive = [&] { return account.gateway->items("d", "c", "East US"); };
    const auto listed = [&] {
        return account.ask("East US", "GET /dbs/d/colls/c/docs HTTP/1.1\n")
            .header("x-ms-item-count");
    };
    EXPECT_EQ(alive(), 3U);
    account.pass(2s);
    EXPECT_EQ(account.read("East US", "3").status(), "404");
    EXPECT_EQ(listed(), "2");
    account.pass(3s);
    EXPECT_EQ(account.read("East US", "1").status(), "404");
    EXPECT_EQ(account.read("East US", "2").status(), "200");
    EXPECT_EQ(alive(), 1U);
    // The id is free again.
    EXPECT_EQ(account.create("East US", "1").status(), "201");
    EXPECT_EQ(listed(), "2");
}

TEST(TimeToLive, is_nothing_to_items_of_containers_without_one) {
    FakeAccount account;
    account.furnish();
    EXPECT_EQ(account.create("East US", "1", R"(,"ttl":1)").status(), "201");
    EXPECT_EQ(account.create("East US", "2", R"(,"ttl":"soon")").status(), "201");
    account.pass(1h);
    EXPECT_EQ(account.gateway->items("d", "c", "East US"), 2U);
}

TEST(UniqueKeys, are_taken_once_within_a_partition_key) {
    FakeAccount account;
    account.furnish(R"(,"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/a","/in/b"]}]})");
    const auto create = [&](const char* id, const char* key, const std::string& rest) {
        return account
            .ask("East US",
                 std::string{
                     "POST /dbs/d/colls/c/docs HTTP/1.1\nx-ms-documentdb-partitionkey: [\""} +
                     key + "\"]\n",
                 std::string{R"({"id":")"} + id + R"(","pk":")" + key + '"' + rest + '}')
            .status();
    };
    EXPECT_EQ(create("1", "A", R"(,"a":1,"in":{"b":2})"), "201");
    EXPECT_EQ(create("2", "A", R"(,"a":1,"in":{"b":2})"), "409");
    EXPECT_EQ(create("2", "B", R"(,"a":1,"in":{"b":2})"), "201");
    EXPECT_EQ(create("3", "A", R"(,"a":1)"), "201");
    // A value that is not there is null, and there may be one of it.
    EXPECT_EQ(create("4", "A", R"(,"a":1)"), "409");
    const std::string of_a = " HTTP/1.1\nx-ms-documentdb-partitionkey: [\"A\"]\n";
    EXPECT_EQ(account
                  .ask("East US", "PUT /dbs/d/colls/c/docs/3" + of_a,
                       R"({"id":"3","pk":"A","a":1,"in":{"b":2}})")
                  .status(),
              "409");
    EXPECT_EQ(account
                  .ask("East US", "PUT /dbs/d/colls/c/docs/1" + of_a,
                       R"({"id":"1","pk":"A","a":1,"in":{"b":2},"n":1})")
                  .status(),
              "200");
    EXPECT_EQ(account.ask("East US", "DELETE /dbs/d/colls/c/docs/1" + of_a).status(), "204");
    EXPECT_EQ(create("2", "A", R"(,"a":1,"in":{"b":2})"), "201");
}

}  // namespace
}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
