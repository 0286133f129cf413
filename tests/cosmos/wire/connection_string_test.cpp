// SPDX-License-Identifier: Apache-2.0
//
// Is a connection string read in every form people paste, and a wrong one refused without showing it?
#include "perdure/cosmos/wire/connection_string.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace perdure::cosmos {
namespace {

TEST(ConnectionString, names_endpoint_and_key_in_any_order_and_case) {
    for (const std::string_view text :
         {"AccountEndpoint=https://acct.documents.azure.com:443/;AccountKey=c2VjcmV0;",
          "AccountEndpoint=https://acct.documents.azure.com:443/;AccountKey=c2VjcmV0",
          "AccountKey=c2VjcmV0;AccountEndpoint=https://acct.documents.azure.com",
          "  accountkey = c2VjcmV0 ; ACCOUNTENDPOINT = https://ACCT.documents.azure.com/ ;; \n",
          "AccountEndpoint=https://acct.documents.azure.com;AccountKey=c2VjcmV0;Database=shop;"}) {
        const auto read = parse_connection_string(text);
        ASSERT_TRUE(read) << text << to_string(read.error());
        EXPECT_EQ(read->endpoint.host, "acct.documents.azure.com");
        EXPECT_EQ(read->endpoint.port, 443);
        EXPECT_TRUE(read->endpoint.secure());
    }
}

TEST(ConnectionString, keeps_the_padding_of_its_key) {
    const auto read =
        parse_connection_string("AccountEndpoint=http://localhost:8081;AccountKey=AA==;");
    ASSERT_TRUE(read);
    std::string a, b;
    read->key.append_authorization(a, {.verb = "GET"});
    MasterKey::from("AA==").value().append_authorization(b, {.verb = "GET"});
    EXPECT_EQ(a, b);
}

TEST(ConnectionString, that_is_wrong_says_what_is_and_shows_nothing) {
    struct Case {
        std::string_view text, words;
    };
    for (const auto& [text, words] : {
             Case{"", "no AccountEndpoint"},
             Case{"AccountKey=c2VjcmV0", "no AccountEndpoint"},
             Case{"AccountEndpoint=;AccountKey=c2VjcmV0", "no AccountEndpoint"},
             Case{"AccountEndpoint=https://a.example", "no AccountKey"},
             Case{"AccountEndpoint=https://a.example;AccountKey=", "no AccountKey"},
             Case{"AccountEndpoint=https://a.example;c2VjcmV0", "no name"},
             Case{"AccountEndpoint=https://a.example;AccountKey=c2Vjc", "base64"},
             Case{"AccountEndpoint=https://a.example;AccountKey=c2VjcmV0;AccountKey=c2VjcmV0",
                  "AccountKey twice"},
             Case{"AccountEndpoint=https://a.example;AccountEndpoint=https://a.example", "twice"},
             Case{"AccountEndpoint=https://c2VjcmV0@a.example;AccountKey=c2VjcmV0", "more than"},
             Case{"AccountEndpoint=https://a.example/c2Vj;AccountKey=c2VjcmV0", "more than"},
             Case{"AccountEndpoint=ftp://c2Vj;AccountKey=c2VjcmV0", ""},
         }) {
        const auto read = parse_connection_string(text);
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.error().cause, Cause::invalid);
        EXPECT_EQ(read.error().origin, Origin::application);
        EXPECT_NE(read.error().message.find(words), std::string::npos) << read.error().message;
        EXPECT_EQ(to_string(read.error()).find("c2Vj"), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace perdure::cosmos
