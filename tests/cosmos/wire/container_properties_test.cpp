// SPDX-License-Identifier: Apache-2.0
//
// Is a container's partition key understood, or else refused?
#include "perdure/cosmos/wire/container_properties.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace perdure::cosmos {
namespace {

TEST(ContainerProperties, tell_how_items_are_divided) {
    const auto container = parse_container(
        R"({"id":"orders","indexingPolicy":{"automatic":true},"partitionKey":{"paths":["/tenant","/user"],)"
        R"("kind":"MultiHash","version":2},"_rid":"AbC=","_ts":1,"_self":"dbs/x/"})");
    ASSERT_TRUE(container) << to_string(container.error());
    EXPECT_EQ(container->id, "orders");
    EXPECT_EQ(container->rid, "AbC=");
    EXPECT_EQ(container->key, (KeyDefinition{.paths = {"/tenant", "/user"},
                                             .kind = KeyKind::multi_hash,
                                             .version = KeyVersion::v2}));
}

TEST(ContainerProperties, without_a_version_are_of_the_first) {
    const auto container =
        parse_container(R"({"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash"}})");
    ASSERT_TRUE(container);
    EXPECT_EQ(container->key,
              (KeyDefinition{.paths = {"/pk"}, .kind = KeyKind::hash, .version = KeyVersion::v1}));
    EXPECT_TRUE(parse_container(R"({"id":"c"})")->key.paths.empty());
    EXPECT_TRUE(parse_container(R"({"id":"c","partitionKey":null})")->key.paths.empty());
}

TEST(ContainerProperties, that_would_lead_to_the_wrong_partition_are_refused) {
    for (const std::string_view json :
         {"", "[]", "{}", R"({"id":1})", R"({"id":"c","partitionKey":[]})",
          R"({"id":"c","partitionKey":{"paths":["/a"],"kind":"Range"}})",
          R"({"id":"c","partitionKey":{"paths":["/a"],"kind":"Hash","version":3}})",
          R"({"id":"c","partitionKey":{"paths":["a"]}})",
          R"({"id":"c","partitionKey":{"paths":[1]}})",
          R"({"id":"c","partitionKey":{"paths":["/a","/b","/c","/d"]}})", R"({"id":"c"}})",
          R"({"id":"c")"}) {
        const auto container = parse_container(json);
        ASSERT_FALSE(container) << json;
        EXPECT_EQ(container.error().cause, Cause::corrupt);
    }
}

}  // namespace
}  // namespace perdure::cosmos
