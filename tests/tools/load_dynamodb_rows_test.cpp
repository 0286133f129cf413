// SPDX-License-Identifier: Apache-2.0
//
// Does a row become the item it should, and is it recognised again?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "load/target/dynamodb/dynamodb_rows.hpp"
#include "perdure/dynamodb/json.hpp"

namespace tool::load {
namespace {

namespace dynamodb = perdure::dynamodb;
using dynamodb::Item;
using dynamodb::KeyType;
using ::testing::HasSubstr;

Value text_value(std::string_view letters) { return Value{letters}; }

// A table with the key `id` and one more column of this type.
ItemRows rows_with(Type type, KeyType key = KeyType::number) {
    return {
        {.columns = {{.name = "id", .type = key == KeyType::number ? Type::integer : Type::text},
                     {.name = "x", .type = type}},
         .key = 0},
        "orders",
        {{"id", key}}};
}

std::string made(const ItemRows& rows, const std::vector<Value>& row) {
    Item item;
    const std::string wrong = rows.make(row, {.source = "in.csv", .offset = 7}, item);
    return wrong.empty() ? dynamodb::to_json(item) : "wrong: " + wrong;
}

TEST(ItemRows, give_every_value_the_type_that_dynamodb_has_for_it) {
    struct Row {
        Type type;
        Value value;
        const char* json;
    };
    const std::vector<Row> table{
        {Type::integer, Value{INT64_MIN}, R"("x":{"N":"-9223372036854775808"})"},
        {Type::real, Value{0.1}, R"("x":{"N":"0.1"})"},
        {Type::real, Value{-0.0}, R"("x":{"N":"0"})"},
        {Type::boolean, Value{true}, R"("x":{"BOOL":true})"},
        {Type::text, text_value(""), R"("x":{"S":""})"},
        {Type::text, text_value("7"), R"("x":{"S":"7"})"},
        {Type::json, text_value(R"([1, {"a": null}])"),
         R"("x":{"L":[{"N":"1"},{"M":{"a":{"NULL":true}}}]})"},
        {Type::json, text_value("1.50"), R"("x":{"N":"1.50"})"},
        {Type::numeric, text_value("12345678901234567890.50"),
         R"("x":{"N":"12345678901234567890.50"})"},
        {Type::date, text_value("2026-01-31"), R"("x":{"S":"2026-01-31"})"},
        {Type::timestamptz, text_value("2026-01-31T00:00:00Z"),
         R"("x":{"S":"2026-01-31T00:00:00Z"})"},
        {Type::json, text_value(R"("é")"), R"("x":{"S":"é"})"},
    };
    for (const Row& row : table)
        EXPECT_EQ(made(rows_with(row.type), {Value{std::int64_t{1}}, row.value}),
                  std::string{R"({"id":{"N":"1"},)"} + row.json + "}");
}

TEST(ItemRows, leave_out_what_is_null) {
    EXPECT_EQ(made(rows_with(Type::text), {Value{std::int64_t{1}}, Value{}}),
              R"({"id":{"N":"1"}})");
    EXPECT_EQ(made(rows_with(Type::json), {Value{std::int64_t{1}}, text_value("null")}),
              R"({"id":{"N":"1"}})");
}

TEST(ItemRows, know_records_without_a_key_by_their_place) {
    const ItemRows rows{
        {.columns = {{.name = "x", .type = Type::text}}}, "log", {std::string{place_attribute}}};
    EXPECT_EQ(made(rows, {text_value("a")}), R"({"perdure_id":{"S":"in.csv#7"},"x":{"S":"a"}})");
}

TEST(ItemRows, say_why_a_record_cannot_be_an_item) {
    const Value one{std::int64_t{1}};
    const std::string deep(40, '[');
    const std::string ends(40, ']');
    const std::string nested = deep + ends;
    const std::string digits = "[" + std::string(39, '7') + "]";
    const std::string long_key(2049, 'k');
    const std::string huge(500 * 1024, 's');
    EXPECT_THAT(made(rows_with(Type::real), {one, Value{1e300}}), HasSubstr("wrong: DynamoDB"));
    EXPECT_THAT(made(rows_with(Type::json), {one, text_value(digits)}), HasSubstr("wrong: "));
    EXPECT_THAT(made(rows_with(Type::json), {one, text_value(nested)}), HasSubstr("wrong: "));
    const std::string decimal(39, '7');
    EXPECT_THAT(made(rows_with(Type::numeric), {one, text_value(decimal)}),
                HasSubstr("wrong: DynamoDB"));
    EXPECT_THAT(made(rows_with(Type::text), {one, text_value(huge)}), HasSubstr("wrong: DynamoDB"));
    EXPECT_THAT(made(rows_with(Type::text), {Value{}, text_value("a")}),
                HasSubstr("no value for the key 'id'"));
    const ItemRows by_text = rows_with(Type::text, KeyType::string);
    EXPECT_THAT(made(by_text, {text_value(""), text_value("a")}),
                HasSubstr("'id' is an empty text"));
    EXPECT_THAT(made(by_text, {text_value(long_key), text_value("a")}),
                HasSubstr("more than 2048 bytes"));
    EXPECT_THAT(made(by_text, {one, text_value("a")}), HasSubstr("is text, and the field is not"));
    for (const std::string& secret : {digits, huge})
        EXPECT_EQ(made(rows_with(Type::text), {one, text_value(huge)}).find(secret),
                  std::string::npos);
}

TEST(ItemRows, recognise_an_item_whatever_its_letters) {
    struct Row {
        Type type;
        Value sent;
        dynamodb::Value there;
        bool same;
    };
    const std::vector<Row> table{
        {Type::integer, Value{std::int64_t{7}}, dynamodb::Number::as_written("7.0"), true},
        {Type::integer, Value{std::int64_t{7}}, "7", false},
        {Type::integer, Value{std::int64_t{1}}, true, false},
        {Type::real, Value{100.0}, dynamodb::Number::as_written("1E2"), true},
        {Type::real, Value{-0.0}, 0, true},
        {Type::boolean, Value{true}, true, true},
        {Type::boolean, Value{true}, 1, false},
        {Type::text, text_value("7"), 7, false},
        {Type::text, text_value("a"), "a", true},
        {Type::text, text_value("a"), "b", false},
        {Type::text, Value{}, dynamodb::null, true},
        {Type::text, Value{}, "", false},
        {Type::text, Value{}, true, false},
        {Type::json, text_value(R"({"b": 1.0, "a": [ ]})"), Item{{"a", dynamodb::List{}}, {"b", 1}},
         true},
        {Type::json, text_value(R"({"b": 1.5, "a": [ ]})"), Item{{"a", dynamodb::List{}}, {"b", 1}},
         false},
        {Type::json, text_value(R"("1")"), 1, false},
        {Type::numeric, text_value("1.50"), dynamodb::Number::as_written("1.5"), true},
        {Type::numeric, text_value("1.50"), "1.50", false},
        {Type::date, text_value("2026-01-31"), "2026-01-31", true},
        {Type::date, text_value("2026-01-31"), 2026, false},
        {Type::json, text_value("null"), dynamodb::null, true},
        {Type::json, text_value("null"), 1, false},
    };
    const Value one{std::int64_t{1}};
    for (std::size_t i = 0; i < table.size(); ++i) {
        const Item there{{"id", 1}, {"x", table[i].there}, {"another", "of somebody else's"}};
        const std::vector<Value> row{one, table[i].sent};
        EXPECT_EQ(rows_with(table[i].type).same(row, there), table[i].same) << "row " << i;
    }
    EXPECT_TRUE(rows_with(Type::text).same(std::vector<Value>{one, Value{}}, Item{{"id", 1}}));
}

TEST(ItemRows, bring_json_into_the_form_in_which_it_is_read_back) {
    const ItemRows rows = rows_with(Type::json);
    Rows sent{.width = 2,
              .values = {Value{std::int64_t{1}}, text_value(R"({"b": 1.0, "a": "x"})"),
                         Value{std::int64_t{2}}, text_value("null")},
              .records = {0, 1}};
    rows.settle(sent);
    EXPECT_EQ(sent.row(0)[1].text, R"({"a":"x","b":1})");
    EXPECT_EQ(sent.row(1)[1].kind, ValueKind::null);
    ReadRow back;
    rows.read(Item{{"id", 1}, {"x", Item{{"b", 1}, {"a", "x"}}}}, back);
    EXPECT_EQ(back.values[1].text, sent.row(0)[1].text);
}

TEST(ItemRows, make_keys_of_values) {
    EXPECT_EQ(rows_with(Type::text).key_of(std::vector{Value{std::int64_t{7}}}), (Item{{"id", 7}}));
    EXPECT_EQ(rows_with(Type::text, KeyType::string).key_of(std::vector{text_value("a")}),
              (Item{{"id", "a"}}));
    EXPECT_EQ(rows_with(Type::text).key_of(Item{{"x", "y"}, {"id", 7}}), (Item{{"id", 7}}));
}

}  // namespace
}  // namespace tool::load
