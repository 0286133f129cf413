// SPDX-License-Identifier: Apache-2.0
//
// Is the URL of a table of DynamoDB understood, and is what is wrong with it said?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "load/engine/load_target.hpp"
#include "load/target/dynamodb_url.hpp"

namespace tool::load {
namespace {

using ::testing::HasSubstr;

TEST(DynamoUrl, says_table_region_endpoint_and_profile) {
    struct Row {
        const char* url;
        DynamoUrl meant;
    };
    const std::array table{
        Row{"dynamodb://orders", {.table = "orders"}},
        Row{"dynamodb://orders/", {.table = "orders"}},
        Row{"dynamodb://orders?region=eu-west-1", {.table = "orders", .region = "eu-west-1"}},
        Row{"dynamodb://a.b-c_9?endpoint=http://127.0.0.1:8000&region=local&profile=test",
            {.table = "a.b-c_9",
             .region = "local",
             .endpoint = "http://127.0.0.1:8000",
             .profile = "test"}},
        Row{"dynamodb://orders?endpoint=http%3A%2F%2Flocalhost%3a8000",
            {.table = "orders", .endpoint = "http://localhost:8000"}},
        Row{"dynamodb://?region=eu-west-1", {.region = "eu-west-1"}},
        Row{"dynamodb://", {}},
    };
    for (const Row& row : table) {
        const auto url = parse_dynamodb_url(row.url);
        ASSERT_TRUE(url) << row.url << ": " << url.error().message;
        EXPECT_EQ(url->table, row.meant.table) << row.url;
        EXPECT_EQ(url->region, row.meant.region) << row.url;
        EXPECT_EQ(url->endpoint, row.meant.endpoint) << row.url;
        EXPECT_EQ(url->profile, row.meant.profile) << row.url;
    }
}

TEST(DynamoUrl, is_refused_with_what_is_wrong_with_it) {
    const std::array<std::pair<const char*, const char*>, 10> table{{
        {"dynamodb:orders", "dynamodb://TABLE?region=REGION"},
        {"dynamodb://orders?regoin=x", "region, endpoint and profile, not 'regoin'"},
        {"dynamodb://orders?region", "'region' is empty"},
        {"dynamodb://orders?region=", "'region' is empty"},
        {"dynamodb://orders?region=a&region=b", "'region' is there twice"},
        {"dynamodb://orders?endpoint=http%3", "two hexadecimal digits"},
        {"dynamodb://ab", "3 to 255"},
        {"dynamodb://orders/2026", "3 to 255"},
        {"dynamodb://orders%20?region=x", "3 to 255"},
        {"dynamodb://AKID:secret@orders", "keys do not belong"},
    }};
    for (const auto& [text, words] : table) {
        const auto url = parse_dynamodb_url(text);
        ASSERT_FALSE(url) << text;
        EXPECT_THAT(url.error().message, HasSubstr(words)) << text;
        EXPECT_EQ(url.error().message.find("secret"), std::string::npos);
        EXPECT_EQ(url.error().cause, perdure::Cause::invalid);
    }
}

TEST(DynamoUrl, may_name_the_table_instead_of_the_flag) {
    struct Row {
        const char* to;
        const char* flag;
        const char* table;  // empty: refused
    };
    const std::array table{
        Row{"dynamodb://orders", "", "orders"},
        Row{"dynamodb://orders", "orders", "orders"},
        Row{"dynamodb://?region=x", "lines", "lines"},
        Row{"dynamodb://orders", "lines", ""},
        Row{"dynamodb://", "", ""},
        Row{"sqlite:x.db", "orders", "orders"},
        Row{"sqlite:x.db", "", ""},
    };
    for (const Row& row : table) {
        LoadFlags flags{.to = row.to, .table = row.flag};
        const auto settled = settle_table(flags);
        EXPECT_EQ(settled.has_value(), row.table[0] != 0) << row.to << ' ' << row.flag;
        if (settled) {
            EXPECT_EQ(flags.table, row.table);
        }
    }
}

}  // namespace
}  // namespace tool::load
