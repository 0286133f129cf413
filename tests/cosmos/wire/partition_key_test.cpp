// SPDX-License-Identifier: Apache-2.0
//
// Does a partition key say in a header what it is, and refuse what the service would?
#include "perdure/cosmos/wire/partition_key.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace perdure::cosmos {
namespace {

const std::vector<std::pair<PartitionKey, std::string>>& texts() {
    static const std::vector<std::pair<PartitionKey, std::string>> all = {
        {PartitionKey{}, "[]"},
        {PartitionKey{"A"}, R"(["A"])"},
        {PartitionKey{std::string_view{"A"}}, R"(["A"])"},
        {PartitionKey{std::string{"A"}}, R"(["A"])"},
        {PartitionKey{""}, R"([""])"},
        {PartitionKey{"tenant", "user"}, R"(["tenant","user"])"},
        {PartitionKey{"a", 1, true}, R"(["a",1,true])"},
        {PartitionKey::none(), "[{}]"},
        {PartitionKey{nullptr}, "[null]"},
        {PartitionKey{false}, "[false]"},
        {PartitionKey{42}, "[42]"},
        {PartitionKey{42U}, "[42]"},
        {PartitionKey{-0.0}, "[0]"},
        {PartitionKey{100000}, "[100000]"},
        {PartitionKey{0.1}, "[0.1]"},
        {PartitionKey{1e300}, "[1e+300]"},
        {PartitionKey{std::int64_t{-9007199254740991}}, "[-9007199254740991]"},
        {PartitionKey{"say \"hi\" \\"}, R"(["say \"hi\" \\"])"},
        {PartitionKey{"a\nb\x7f"}, R"(["a\u000ab\u007f"])"},
        {PartitionKey{std::string("a\0b", 3)}, R"(["a\u0000b"])"},
        {PartitionKey{"Z\xc3\xbcrich"}, R"(["Z\u00fcrich"])"},
        {PartitionKey{"\xe6\x9d\xb1\xe4\xba\xac"}, R"(["\u6771\u4eac"])"},
        {PartitionKey{"\xf0\x9f\x98\x80"}, R"(["\ud83d\ude00"])"},
    };
    return all;
}

TEST(PartitionKey, is_a_json_list_in_plain_ascii) {
    for (const auto& [key, text] : texts()) EXPECT_EQ(key.header_text(), text);
}

TEST(PartitionKey, comes_back_from_its_text) {
    for (const auto& [key, text] : texts()) {
        const auto read = PartitionKey::parse(text);
        ASSERT_TRUE(read) << text;
        EXPECT_EQ(*read, key) << text;
    }
    EXPECT_EQ(*PartitionKey::parse(" [ \"A\" , 1.50 ] "), (PartitionKey{"A", 1.5}));
}

TEST(PartitionKey, is_refused_where_its_text_is_no_list_of_values) {
    for (const std::string_view text :
         {"", "A", "\"A\"", "[", "[\"A\"", "[\"A\"]x", "[[1]]", "[{\"a\":1}]", "[1,2,3,4]", "[nul]",
          "[1e999]", "[\"\xff\"]", "[\"\n\"]", "[,]", "[1,]", "{}", "[01]", "[\"\\x\"]"}) {
        const auto read = PartitionKey::parse(text);
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.error().cause, Cause::invalid);
        EXPECT_EQ(read.error().code, "invalid-partition-key");
    }
}

TEST(PartitionKey, equals_the_one_of_the_same_values_only) {
    EXPECT_EQ(PartitionKey{5}, PartitionKey{5.0});
    EXPECT_NE(PartitionKey{1}, PartitionKey{true});
    EXPECT_NE(PartitionKey{"1"}, PartitionKey{1});
    EXPECT_NE(PartitionKey{nullptr}, PartitionKey::none());
    EXPECT_NE(PartitionKey{""}, PartitionKey{nullptr});
    EXPECT_NE((PartitionKey{"a", "b"}), PartitionKey{"a"});
}

TEST(PartitionKey, has_at_most_three_values) {
    PartitionKey key{"a", "b"};
    EXPECT_TRUE(key.add("c"));
    EXPECT_FALSE(key.add("d"));
    EXPECT_EQ(key, (PartitionKey{"a", "b", "c"}));
}

TEST(PartitionKey, passes_its_check_up_to_2048_bytes) {
    EXPECT_TRUE(check(PartitionKey{std::string(2048, 'x')}));
    EXPECT_TRUE(check(PartitionKey::none()));
    const auto refused = [](const PartitionKey& key) {
        const auto checked = check(key);
        return !checked && checked.error().cause == Cause::invalid &&
               checked.error().origin == Origin::application &&
               checked.error().code == "invalid-partition-key";
    };
    EXPECT_TRUE(refused(PartitionKey{std::string(2049, 'x')}));
    EXPECT_TRUE(refused(PartitionKey{std::string(1025, 'x'), std::string(1024, 'y')}));
    EXPECT_TRUE(refused(PartitionKey{}));
    EXPECT_TRUE(refused(PartitionKey{"\xc3"}));
    EXPECT_TRUE(refused(PartitionKey{std::nan("")}));
    EXPECT_TRUE(refused(PartitionKey{std::numeric_limits<double>::infinity()}));
}

TEST(PartitionKey, is_plain_ascii_even_where_it_is_not_utf8) {
    EXPECT_EQ(PartitionKey{"a\xff"}.header_text(), R"(["a\ufffd"])");
}

}  // namespace
}  // namespace perdure::cosmos
