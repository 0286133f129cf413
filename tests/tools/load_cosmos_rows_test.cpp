// SPDX-License-Identifier: Apache-2.0
//
// Does a row become the item it should, and back?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "load/source/json_canon.hpp"
#include "load/target/cosmos/cosmos_rows.hpp"
#include "load/target/digest.hpp"

namespace tool::load {
namespace {

using ::testing::HasSubstr;

Value text(std::string_view value) { return Value{value}; }

const Schema with_id{.columns = {{.name = "id", .type = Type::integer},
                                 {.name = "note", .type = Type::text},
                                 {.name = "list", .type = Type::json}}};

TEST(CosmosRows, write_an_id_as_text_and_leave_nulls_out) {
    const CosmosRows rows{with_id, "/id"};
    CosmosItem item;
    const std::vector<Value> row{Value{std::int64_t{7}}, Value{}, text("[1, 2.50]")};
    ASSERT_EQ(rows.make(row, {}, item), "");
    EXPECT_EQ(item.id, "7");
    EXPECT_EQ(item.json, R"({"id":"7","list":[1, 2.50]})");
    EXPECT_EQ(item.key.header_text(), R"(["7"])");
    CosmosReading back;
    const std::string kept = R"({"list":[1,2.5],"id":"7","_ts":1,"perdure_writer":"g:0"})";
    rows.read(kept, back);
    EXPECT_EQ(back.row.values[0].integer, 7);
    EXPECT_EQ(back.row.values[1].kind, ValueKind::null);
    EXPECT_EQ(back.row.values[2].text, "[1,2.5]");
    EXPECT_TRUE(rows.same(row, kept));
    EXPECT_FALSE(rows.same(row, R"({"id":"7","list":[1,2.5],"note":""})"));
    EXPECT_FALSE(rows.same(row, R"({"id":"7","list":[1,2.6]})"));
}

TEST(CosmosRows, write_decimals_and_times_as_text_and_recognise_them) {
    const CosmosRows rows{{.columns = {{.name = "id", .type = Type::uuid},
                                       {.name = "n", .type = Type::numeric},
                                       {.name = "at", .type = Type::timestamptz}}},
                          "/id"};
    CosmosItem item;
    const std::vector<Value> row{text("0123abcd-0000-0000-0000-00000000ffff"), text("1.50"),
                                 text("2026-01-01T01:00:00+01:00")};
    ASSERT_EQ(rows.make(row, {}, item), "");
    EXPECT_THAT(item.json, HasSubstr(R"("n":"1.50","at":"2026-01-01T01:00:00+01:00")"));
    EXPECT_TRUE(rows.same(row, item.json));
    EXPECT_TRUE(rows.same(row, R"({"id":"0123abcd-0000-0000-0000-00000000ffff","n":"1.5",)"
                               R"("at":"2026-01-01T00:00:00Z"})"));
    EXPECT_FALSE(rows.same(row, R"({"id":"0123abcd-0000-0000-0000-00000000ffff","n":"1.51",)"
                                R"("at":"2026-01-01T00:00:00Z"})"));
}

TEST(CosmosRows, take_the_id_from_the_key_or_else_from_the_place) {
    const Schema keyed{.columns = {{.name = "code", .type = Type::integer}}, .key = 0};
    CosmosItem item;
    const std::vector<Value> row{Value{std::int64_t{12}}};
    ASSERT_EQ(CosmosRows(keyed, "/id").make(row, {}, item), "");
    EXPECT_EQ(item.json, R"({"id":"12","code":12})");
    const Schema plain{.columns = keyed.columns};
    ASSERT_EQ(CosmosRows(plain, "/code").make(row, {"/data/log é.csv", 1200}, item), "");
    EXPECT_EQ(item.id, "~2Fdata~2Flog~20~C3~A9.csv:1200");
    EXPECT_EQ(item.key.header_text(), "[12]");
    EXPECT_LT(id_of_place({std::string(1700, '/'), 9}).size(), 1000u);
    EXPECT_NE(id_of_place({std::string(1700, '/'), 9}), id_of_place({std::string(1701, '/'), 9}));
}

TEST(CosmosRows, say_what_cannot_be_an_item_without_quoting_it) {
    const CosmosRows rows{{.columns = {{.name = "id", .type = Type::text},
                                       {.name = "n", .type = Type::integer},
                                       {.name = "j", .type = Type::json}}},
                          "/id"};
    CosmosItem item;
    const std::string long_id(2000, 's');
    const std::vector<std::pair<std::vector<Value>, const char*>> table{
        {{Value{}, Value{}, Value{}}, "no value for the id"},
        {{text("se/cret"), Value{}, Value{}}, "does not take it"},
        {{text("se#cret"), Value{}, Value{}}, "does not take it"},
        {{text("."), Value{}, Value{}}, "may not be . or .."},
        {{text(".."), Value{}, Value{}}, "may not be . or .."},
        {{text(long_id), Value{}, Value{}}, "does not take it"},
        {{text("a"), Value{std::int64_t{9007199254740993}}, Value{}}, "more digits"},
        {{text("a"), Value{}, text(R"({"secret":12345678901234567890})")}, "does not keep"},
    };
    for (const auto& [row, words] : table) {
        const std::string wrong = rows.make(row, {}, item);
        EXPECT_THAT(wrong, HasSubstr(words));
        EXPECT_EQ(wrong.find("cret"), std::string::npos) << wrong;
        EXPECT_EQ(wrong.find("sss"), std::string::npos) << wrong;
    }
    const std::vector<Value> question{text("who?"), Value{}, Value{}};
    EXPECT_EQ(rows.make(question, {}, item), "");
    EXPECT_EQ(item.json, R"({"id":"who?"})");
}

TEST(CosmosRows, reject_a_record_that_has_no_value_for_the_partition_key) {
    const CosmosRows rows{{.columns = {{.name = "id"}, {.name = "customer", .type = Type::json}}},
                          "/customer"};
    CosmosItem item;
    for (const Value& nothing : {Value{}, text("null"), text(" null ")})
        EXPECT_EQ(rows.make(std::vector<Value>{text("1"), nothing}, {}, item),
                  "has no value for 'customer', which takes no null");
    EXPECT_EQ(rows.make(std::vector<Value>{text("1"), text("\"null\"")}, {}, item), "");
}

TEST(CosmosRows, do_not_take_a_number_for_the_text_of_its_digits) {
    const Schema schema{.columns = {{.name = "id"}, {.name = "note", .type = Type::text}}};
    const CosmosRows rows{schema, "/id"};
    const auto sent = [](std::string_view note) {
        return std::vector<Value>{text("1"), text(note)};
    };
    CosmosReading back;
    for (const char* strange : {"5", "true", "{}", "[1]", R"("")"}) {
        const std::string kept = R"({"id":"1","note":)" + std::string{strange} + '}';
        rows.read(kept, back);
        for (const char* note : {"", "5", "true", "{}", "[1]"}) {
            const bool equal = strange[0] == '"' && note[0] == '\0';
            EXPECT_EQ(rows.same(sent(note), kept), equal) << strange << " is " << note;
            EXPECT_EQ(row_digest(schema, sent(note)) == row_digest(schema, back.row.values), equal)
                << strange << " is " << note;
        }
    }
}

TEST(CosmosRows, leave_out_a_null_that_csv_says_in_json_and_find_it_the_same) {
    const CosmosRows rows{with_id, "/id"};
    CosmosItem item;
    const std::vector<Value> row{Value{std::int64_t{7}}, Value{}, text(" null")};
    ASSERT_EQ(rows.make(row, {}, item), "");
    EXPECT_EQ(item.json, R"({"id":"7"})");
    EXPECT_TRUE(rows.same(row, item.json));
    EXPECT_TRUE(rows.same(row, R"({"id":"7","list":null})"));
    EXPECT_FALSE(rows.same(row, R"({"id":"7","list":"null"})"));
    Rows read{.width = 3, .values = row, .records = {0}};
    rows.settle(read);
    EXPECT_EQ(read.values[2].kind, ValueKind::null);
}

TEST(CosmosRows, are_found_by_what_a_partition_key_of_json_says) {
    const CosmosRows rows{{.columns = {{.name = "id"}, {.name = "customer", .type = Type::json}},
                           .key = 0,
                           .sort = 1},
                          "/customer"};
    CosmosItem item;
    for (const char* customer : {R"("c-7")", "12", "true"}) {
        const std::vector<Value> row{text("1"), text(customer)};
        ASSERT_EQ(rows.make(row, {}, item), "");
        const auto where = rows.address_of(row);
        ASSERT_TRUE(where) << customer;
        EXPECT_EQ(where->key.header_text(), item.key.header_text());
    }
    EXPECT_FALSE(rows.address_of(std::vector<Value>{text("1"), text("[1]")}));
    EXPECT_FALSE(rows.address_of(std::vector<Value>{text("1"), Value{}}));
}

TEST(CosmosRows, refuse_names_and_keys_that_would_be_others) {
    const auto code = [](std::vector<Column> columns, std::optional<std::size_t> key,
                         const char* partition) {
        const auto checked =
            CosmosRows({.columns = std::move(columns), .key = key}, partition).check();
        return checked ? std::string{} : checked.error().code;
    };
    EXPECT_EQ(code({{.name = "id"}, {.name = "a"}}, 0, "/id"), "");
    EXPECT_EQ(code({{.name = "a"}}, std::nullopt, "/id"), "");
    EXPECT_EQ(code({{.name = "_ts"}}, std::nullopt, "/id"), "field-name");
    EXPECT_EQ(code({{.name = "perdure_writer"}}, std::nullopt, "/id"), "field-name");
    EXPECT_EQ(code({{.name = "id"}, {.name = "a"}}, 1, "/id"), "key-is-id");
    EXPECT_EQ(code({{.name = "id"}}, std::nullopt, "/a"), "no-key");
    EXPECT_EQ(code({{.name = "id"}, {.name = "a"}}, 0, "/a"), "key-and-partition")
        << "the next run would be refused";
    EXPECT_EQ(code({{.name = "id"}, {.name = "a"}}, std::nullopt, "/a"), "");
}

TEST(CanonicalJson, is_the_same_for_texts_that_say_the_same) {
    const std::vector<std::pair<const char*, const char*>> table{
        {R"({"b":1,"a":[true,null]})", R"( {"a" : [true,null], "b": 1.0e0} )"},
        {R"("\u00e9")", R"("é")"},
        {"0.50", "5e-1"},
        {"[]", "[ ]"},
        {"{}", "{ }"},
    };
    for (const auto& [one, other] : table) {
        ASSERT_TRUE(canonical_json(one)) << one;
        EXPECT_EQ(canonical_json(one), canonical_json(other)) << one;
    }
    EXPECT_NE(canonical_json("[1,2]"), canonical_json("[2,1]"));
    EXPECT_EQ(canonical_json("{"), std::nullopt);
    EXPECT_EQ(canonical_json("9007199254740993"), std::nullopt);
    EXPECT_EQ(canonical_json("123456789012345678901234567890"), std::nullopt);
}

}  // namespace
}  // namespace tool::load
