// SPDX-License-Identifier: Apache-2.0
//
// Which addresses of an account document may get the account's keys?
#include "perdure/cosmos/wire/location_rule.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace perdure::cosmos {
namespace {

using enum LocationCheck;
using Domains = std::vector<std::string>;

constexpr const char* azure = "https://acct.documents.azure.com:443/";

LocationCheck checked(std::string_view given, std::string_view location,
                      const Domains& others = {}) {
    return check_location(http::parse_url(given).value(), http::parse_url(location).value(),
                          others);
}

TEST(LocationRule, lets_keys_go_only_where_the_given_endpoint_could_lead) {
    const struct {
        const char* given;
        const char* location;
        LocationCheck expected;
    } cases[] = {
        {azure, azure, allowed},
        {azure, "https://ACCT.documents.azure.com./", allowed},
        {azure, "https://acct-eastus.documents.azure.com:443/", allowed},
        {azure, "https://acct-eastus.documents.azure.com:8443/", allowed},
        {azure, "https://a.b.documents.azure.com/", allowed},
        {azure, "https://documents.azure.com/", other_host},
        {azure, "https://evil-documents.azure.com/", other_host},
        {azure, "https://acct.documents.azure.com.evil.test/", other_host},
        {azure, "https://evildocuments.azure.com/", other_host},
        {azure, "https://acct.documents.azure.cn/", other_host},
        {azure, "https://10.9.9.9/", other_host},
        {azure, "https://localhost/", other_host},
        {azure, "https://127.0.0.1/", other_host},
        {azure, "https://[::1]/", other_host},
        // Never to a weaker scheme, whatever the host.
        {azure, "http://acct.documents.azure.com:443/", weaker_scheme},
        {azure, "http://acct-eastus.documents.azure.com/", weaker_scheme},
        {azure, "http://127.0.0.1:8081/", weaker_scheme},
        {"https://localhost:8081/", "http://localhost:8081/", weaker_scheme},
        // The parent domain needs two labels, and the given host has to be a name.
        {"https://acct.local/", "https://acct-eastus.local/", other_host},
        {"https://acct.shop.example/", "https://acct-eastus.shop.example/", allowed},
        // What a registry gives to anybody is no domain of the account.
        {"https://shop.co.uk/", "https://evil.co.uk/", other_host},
        {"https://acct.shop.co.uk/", "https://acct-eastus.shop.co.uk/", allowed},
        {"https://acct.local/", "https://acct.local:444/", allowed},
        {"https://emulator:8081/", "https://other:8081/", other_host},
        {"https://emulator:8081/", "https://emulator:8082/", allowed},
        {"https://10.1.2.3/", "https://10.1.2.4/", other_host},
        {"https://10.1.2.3/", "https://evil.1.2.3/", other_host},
        {"https://10.1.2.3/", "https://10.1.2.3:444/", allowed},
        {"https://127.1/", "https://evil.127.1/", other_host},
        {"https://[fd00::1]/", "https://[fd00::2]/", other_host},
        {"https://[fd00::1]/", "https://[fd00::1]:444/", allowed},
        // An emulator calls itself by any of the names of this machine.
        {"https://localhost:8081/", "https://127.0.0.1:10251/", allowed},
        {"http://localhost:8081/", "http://127.0.0.1:10251/", allowed},
        {"http://127.0.0.1:8081/", "http://[::1]:8081/", allowed},
        {"http://127.0.0.1:8081/", "https://localhost:8081/", allowed},
        {"http://127.0.0.1:8081/", "http://127.example.com/", weaker_scheme},
        {"http://127.0.0.1:8081/", "https://acct.documents.azure.com/", other_host},
        // Plain HTTP goes no further than the given host.
        {"http://gateway.corp.example:8081/", "http://gateway.corp.example:8082/", allowed},
        {"http://gateway.corp.example:8081/", "http://other.corp.example/", weaker_scheme},
        {"http://gateway.corp.example:8081/", "https://other.corp.example/", allowed},
        {"http://emulator:8081/", "http://127.0.0.1:8081/", other_host},
    };
    for (const auto& [given, location, expected] : cases)
        EXPECT_EQ(checked(given, location), expected) << given << " -> " << location;
}

TEST(LocationRule, takes_the_domains_a_user_lists_at_the_borders_of_labels) {
    const Domains others{"Corp.Example", "emulator", "10.0.0.5"};
    const struct {
        const char* location;
        LocationCheck expected;
    } cases[] = {
        {"https://corp.example/", allowed},
        {"https://acct-eastus.corp.example/", allowed},
        {"https://a.b.corp.example./", allowed},
        {"https://evilcorp.example/", other_host},
        {"https://corp.example.evil.test/", other_host},
        {"https://emulator:8081/", allowed},
        {"https://acct.emulator/", other_host},
        {"https://10.0.0.5/", allowed},
        {"https://1.10.0.0.5/", other_host},
        {"http://acct-eastus.corp.example/", weaker_scheme},
        {"http://emulator/", weaker_scheme},
    };
    for (const auto& [location, expected] : cases)
        EXPECT_EQ(checked(azure, location, others), expected) << location;
    EXPECT_EQ(checked("http://127.0.0.1:1/", "http://emulator/", others), weaker_scheme);
}

TEST(LocationRule, says_why_a_location_is_not_used) {
    EXPECT_EQ(describe(allowed), "");
    EXPECT_NE(describe(weaker_scheme).find("plain HTTP"), std::string::npos);
    EXPECT_NE(describe(other_host).find("other_domains"), std::string::npos);
}

TEST(LocationRule, knows_what_can_be_listed_as_a_domain) {
    for (const char* const good :
         {"documents.azure.com", "Corp.Example.", "emulator", "10.0.0.5", "::1", "a-b_c.example"})
        EXPECT_TRUE(valid_domain(good)) << good;
    for (const char* const bad : {"", ".", ".azure.com", "a..b", "*.azure.com", "https://a.example",
                                  "a.example:443", "a.example/", "0.5", "a b", "a\r\nb.example"})
        EXPECT_FALSE(valid_domain(bad)) << bad;
    EXPECT_FALSE(valid_domain(std::string(254, 'a')));
}

}  // namespace
}  // namespace perdure::cosmos
