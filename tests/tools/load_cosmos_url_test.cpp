// SPDX-License-Identifier: Apache-2.0
//
// Is the URL of a container of Cosmos DB understood, and is what is wrong with it said?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "load/engine/load_target.hpp"
#include "load/target/cosmos_url.hpp"

namespace tool::load {
namespace {

using ::testing::HasSubstr;

TEST(CosmosUrl, says_account_database_container_and_wishes) {
    struct Row {
        const char* url;
        CosmosUrl meant;
    };
    const std::array table{
        Row{"cosmos://acct.documents.azure.com/shop/orders",
            {.endpoint = "https://acct.documents.azure.com/",
             .database = "shop",
             .container = "orders"}},
        Row{"cosmos://acct.documents.azure.com:443/my%20shop/orders/?partition=/"
            "customer",
            {.endpoint = "https://acct.documents.azure.com:443/",
             .database = "my shop",
             .container = "orders",
             .partition = "/customer"}},
        Row{"cosmos+http://127.0.0.1:8081/shop/orders?discovery=endpoint",
            {.endpoint = "http://127.0.0.1:8081/",
             .database = "shop",
             .container = "orders",
             .discovery = "endpoint"}},
        Row{"cosmos+http://127.9.8.7/shop", {.endpoint = "http://127.9.8.7/", .database = "shop"}},
        Row{"cosmos+http://localhost:8081/shop",
            {.endpoint = "http://localhost:8081/", .database = "shop"}},
        Row{"cosmos+http://[::1]:8081/shop",
            {.endpoint = "http://[::1]:8081/", .database = "shop"}},
        Row{"cosmos:///shop/orders", {.database = "shop", .container = "orders"}},
    };
    for (const Row& row : table) {
        const auto url = parse_cosmos_url(row.url);
        ASSERT_TRUE(url) << row.url << ": " << url.error().message;
        EXPECT_EQ(url->endpoint, row.meant.endpoint) << row.url;
        EXPECT_EQ(url->database, row.meant.database) << row.url;
        EXPECT_EQ(url->container, row.meant.container) << row.url;
        EXPECT_EQ(url->partition, row.meant.partition) << row.url;
        EXPECT_EQ(url->discovery, row.meant.discovery) << row.url;
    }
}

TEST(CosmosUrl, is_refused_with_what_is_wrong_with_it) {
    const std::array<std::pair<const char*, const char*>, 14> table{{
        {"cosmos:orders", "cosmos://HOST/DATABASE/CONTAINER"},
        {"cosmos://host", "cosmos://HOST/DATABASE/CONTAINER"},
        {"cosmos://host/a/b/c", "cosmos://HOST/DATABASE/CONTAINER"},
        {"cosmos://key@host/a/b", "COSMOS_KEY"},
        {"cosmos+http://example.com/a/b", "on this machine"},
        {"cosmos+http://127.example.com/a/b", "on this machine"},
        {"cosmos+http://127.0.0.1.example.com:80/a/b", "on this machine"},
        {"cosmos+http://128.0.0.1/a/b", "on this machine"},
        {"cosmos+http://localhost.example.com/a/b", "on this machine"},
        {"cosmos://host/a/b?region=x", "partition and discovery, not 'region'"},
        {"cosmos://host/a/b?partition=", "'partition' is empty"},
        {"cosmos://host/a/b?partition=customer", "partition=/customer"},
        {"cosmos://host/a/b?partition=/a/b", "partition=/customer"},
        {"cosmos://host/a/b?discovery=none", "there is no other value"},
    }};
    for (const auto& [text, words] : table) {
        const auto url = parse_cosmos_url(text);
        ASSERT_FALSE(url) << text;
        EXPECT_EQ(url.error().cause, perdure::Cause::invalid) << text;
        EXPECT_THAT(url.error().message, HasSubstr(words)) << text;
    }
}

TEST(CosmosUrl, and_the_flag_name_one_table) {
    LoadFlags flags;
    flags.to = "cosmos://host/shop/orders";
    ASSERT_TRUE(settle_table(flags));
    EXPECT_EQ(flags.table, "orders");
    flags.table = "lines";
    EXPECT_FALSE(settle_table(flags));
    flags.to = "cosmos://host/shop";
    EXPECT_TRUE(settle_table(flags));
}

}  // namespace
}  // namespace tool::load
