// SPDX-License-Identifier: Apache-2.0
//
// Does a record become the values it stands for, or a rejection that says why not?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <random>

#include "load/source/csv_record.hpp"
#include "load/source/json_record_fault.hpp"
#include "load/source/reading.hpp"
#include "load/source/reading_values.hpp"

namespace tool::load {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Batch batch_of(const std::vector<std::string>& records, Format format = Format::json_lines) {
    Batch batch{.format = format};
    for (const std::string& record : records) {
        batch.records.push_back({.begin = batch.bytes.size(),
                                 .end = batch.bytes.size() + record.size(),
                                 .line = batch.records.size() + 1});
        batch.bytes += record + "\n";
    }
    batch.end = batch.bytes.size();
    return batch;
}

std::string shown_value(const Value& value) {
    switch (value.kind) {
        case ValueKind::null: return "null";
        case ValueKind::boolean: return value.integer ? "yes" : "no";
        case ValueKind::integer: return "i" + std::to_string(value.integer);
        case ValueKind::real: {
            char digits[64];
            const auto end = std::to_chars(digits, digits + sizeof digits, value.real).ptr;
            return "r" + std::string(digits, end);
        }
        case ValueKind::text: return "t" + std::string{value.text};
    }
    return "?";
}

// "i7 tx", or the reason.
std::string read_one(const std::string& record, const Header& header, const Schema& schema) {
    const Batch batch = batch_of({record}, header.empty() ? Format::json_lines : Format::csv);
    Rows rows;
    read_rows(batch, header, schema, rows);
    EXPECT_EQ(rows.size() + rows.rejected.size(), 1);
    if (rows.size() == 0) return rows.rejected[0].reason;
    std::string all;
    for (const Value& value : rows.row(0)) all += (all.empty() ? "" : " ") + shown_value(value);
    return all;
}

Schema column(Type type) { return {.columns = {{.name = "x", .type = type}}}; }

constexpr Type types[] = {Type::integer, Type::real, Type::boolean,
                          Type::text,    Type::json, Type::other};

TEST(LoadReading, puts_json_values_into_columns_of_every_type) {
    struct Case {
        const char* json;
        std::vector<std::string> in;  // integer, real, boolean, text, json, other
    };
    const std::string text_i = "field 'x' holds text, its column holds integers";
    const std::string text_r = "field 'x' holds text, its column holds numbers";
    const std::string text_b = "field 'x' holds text, its column holds true or false";
    const std::string number_b = "field 'x' holds a number, its column holds true or false";
    const std::string fraction =
        "field 'x' holds a number with a fraction, its column holds integers";
    const std::string bits =
        "field 'x' holds an integer of more than 64 bits, its column holds integers";
    const std::string large = "field 'x' holds a number that is too large for its column";
    const std::string digits = "field 'x' has more digits than its column keeps";
    const std::string zero_i = "field 'x' holds -0, its column holds integers";
    const std::string yes_i = "field 'x' holds true or false, its column holds integers";
    const std::string yes_r = "field 'x' holds true or false, its column holds numbers";
    const std::string list_i = "field 'x' holds an object or a list, its column holds integers";
    const std::string list_r = "field 'x' holds an object or a list, its column holds numbers";
    const std::string list_b =
        "field 'x' holds an object or a list, its column holds true or false";
    const Case cases[] = {
        {"null", {"null", "null", "null", "null", "null", "null"}},
        {"7", {"i7", "r7", number_b, "t7", "t7", "t7"}},
        {"-0", {zero_i, "r-0", number_b, "t-0", "t-0", "t-0"}},
        {"-9223372036854775808",
         {"i-9223372036854775808", "r-9223372036854775808", number_b, "t-9223372036854775808",
          "t-9223372036854775808", "t-9223372036854775808"}},
        {"9223372036854775808",
         {bits, "r9223372036854775808", number_b, "t9223372036854775808", "t9223372036854775808",
          "t9223372036854775808"}},
        {"1e2", {fraction, "r100", number_b, "t1e2", "t1e2", "t1e2"}},
        {"0.1", {fraction, "r0.1", number_b, "t0.1", "t0.1", "t0.1"}},
        {"1e400", {fraction, large, number_b, "t1e400", "t1e400", "t1e400"}},
        {"9007199254740993",
         {"i9007199254740993", digits, number_b, "t9007199254740993", "t9007199254740993",
          "t9007199254740993"}},
        {"-1e-400", {fraction, digits, number_b, "t-1e-400", "t-1e-400", "t-1e-400"}},
        {"true", {yes_i, yes_r, "yes", "ttrue", "ttrue", "ttrue"}},
        {"false", {yes_i, yes_r, "no", "tfalse", "tfalse", "tfalse"}},
        {"\"7\"", {text_i, text_r, text_b, "t7", "t\"7\"", "t7"}},
        {"\"\"", {text_i, text_r, text_b, "t", "t\"\"", "t"}},
        {R"("a\"\\\/\b\f\n\r\té€")",
         {text_i, text_r, text_b, "ta\"\\/\b\f\n\r\té€", R"(t"a\"\\\/\b\f\n\r\té€")",
          "ta\"\\/\b\f\n\r\té€"}},
        {R"("\ud83d\ude00\u00e9\u20AC")",
         {text_i, text_r, text_b, "t😀é€", R"(t"\ud83d\ude00\u00e9\u20AC")", "t😀é€"}},
        {R"({"a": [1, {"b":null}]})",
         {list_i, list_r, list_b, R"(t{"a": [1, {"b":null}]})", R"(t{"a": [1, {"b":null}]})",
          R"(t{"a": [1, {"b":null}]})"}},
        {"[]", {list_i, list_r, list_b, "t[]", "t[]", "t[]"}},
    };
    for (const Case& at : cases)
        for (std::size_t i = 0; i < std::size(types); ++i) {
            SCOPED_TRACE(std::string{at.json} + " as " + std::string{to_string(types[i])});
            EXPECT_EQ(read_one("{\"x\": " + std::string{at.json} + " }", {}, column(types[i])),
                      at.in[i]);
        }
}

TEST(LoadReading, puts_csv_texts_into_columns_of_every_type) {
    const std::string i = "field 'x' holds text, its column holds integers";
    const std::string r = "field 'x' holds text, its column holds numbers";
    const std::string b = "field 'x' holds text, its column holds true or false";
    const std::string j = "field 'x' holds no JSON, its column holds JSON";
    const std::string bits =
        "field 'x' holds an integer of more than 64 bits, its column holds integers";
    const std::string large = "field 'x' holds a number that is too large for its column";
    struct Case {
        const char* csv;
        std::vector<std::string> in;
    };
    const Case cases[] = {
        {"7,", {"i7", "r7", b, "t7", "t7", "t7"}},
        {"\"7\",", {"i7", "r7", b, "t7", "t7", "t7"}},
        {"-12,", {"i-12", "r-12", b, "t-12", "t-12", "t-12"}},
        {"007,",
         {"field 'x' has zeros in front that its column does not keep", r, b, "t007", j, "t007"}},
        {"1,", {"i1", "r1", "yes", "t1", "t1", "t1"}},
        {"0,", {"i0", "r0", "no", "t0", "t0", "t0"}},
        {"T,", {i, r, "yes", "tT", j, "tT"}},
        {"fAlse,", {i, r, "no", "tfAlse", j, "tfAlse"}},
        {"true,", {i, r, "yes", "ttrue", "ttrue", "ttrue"}},
        {"1.5e3,", {i, "r1500", b, "t1.5e3", "t1.5e3", "t1.5e3"}},
        {".5,", {i, r, b, "t.5", j, "t.5"}},
        {"1.,", {i, r, b, "t1.", j, "t1."}},
        {"+1,", {i, r, b, "t+1", j, "t+1"}},
        {" 1,", {i, r, b, "t 1", "t 1", "t 1"}},
        {"nan,", {i, r, b, "tnan", j, "tnan"}},
        {"inf,", {i, r, b, "tinf", j, "tinf"}},
        {"0x10,", {i, r, b, "t0x10", j, "t0x10"}},
        {"1e400,", {i, large, b, "t1e400", "t1e400", "t1e400"}},
        {"9223372036854775808,",
         {bits, "r9223372036854775808", b, "t9223372036854775808", "t9223372036854775808",
          "t9223372036854775808"}},
        {",", {"null", "null", "null", "null", "null", "null"}},
        {"\"\",", {i, r, b, "t", j, "t"}},
        {"\"{\"\"a\"\":[1]}\",", {i, r, b, "t{\"a\":[1]}", "t{\"a\":[1]}", "t{\"a\":[1]}"}},
        {"5\"x,", {i, r, b, "t5\"x", j, "t5\"x"}},
    };
    for (const Case& at : cases)
        for (std::size_t k = 0; k < std::size(types); ++k) {
            SCOPED_TRACE(std::string{at.csv} + " as " + std::string{to_string(types[k])});
            const Schema schema{.columns = {{.name = "x", .type = types[k]}, {.name = "y"}}};
            const auto read = read_one(at.csv, {"x", "y"}, schema);
            EXPECT_EQ(read, at.in[k] + (read.starts_with("field") ? "" : " null"));
        }
}

TEST(LoadReading, rejects_records_and_says_why_without_quoting_values) {
    const Schema schema{.columns = {{.name = "id", .type = Type::integer},
                                    {.name = "name", .required = true},
                                    {.name = "more", .type = Type::json}},
                        .key = 0};
    struct Case {
        std::string record;
        const char* reason;
    };
    const Case json[] = {
        {R"({"id":1})", "has no value for 'name', which takes no null"},
        {R"({"name":"x"})", "has no value for the key 'id'"},
        {R"({"id":null,"name":"x"})", "has no value for the key 'id'"},
        {R"({"id":1,"name":"x","age":7})", "field 'age' is not among the columns of this load"},
        {R"({"id":1,"name":"x","id":1})", "field 'id' is there twice"},
        {R"({"id":1,"name":"x","\u0069d":1})", "field 'id' is there twice"},
        {R"({"id":1,"name":"a\u0000b"})", "field 'name' holds a NUL character"},
        {R"({"id":1,"name":"\ud83d"})",
         "field 'name' holds an escape that stands for no character"},
        {R"({"id":1,"name":"\ude00"})",
         "field 'name' holds an escape that stands for no character"},
        {R"({"id":1,"name":"\ud83d\u0041"})",
         "field 'name' holds an escape that stands for no character"},
        {"[1]", "is no JSON object"},
        {"7", "is no JSON object"},
        {"hello", "not JSON: column 1: expected a value"},
        {R"({"id":1,"name":"x")", "not JSON: column 19: expected ',' or '}'"},
        {R"({"id":1,"name":"x)", "not JSON: column 18: expected a closing quote"},
        {R"({"id":1 "name":"x"})", "not JSON: column 9: expected ',' or '}'"},
        {R"({"id":1,})", "not JSON: column 9: expected a field's name"},
        {R"({"id" 1})", "not JSON: column 7: expected ':'"},
        {R"({"id":1}})", "not JSON: column 9: expected nothing more"},
        {R"({"id":1} {"id":2})", "not JSON: column 10: expected nothing more"},
        {R"({"id":1,"name":"x":,"more":1})", "not JSON: column 19: expected ',' or '}'"},
        {R"({"id":01})", "not JSON: column 8: expected ',' or '}'"},
        {R"({"id":1.})", "not JSON: column 9: expected a digit"},
        {R"({"id":tru})", "not JSON: column 7: expected a value"},
        {R"({"id":truex})", "not JSON: column 11: expected ',' or '}'"},
        {R"({"id":1,"name":"\x"})",
         "not JSON: column 18: expected one of \"\\/bfnrtu after a backslash"},
        {R"({"id":1,"name":"\u12g4"})", "not JSON: column 21: expected four hexadecimal digits"},
        {R"({"id":1,"name":"x","more":[1,}]})", "not JSON: column 30: expected a value"},
        {R"({"id":1,"name":"x","more":[1}})", "not JSON: column 29: expected ',' or ']'"},
        {"{\"id\":1,\"name\":\"a\tb\"}",
         "not JSON: column 18: expected an escape for a control character"},
        {"{\"id\":1,\"name\":\"\xff\"}", "its text is not UTF-8"},
        {"{\"id\":1,\"name\":\"\xed\xa0\x80\"}", "its text is not UTF-8"},
        {std::string("{\"id\":1,\"name\":\"\0\"}", 20),
         "not JSON: column 17: expected an escape for a control character"},
    };
    for (const Case& at : json) {
        SCOPED_TRACE(at.record);
        EXPECT_EQ(read_one(at.record, {}, schema), at.reason);
    }
    const Case csv[] = {
        {"1,x", "has 2 fields, the header has 3"},
        {"1,x,,", "has 4 fields, the header has 3"},
        {",x,", "has no value for the key 'id'"},
        {"1,,", "has no value for 'name', which takes no null"},
        {"1,\"x,", "a quote is opened and never closed"},
        {"1,\"x\"y,", "a closing quote is followed by more text"},
        {"1,\xff,", "its text is not UTF-8"},
        {std::string("1,\0,", 4), "its text holds a NUL character"},
    };
    for (const Case& at : csv) {
        SCOPED_TRACE(at.record);
        EXPECT_EQ(read_one(at.record, {"id", "name", "more"}, schema), at.reason);
    }
    EXPECT_EQ(read_one("1,x,,3", {"id", "name", "more", "age"}, schema),
              "field 'age' is not among the columns of this load");
}

TEST(LoadReading, takes_fields_in_any_order_and_null_for_those_left_out) {
    const Schema schema{.columns = {{.name = "a\"b", .type = Type::integer},
                                    {.name = "", .type = Type::integer},
                                    {.name = "é", .type = Type::integer}}};
    EXPECT_EQ(read_one(R"( { "é" : 3 , "a\"b" : 1 } )", {}, schema), "i1 null i3");
    EXPECT_EQ(read_one(R"({"":2,"\u00e9":3})", {}, schema), "null i2 i3");
    EXPECT_EQ(read_one("{}", {}, schema), "null null null");
    EXPECT_EQ(read_one("3,1", {"é", "a\"b"}, schema), "i1 null i3");
}

TEST(LoadReading, ends_every_record_in_exactly_one_place) {
    Batch batch = batch_of({R"({"x":1})", "bad", R"({"x":2})", R"({"x":"a\n"})", R"({"x":3})"});
    batch.records[4].too_long = true;
    Rows rows;
    rows.texts.emplace_back("old");
    read_rows(batch, {}, column(Type::integer), rows);
    read_rows(batch, {}, column(Type::integer), rows);
    EXPECT_THAT(rows.records, ElementsAre(0, 2));
    ASSERT_EQ(rows.values.size(), 2);
    EXPECT_EQ(rows.row(1)[0].integer, 2);
    ASSERT_EQ(rows.rejected.size(), 3);
    EXPECT_EQ(rows.rejected[0].record, 1);
    EXPECT_EQ(rows.rejected[1].record, 3);
    EXPECT_EQ(rows.rejected[2].record, 4);
    EXPECT_THAT(rows.rejected[2].reason, HasSubstr("too long"));
}

TEST(LoadReading, survives_depth_and_width) {
    for (const std::size_t depth : {1000u, 100'000u}) {
        const std::string nested = std::string(depth, '[') + std::string(depth, ']');
        EXPECT_EQ(read_one("{\"x\":" + nested + "}", {}, column(Type::json)), "t" + nested);
        EXPECT_THAT(read_one("{\"x\":" + std::string(depth, '[') + "}", {}, column(Type::json)),
                    HasSubstr("not JSON"));
        EXPECT_THAT(read_one(std::string(depth, '{'), {}, column(Type::json)),
                    HasSubstr("not JSON"));
    }
    Schema schema;
    std::string record = "{";
    for (int i = 0; i < 10'000; ++i) {
        schema.columns.push_back({.name = "c" + std::to_string(i), .type = Type::integer});
        record += (i ? ",\"c" : "\"c") + std::to_string(9'999 - i) + "\":" + std::to_string(i);
    }
    const Batch batch = batch_of({record + "}"});
    Rows rows;
    read_rows(batch, {}, schema, rows);
    ASSERT_EQ(rows.size(), 1);
    EXPECT_EQ(rows.row(0)[9'999].integer, 0);
    EXPECT_EQ(rows.row(0)[0].integer, 9'999);
}

TEST(LoadReading, gives_every_double_back_as_it_was_written) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937_64 dice{seed};
        for (int i = 0; i < 200; ++i) {
            const auto bits = dice();
            const double number = std::bit_cast<double>(bits);
            if (!std::isfinite(number)) continue;
            char digits[64];
            const std::string text(digits,
                                   std::to_chars(digits, digits + sizeof digits, number).ptr);
            EXPECT_EQ(read_one("{\"x\":" + text + "}", {}, column(Type::real)), "r" + text);
            const auto end =
                std::to_chars(digits, digits + sizeof digits, number, std::chars_format::scientific)
                    .ptr;
            EXPECT_TRUE(is_plain_real({digits, end})) << text;
        }
    }
}

TEST(LoadReading, finds_where_json_goes_wrong) {
    const struct {
        const char* text;
        std::size_t end;
        const char* expected;
    } cases[] = {
        {"1", 1, ""},
        {" [1, 2] x", 7, ""},
        {"", 0, "a value"},
        {"-", 1, "a digit"},
        {"1e", 2, "a digit"},
        {"[1 2]", 3, "',' or ']'"},
        {"{1", 1, "a field's name"},
        {"{\"a\"", 4, "':'"},
        {"\"a", 2, "a closing quote"},
    };
    for (const auto& at : cases) {
        SCOPED_TRACE(at.text);
        const JsonScan scan = scan_json(at.text);
        EXPECT_EQ(scan.end, at.end);
        EXPECT_EQ(scan.expected, at.expected);
    }
}

TEST(LoadReading, writes_the_names_of_columns_so_that_they_can_be_read) {
    for (const char separator : {',', '\t', ';'}) {
        const Header names{"a", "b\"c", "d,\t;e"};
        const NamedColumns read = read_csv_header(csv_header(names, separator));
        EXPECT_EQ(read.names, names);
        EXPECT_EQ(read.separator, separator);
    }
    EXPECT_THAT(read_csv_header("").names, IsEmpty());
}

TEST(LoadReading, shortens_names_in_messages_between_characters) {
    EXPECT_EQ(quoted_name("a\nb"), "'a?b'");
    EXPECT_EQ(quoted_name(std::string(63, 'x') + "ééé"), "'" + std::string(63, 'x') + "…'");
}

}  // namespace
}  // namespace tool::load
