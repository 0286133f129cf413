// SPDX-License-Identifier: Apache-2.0
//
// Is the right key taken for the account that is meant, and none shown?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "load/target/cosmos/cosmos_access.hpp"

namespace tool::load {
namespace {

using ::testing::HasSubstr;

const std::string account =
    "AccountEndpoint=https://a.documents.azure.com:443/;AccountKey=c2VjcmV0;";
const std::string emulator = "AccountEndpoint=http://127.0.0.1:8081/;AccountKey=c2VjcmV0;";

TEST(CosmosAccess, is_the_key_or_the_connection_string_of_the_account_that_is_meant) {
    struct Row {
        std::string endpoint;
        Variables variables;
        CosmosAccess meant;
    };
    const std::string here = "https://a.documents.azure.com/";
    const std::vector<Row> table{
        {here, {{"COSMOS_KEY", "c2VjcmV0"}}, {.endpoint = here, .key = "c2VjcmV0"}},
        {here, {{"COSMOS_CONNECTION_STRING", account}}, {.connection_string = account}},
        {"", {{"COSMOS_CONNECTION_STRING", account}}, {.connection_string = account}},
        {"", {{"COSMOS_CONNECTION_STRING", emulator}}, {.connection_string = emulator}},
        {here,
         {{"COSMOS_KEY", "b3RoZXI="}, {"COSMOS_CONNECTION_STRING", account}},
         {.endpoint = here, .key = "b3RoZXI="}},
    };
    for (const Row& row : table) {
        const auto access = find_cosmos_access({.endpoint = row.endpoint}, row.variables);
        ASSERT_TRUE(access) << access.error().message;
        EXPECT_EQ(access->endpoint, row.meant.endpoint);
        EXPECT_EQ(access->key, row.meant.key);
        EXPECT_EQ(access->connection_string, row.meant.connection_string);
    }
}

TEST(CosmosAccess, is_refused_without_a_key_or_for_another_account_and_shows_none) {
    struct Row {
        std::string endpoint;
        Variables variables;
        const char* words;
    };
    const std::vector<Row> table{
        {"https://a.documents.azure.com/", {}, "set COSMOS_KEY or COSMOS_CONNECTION_STRING"},
        {"", {{"COSMOS_KEY", "c2VjcmV0"}}, "names no account"},
        {"https://b.documents.azure.com/",
         {{"COSMOS_CONNECTION_STRING", account}},
         "of another account"},
        {"", {{"COSMOS_CONNECTION_STRING", "c2VjcmV0"}}, ""},
        {"",
         {{"COSMOS_CONNECTION_STRING",
           "AccountEndpoint=http://127.example.com/;AccountKey=c2VjcmV0;"}},
         "on this machine"},
    };
    for (const Row& row : table) {
        const auto access = find_cosmos_access({.endpoint = row.endpoint}, row.variables);
        ASSERT_FALSE(access);
        EXPECT_THAT(access.error().message, HasSubstr(row.words));
        EXPECT_EQ(access.error().message.find("c2VjcmV0"), std::string::npos);
    }
}

}  // namespace
}  // namespace tool::load
