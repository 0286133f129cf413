// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/headers.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

using perdure::http::Header;
using perdure::http::Headers;

Headers some() {
    Headers headers;
    headers.add("Content-Type", "text/plain");
    headers.add("Set-Cookie", "a=1");
    headers.add("set-cookie", "b=2");
    headers.add("X-Empty", "");
    return headers;
}

TEST(Headers, finds_a_name_in_any_case_and_the_first_of_several) {
    const Headers headers = some();
    EXPECT_EQ(headers.find("CONTENT-type"), "text/plain");
    EXPECT_EQ(headers.find("set-cookie"), "a=1");
    EXPECT_EQ(headers.find("x-empty"), "");
    EXPECT_EQ(headers.find("content-typ"), std::nullopt);
    EXPECT_EQ(headers.find(""), std::nullopt);
}

TEST(Headers, keeps_the_order_and_the_spelling) {
    std::vector<std::string> names;
    for (const auto& [name, value] : some()) names.emplace_back(name);
    EXPECT_EQ(names,
              (std::vector<std::string>{"Content-Type", "Set-Cookie", "set-cookie", "X-Empty"}));
    EXPECT_EQ(some().size(), 4U);
    EXPECT_EQ(some()[1], (Header{"Set-Cookie", "a=1"}));
}

TEST(Headers, gives_all_fields_of_one_name) {
    const Headers headers = some();
    std::vector<std::string> values;
    for (const Header& header : headers.all("SET-COOKIE")) values.emplace_back(header.value);
    EXPECT_EQ(values, (std::vector<std::string>{"a=1", "b=2"}));
    EXPECT_EQ(headers.all("nothing").begin(), headers.all("nothing").end());
}

TEST(Headers, replaces_all_of_a_name_at_once) {
    Headers headers = some();
    headers.set("SET-COOKIE", "c=3");
    EXPECT_EQ(headers.size(), 3U);
    EXPECT_EQ(headers.find("set-cookie"), "c=3");
    headers.remove("set-cookie");
    headers.remove("unknown");
    EXPECT_EQ(headers.size(), 2U);
    EXPECT_EQ(headers.find("content-type"), "text/plain");
}

TEST(Headers, takes_views_into_itself) {
    Headers headers;
    headers.add("a", std::string(100, 'x'));
    for (int i = 0; i < 20; ++i) headers.add(headers[0].name, headers[0].value);
    headers.set("b", *headers.find("a"));
    EXPECT_EQ(headers.find("b"), std::string(100, 'x'));
    EXPECT_EQ(headers[20], headers[0]);
}

TEST(Headers, looks_for_a_word_in_comma_lists) {
    struct Case {
        const char* value;
        bool has;
    };
    for (const auto& [value, has] :
         {Case{"close", true}, Case{"Keep-Alive,  CLOSE\t", true}, Case{"closed", false},
          Case{"not-close", false}, Case{"", false}, Case{",,close", true},
          Case{"clo se", false}}) {
        Headers headers;
        headers.add("Connection", "upgrade");
        headers.add("connection", value);
        EXPECT_EQ(headers.has("CONNECTION", "close"), has) << value;
    }
}

TEST(Headers, are_equal_if_fields_and_order_are) {
    Headers others = some();
    EXPECT_EQ(others, some());
    others.add("x", "y");
    EXPECT_NE(others, some());
    others.clear();
    EXPECT_TRUE(others.empty());
    EXPECT_EQ(others, Headers{});
}

}  // namespace
