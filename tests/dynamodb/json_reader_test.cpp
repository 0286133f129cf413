// SPDX-License-Identifier: Apache-2.0
//
// Is an answer read member by member, and a bad one refused without a word of it?
#include "dynamodb/json_reader.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "dynamodb/json_writer.hpp"
#include "perdure/try.hpp"

namespace perdure::dynamodb {
namespace {

const auto ignore = [](std::string_view, JsonNode&) -> Result<void> { return {}; };

TEST(JsonReader, hands_over_each_member_with_its_value) {
    std::string seen;
    const auto read = read_object(
        R"({"Item":{"pk":{"S":"o#1"}},"Count":3,"Units":0.5,"Name":"a\"b","Yes":true,"No":null,)"
        R"("Skipped":{"deep":[1,{"x":[]}]},"Raw": {"a" : [1, 2]} ,"Token":12 ,"List":["x","y"],)"
        R"("Map":{"k":1}})",
        [&](std::string_view name, JsonNode& node) -> Result<void> {
            seen += name;
            if (name == "Item") {
                PERDURE_TRY_VALUE(const Item item, node.item());
                EXPECT_EQ(item, (Item{{"pk", "o#1"}}));
            } else if (name == "Count") {
                EXPECT_EQ(node.kind().value(), JsonKind::number);
                EXPECT_EQ(node.integer().value(), 3);
            } else if (name == "Units") {
                EXPECT_EQ(node.real().value(), 0.5);
            } else if (name == "Name") {
                EXPECT_EQ(node.text().value(), "a\"b");
            } else if (name == "Yes") {
                EXPECT_FALSE(node.is_null());
                EXPECT_TRUE(node.truth().value());
            } else if (name == "No") {
                EXPECT_TRUE(node.is_null());
            } else if (name == "Raw") {
                EXPECT_EQ(node.raw().value(), R"({"a" : [1, 2]})");
            } else if (name == "Token") {
                EXPECT_EQ(node.raw().value(), "12");
            } else if (name == "List") {
                return node.each_element([&](JsonNode& element) -> Result<void> {
                    PERDURE_TRY_VALUE(const std::string_view text, element.view());
                    seen += text;
                    return {};
                });
            } else if (name == "Map") {
                return node.each_member([&](std::string_view key, JsonNode& value) -> Result<void> {
                    seen += key;
                    return value.integer().transform([](std::int64_t) {});
                });
            }
            return {};
        });
    ASSERT_TRUE(read.has_value()) << to_string(read.error());
    EXPECT_EQ(seen, "ItemCountUnitsNameYesNoSkippedRawTokenListxyMapk");
}

TEST(JsonReader, says_that_the_answer_cannot_be_read_and_repeats_nothing_of_it) {
    for (const std::string_view bad :
         {"", "secret", "[]", "{\"secret\":", "{\"a\":\"secret\"", "{\"a\":1}secret",
          "<html>secret</html>", "{\"a\" 1}", "{\"a\":\"secret\xff\"}", "{\"a\":{\"secret\":1}"}) {
        const auto read = read_object(bad, ignore);
        ASSERT_FALSE(read.has_value()) << bad;
        EXPECT_EQ(read.error().cause, Cause::corrupt);
        EXPECT_EQ(read.error().code, "unreadable-answer");
        EXPECT_EQ(to_string(read.error()).find("secret"), std::string::npos);
    }
}

TEST(JsonReader, refuses_values_of_another_type) {
    const std::string_view json = R"({"a":"text","a":1,"a":{},"a":[],"a":null,"a":true,"a":1.5})";
    const auto as = [&](auto get) {
        std::string readable;
        const auto read = read_object(json, [&](std::string_view, JsonNode& node) -> Result<void> {
            readable += get(node).has_value() ? '+' : '-';
            return {};
        });
        return readable + (read ? "" : "!");
    };
    EXPECT_EQ(as([](JsonNode& node) { return node.text(); }), "+------");
    EXPECT_EQ(as([](JsonNode& node) { return node.integer(); }), "-+-----");
    EXPECT_EQ(as([](JsonNode& node) { return node.real(); }), "-+----+");
    EXPECT_EQ(as([](JsonNode& node) { return node.truth(); }), "-----+-");
    EXPECT_EQ(as([](JsonNode& node) { return node.item(); }), "--+----");
    EXPECT_EQ(as([](JsonNode& node) { return node.value(); }), "-------");
    EXPECT_EQ(as([](JsonNode& node) { return node.plain_item(); }), "--+----");
    EXPECT_EQ(as([](JsonNode& node) { return node.raw(); }), "+++++++");
}

TEST(JsonReader, stops_at_the_readers_own_failure_and_gives_it_back) {
    int members = 0;
    const auto read = read_object(R"({"a":[1,2],"b":1})", [&](std::string_view, JsonNode& node) {
        ++members;
        return node.each_element([&](JsonNode&) -> Result<void> {
            return fail({.cause = Cause::conflict, .code = "mine"});
        });
    });
    ASSERT_FALSE(read.has_value());
    EXPECT_EQ(read.error().code, "mine");
    EXPECT_EQ(members, 1);
}

TEST(JsonReader, may_be_asked_while_it_reads) {
    const auto read = read_object(
        R"({"a":{"x":1},"b":"end"})", [&](std::string_view name, JsonNode& node) -> Result<void> {
            if (name == "b") {
                EXPECT_EQ(node.text().value(), "end");
                return {};
            }
            PERDURE_TRY_VALUE(const std::string raw, node.raw());
            return read_object(raw, [&](std::string_view inner, JsonNode& value) -> Result<void> {
                EXPECT_EQ(inner, "x");
                EXPECT_EQ(value.integer().value(), 1);
                return {};
            });
        });
    EXPECT_TRUE(read.has_value());
}

TEST(JsonReader, serves_every_thread) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([t] {
            for (int i = 0; i < 500; ++i) {
                const std::string json = "{\"n\":" + std::to_string(t * 1000 + i) + "}";
                const auto check_it = [&](std::string_view, JsonNode& node) -> Result<void> {
                    EXPECT_EQ(node.integer().value(), t * 1000 + i);
                    return {};
                };
                ASSERT_TRUE(read_object(json, check_it).has_value());
            }
        });
    }
    for (auto& thread : threads) thread.join();
}

TEST(JsonWriter, sets_its_commas_by_itself) {
    std::string body = "before ";
    JsonWriter json{body};
    json.begin_object();
    json.member("TableName", "orders");
    json.member("Key", Item{{"pk", 1}});
    json.key("Limit");
    json.integer(-5);
    json.key("Names");
    json.begin_array();
    json.string("a");
    json.begin_array();
    json.end_array();
    json.begin_object();
    json.end_object();
    json.null();
    json.end_array();
    json.key("Yes");
    json.yes();
    json.key("Raw");
    json.raw("{\"x\":1}");
    json.end_object();
    EXPECT_EQ(body, R"(before {"TableName":"orders","Key":{"pk":{"N":"1"}},"Limit":-5,)"
                    R"("Names":["a",[],{},null],"Yes":true,"Raw":{"x":1}})");
}

}  // namespace
}  // namespace perdure::dynamodb
