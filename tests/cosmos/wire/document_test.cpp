// SPDX-License-Identifier: Apache-2.0
//
// Does an item stay the text it is, while single values can be read out of it?
#include "perdure/cosmos/wire/document.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "perdure/cosmos/wire/limits.hpp"

namespace perdure::cosmos {
namespace {

constexpr std::string_view order =
    R"({ "id" : "order-1", "n":42, "price":12345678901234567890.123456789,
 "lines":[{"sku":"a"},{"sku":"b","n":3}], "a/b":{"c":"slash"}, "yes":true, "no":null,
 "caf\u00e9":"\ud83d\ude00\n\"", "big":18446744073709551616, "_etag":"\"00-1\"", "n":43, "empty":{} })";

TEST(Document, gives_single_values) {
    const Document item{order};
    EXPECT_EQ(item.id(), "order-1");
    EXPECT_EQ(item.etag(), "\"00-1\"");
    EXPECT_EQ(item.integer_at("/n"), 42) << "the first of its name";
    EXPECT_EQ(item.integer_at("/lines/1/n"), 3);
    EXPECT_EQ(item.string_at("/lines/0/sku"), "a");
    EXPECT_EQ(item.string_at("/\"a/b\"/c"), "slash");
    EXPECT_EQ(item.string_at("/caf\xc3\xa9"), "\xf0\x9f\x98\x80\n\"");
    EXPECT_EQ(item.truth_at("/yes"), true);
    EXPECT_TRUE(item.is_null_at("/no"));
    EXPECT_EQ(item.real_at("/n"), 42.0);
}

TEST(Document, gives_the_text_of_values_as_it_came) {
    const Document item{order};
    EXPECT_EQ(item.text_at("/price"), "12345678901234567890.123456789");
    EXPECT_EQ(item.text_at("/big"), "18446744073709551616");
    EXPECT_EQ(item.text_at("/lines/0"), R"({"sku":"a"})");
    EXPECT_EQ(item.text_at("/empty"), "{}");
    EXPECT_EQ(item.text_at(""), order);
    EXPECT_EQ(read_text(" [1, 2] ", "/1"), "2");
}

TEST(Document, gives_nothing_where_nothing_fits) {
    const Document item{order};
    for (const std::string_view path :
         {"/missing", "id", "/id/x", "/lines/2", "/lines/x", "/lines/-1", "/lines/", "/\"a/b\"x",
          "/\"a/b", "//", "/n/0", "/lines/99999999999999999999999"})
        EXPECT_FALSE(item.text_at(path)) << path;
    EXPECT_FALSE(item.integer_at("/id"));
    EXPECT_FALSE(item.integer_at("/price"));
    EXPECT_FALSE(item.integer_at("/big"));
    EXPECT_FALSE(item.string_at("/n"));
    EXPECT_FALSE(item.truth_at("/no"));
    for (const std::string_view json :
         {"", "{", "[", "{\"id\"", "{\"id\":", "{\"id\":\"a", "{id:1}", "nul"})
        EXPECT_FALSE(Document{json}.id()) << json;
}

std::string nested(int levels) {
    std::string json;
    for (int i = 0; i < levels; ++i) json += "{\"a\":";
    json += "1";
    for (int i = 0; i < levels; ++i) json += "}";
    return json;
}

TEST(Item, is_one_json_object) {
    for (const std::string& json :
         {std::string{"{}"}, std::string{order},
          std::string{R"({"id":"a","n":1e999,"m":-0.5E-2,"s":"\u0000\/"})"}, nested(128)})
        EXPECT_TRUE(valid_item(json)) << json.substr(0, 60);
    for (const std::string& json : {std::string{},
                                    std::string{"[]"},
                                    std::string{"1"},
                                    std::string{"{"},
                                    std::string{"{}{}"},
                                    std::string{"{\"a\":1,}"},
                                    std::string{"{\"a\":01}"},
                                    std::string{"{\"a\":1.}"},
                                    std::string{"{\"a\":+1}"},
                                    std::string{"{\"a\":-}"},
                                    std::string{"{\"a\":1e}"},
                                    std::string{"{\"a\":nan}"},
                                    std::string{"{\"a\":tru}"},
                                    std::string{"{\"a\":\"\t\"}"},
                                    std::string{"{\"a\":\"\\q\"}"},
                                    std::string{"{\"a\":\"\\u12g4\"}"},
                                    std::string{"{\"a\":\"\xff\"}"},
                                    std::string{"{'a':1}"},
                                    std::string{"{\"a\" 1}"},
                                    std::string{"{\"a\":1]"},
                                    std::string{"{\"a\":[1 2]}"},
                                    std::string{"{\"a\":1 \"b\":2}"},
                                    std::string{"{\"id\":1}"},
                                    std::string{"{\"id\":\"a\",\"id\":\"b\"}"},
                                    std::string{"{\"a\":1}\0", 8},
                                    nested(129),
                                    std::string(1'000'000, '[')}) {
        const auto valid = valid_item(json);
        ASSERT_FALSE(valid) << json.substr(0, 60);
        EXPECT_EQ(valid.error().cause, Cause::invalid);
        EXPECT_EQ(valid.error().origin, Origin::application);
        EXPECT_EQ(valid.error().code, "invalid-item") << json.substr(0, 60);
    }
}

TEST(Item, has_an_id_that_can_stand_in_a_path_and_two_megabytes) {
    const auto refused = valid_item(R"({"id":"a/b"})");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "invalid-id");
    std::string large = R"({"a":")";
    large.append(largest_item - large.size() - 2, 'x').append("\"}");
    EXPECT_TRUE(valid_item(large));
    large.insert(8, "y");
    const auto too_large = valid_item(large);
    ASSERT_FALSE(too_large);
    EXPECT_EQ(too_large.error().cause, Cause::too_large);
    EXPECT_EQ(too_large.error().code, "item-too-large");
}

TEST(Item, has_the_partition_key_its_own_values_make_up) {
    const auto key = [](std::string_view json, std::vector<std::string> paths) {
        return partition_key_of(json, paths).value();
    };
    EXPECT_EQ(key(order, {"/id"}), PartitionKey{"order-1"});
    EXPECT_EQ(key(order, {"/lines/1/n"}), PartitionKey{3});
    EXPECT_EQ(key(order, {"/id", "/no", "/yes"}), (PartitionKey{"order-1", nullptr, true}));
    EXPECT_EQ(key(order, {"/missing"}), PartitionKey::none());
    EXPECT_EQ(key(order, {"/id/deeper"}), PartitionKey::none());
    EXPECT_EQ(key(order, {"/caf\xc3\xa9"}), PartitionKey{"\xf0\x9f\x98\x80\n\""});
    for (const std::string path : {"/lines", "/empty", "/lines/0"}) {
        const auto refused = partition_key_of(order, std::vector{path});
        ASSERT_FALSE(refused) << path;
        EXPECT_EQ(refused.error().code, "invalid-partition-key");
    }
}

TEST(Item, takes_one_more_property_at_its_end_and_is_otherwise_as_it_was) {
    EXPECT_EQ(with_property("{}", "m", "1"), R"({"m":1})");
    EXPECT_EQ(with_property(" { } ", "m", "\"x\""), R"( {"m":"x" } )");
    EXPECT_EQ(with_property(R"({"a":1e400 })", "say \"m\"", "{}"),
              R"({"a":1e400,"say \"m\"":{} })");
    const std::string marked = with_property(order, "_mark", "\"u\"");
    EXPECT_TRUE(valid_item(marked));
    EXPECT_EQ(Document{marked}.string_at("/_mark"), "u");
    EXPECT_EQ(Document{marked}.text_at("/price"), "12345678901234567890.123456789");
    for (const std::string_view json : {"", "  ", "[]", "}"})
        EXPECT_EQ(with_property(json, "m", "1"), json) << "what is no object stays";
}

TEST(Page, is_the_texts_of_its_documents) {
    const std::string_view page =
        R"({"_rid":"x","Documents":[{"id":"a","n":1e400} , {"id":"b"},17,"s",[1]],"_count":5})";
    const auto documents = documents_of(page);
    ASSERT_TRUE(documents);
    EXPECT_EQ(*documents, (std::vector<std::string_view>{R"({"id":"a","n":1e400})", R"({"id":"b"})",
                                                         "17", "\"s\"", "[1]"}));
    EXPECT_GE(documents->front().data(), page.data());
    EXPECT_LT(documents->back().data(), page.data() + page.size());
    EXPECT_TRUE(documents_of(R"({"Documents":[]})")->empty());
    EXPECT_EQ(documents_of(R"({"Databases":[{"id":"d"}]})", "Databases")->size(), 1U);
}

TEST(Page, that_cannot_be_read_is_corrupt) {
    for (const std::string_view json :
         {"", "[]", "{}", R"({"Documents":{}})", R"({"Documents":[1,]})", R"({"Documents":[1)",
          R"({"Documents":[],"Documents":[]})", R"({"Documents":[]}])",
          "{\"Documents\":[\"\xff\"]}"}) {
        const auto documents = documents_of(json);
        ASSERT_FALSE(documents) << json;
        EXPECT_EQ(documents.error().cause, Cause::corrupt);
        EXPECT_EQ(documents.error().code, "unreadable-answer");
    }
}

TEST(Id, is_refused_where_the_service_would_stumble) {
    for (const std::string& id :
         {std::string{"a"}, std::string{"order 1"}, std::string{"\xc3\xbc.~+%&="},
          std::string{"who?"}, std::string(1023, 'x')})
        EXPECT_TRUE(check_id(id)) << id;
    for (const std::string& id :
         {std::string{}, std::string{"a/b"}, std::string{"a\\b"}, std::string{"#"},
          std::string{"a\nb"}, std::string{"\x7f"}, std::string{"a\0b", 3}, std::string{"a "},
          std::string{"\xc3"}, std::string(1024, 'x')}) {
        const auto checked = check_id(id);
        ASSERT_FALSE(checked) << id;
        EXPECT_EQ(checked.error().code, "invalid-id");
        EXPECT_EQ(checked.error().cause, Cause::invalid);
    }
}

}  // namespace
}  // namespace perdure::cosmos
