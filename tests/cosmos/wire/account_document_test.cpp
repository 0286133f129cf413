// SPDX-License-Identifier: Apache-2.0
//
// Is an account's own description read as it is meant, and a bad one refused?
#include "perdure/cosmos/wire/account_document.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace perdure::cosmos {
namespace {

constexpr std::string_view two_regions =
    R"({"id":"acct","_rid":"acct.documents.azure.com","_self":"",
 "_dbs":"//dbs/","media":"//media/","addresses":"//addresses/",
 "writableLocations":[{"name":"East US","databaseAccountEndpoint":"https://acct-eastus.documents.azure.com:443/"}],
 "readableLocations":[{"name":"East US","databaseAccountEndpoint":"https://acct-eastus.documents.azure.com:443/"},
  {"name":"West US","databaseAccountEndpoint":"https://acct-westus.documents.azure.com:443/","more":[{}]}],
 "enableMultipleWriteLocations":false,"enablePerPartitionFailoverBehavior":true,"disableCrossRegionalHedging":null,
 "userReplicationPolicy":{"asyncReplication":false},"userConsistencyPolicy":{"defaultConsistencyLevel":"Session"},
 "queryEngineConfiguration":"{\"maxJoinsPerSqlQuery\":10}"})";

TEST(AccountDocument, says_where_the_account_lives_and_what_it_does) {
    const auto account = parse_account(two_regions);
    ASSERT_TRUE(account) << to_string(account.error());
    EXPECT_EQ(account->id, "acct");
    ASSERT_EQ(account->writable.size(), 1U);
    ASSERT_EQ(account->readable.size(), 2U);
    EXPECT_EQ(account->readable[1].name, "West US");
    EXPECT_EQ(account->readable[1].endpoint.host, "acct-westus.documents.azure.com");
    EXPECT_EQ(account->readable[1].endpoint.port, 443);
    EXPECT_TRUE(account->readable[1].endpoint.secure());
    EXPECT_EQ(account->multi_write, false);
    EXPECT_EQ(account->per_partition_failover, true);
    EXPECT_EQ(account->hedging_disabled, std::nullopt);
    EXPECT_EQ(account->consistency, Consistency::session);
}

TEST(AccountDocument, keeps_what_it_does_not_say_apart_from_no) {
    const auto account = parse_account(
        R"({"writableLocations":[{"name":"a","databaseAccountEndpoint":"http://localhost:8081/"}]})");
    ASSERT_TRUE(account);
    EXPECT_FALSE(account->multi_write);
    EXPECT_FALSE(account->consistency);
    EXPECT_TRUE(account->readable.empty());
    const auto other = parse_account(
        R"({"readableLocations":[{"name":"a","databaseAccountEndpoint":"http://localhost:8081/"}],)"
        R"("userConsistencyPolicy":{"defaultConsistencyLevel":"Quantum"}})");
    ASSERT_TRUE(other) << "a level of another time";
    EXPECT_FALSE(other->consistency);
}

std::string with_locations(int count) {
    std::string json = R"({"readableLocations":[)";
    for (int i = 0; i < count; ++i)
        json += (i ? "," : "") + std::string{R"({"name":"r)"} + std::to_string(i) +
                R"(","databaseAccountEndpoint":"https://a.example/"})";
    return json + "]}";
}

TEST(AccountDocument, that_is_none_is_refused) {
    EXPECT_TRUE(parse_account(with_locations(64)));
    const std::string deep(100'000, '['), many = with_locations(65);
    for (
        const std::string_view json :
        {std::string_view{}, std::string_view{"<html>"}, std::string_view{"[]"},
         std::string_view{"{}"},
         std::string_view{R"({"writableLocations":[],"readableLocations":[]})"},
         std::string_view{R"({"writableLocations":[{}]})"},
         std::string_view{R"({"writableLocations":[1]})"},
         std::string_view{R"({"writableLocations":[{"name":"a"}]})"},
         std::string_view{
             R"({"writableLocations":[{"name":"","databaseAccountEndpoint":"http://a/"}]})"},
         std::string_view{
             R"({"writableLocations":[{"name":"a","databaseAccountEndpoint":"gopher://a"}]})"},
         std::string_view{
             R"({"writableLocations":[{"name":"a","databaseAccountEndpoint":"http://u:p@a/"}]})"},
         std::string_view{
             R"({"writableLocations":[{"name":"a","databaseAccountEndpoint":"http://a\r\nb/"}]})"},
         std::string_view{
             R"({"readableLocations":[{"name":"a","databaseAccountEndpoint":"http://a/"}],"enableMultipleWriteLocations":1})"},
         std::string_view{"{\"id\":\"\xff\"}"}, std::string_view{two_regions.substr(0, 700)},
         std::string_view{deep}, std::string_view{many}}) {
        const auto account = parse_account(json);
        ASSERT_FALSE(account) << json.substr(0, 100);
        EXPECT_EQ(account.error().cause, Cause::corrupt);
        EXPECT_EQ(account.error().code, "unreadable-answer");
    }
}

TEST(Region, is_the_same_whatever_its_spaces_and_case) {
    EXPECT_TRUE(same_region("East US", "eastus"));
    EXPECT_TRUE(same_region("east us 2", "EastUS2"));
    EXPECT_TRUE(same_region("", " "));
    EXPECT_FALSE(same_region("East US", "East US 2"));
    EXPECT_FALSE(same_region("West US", "East US"));
    EXPECT_EQ(region_key("North Central US"), "northcentralus");
}

TEST(Region, has_an_endpoint_that_can_be_guessed) {
    const auto global = http::parse_url("https://acct.documents.azure.com:443/").value();
    EXPECT_EQ(regional_endpoint(global, "West US")->host, "acct-westus.documents.azure.com");
    EXPECT_EQ(regional_endpoint(global, "West US")->port, 443);
    EXPECT_FALSE(regional_endpoint(global, ""));
    EXPECT_FALSE(regional_endpoint(global, "evil.example/"));
    for (const std::string_view url :
         {"http://127.0.0.1:8081/", "http://localhost:8081/", "http://[::1]:8081/"})
        EXPECT_FALSE(regional_endpoint(http::parse_url(url).value(), "West US")) << url;
}

TEST(Consistency, is_spelled_as_the_wire_has_it) {
    for (const auto level :
         {Consistency::strong, Consistency::bounded_staleness, Consistency::session,
          Consistency::consistent_prefix, Consistency::eventual})
        EXPECT_EQ(parse_consistency(to_string(level)), level);
    EXPECT_EQ(to_string(Consistency::bounded_staleness), "BoundedStaleness");
    EXPECT_EQ(parse_consistency("session"), Consistency::session);
    EXPECT_FALSE(parse_consistency("Sess"));
}

}  // namespace
}  // namespace perdure::cosmos
