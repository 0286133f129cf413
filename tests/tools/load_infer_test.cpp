// SPDX-License-Identifier: Apache-2.0
//
// Is a column's type the narrowest that keeps every value of the sample as it is?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "load/engine/key_spelling.hpp"
#include "load/source/reading.hpp"

namespace tool::load {
namespace {

using ::testing::HasSubstr;

Batch sample_of(const std::vector<std::string>& records, Format format = Format::json_lines) {
    Batch batch{.format = format};
    for (const std::string& record : records) {
        batch.records.push_back({batch.bytes.size(), batch.bytes.size() + record.size(), 1});
        batch.bytes += record + "\n";
    }
    return batch;
}

// "id:integer name:text"
std::string inferred(const Batch& sample, const Header& header = {},
                     const Inference& inference = {}) {
    const auto columns = infer(sample, header, inference);
    if (!columns) return columns.error().message;
    std::string all;
    for (const Column& column : *columns)
        all += (all.empty() ? "" : " ") + column.name + ":" + std::string{to_string(column.type)};
    return all;
}

TEST(LoadInfer, finds_the_narrowest_type_for_json_values) {
    const struct {
        std::vector<const char*> values;
        const char* type;
    } cases[] = {
        {{"1", "-5", "null"}, "integer"},
        {{"9223372036854775807", "-9223372036854775808"}, "integer"},
        {{"9223372036854775808"}, "numeric"},
        {{"1", "9223372036854775808"}, "numeric"},
        {{"1", "0.5", "9223372036854775808"}, "numeric"},
        {{"\"x\"", "9223372036854775808"}, "text"},
        {{"1", "1.5"}, "real"},
        {{"1e2"}, "real"},
        {{"-0"}, "real"},
        {{"-0", "7"}, "real"},
        {{"-0.0", "0"}, "real"},
        {{"1e400"}, "numeric"},
        {{"1e-400"}, "numeric"},
        {{"1e200000"}, "text"},  // beyond PostgreSQL's numeric
        {{"0.1234567890123456789"}, "numeric"},
        {{"0.12345678901234567"}, "real"},
        {{"100000000000000000000000.0"}, "real"},
        {{"9007199254740993", "0.5"}, "numeric"},  // a double would change the integer
        {{"true", "false"}, "boolean"},
        {{"true", "1"}, "text"},
        {{"\"1\"", "1"}, "text"},
        {{"\"true\""}, "text"},
        {{"\"yes\"", "\"no\""}, "text"},  // JSON has truths of its own
        {{"\"2026-01-31\"", "null"}, "date"},
        {{"\"2026-02-29\""}, "text"},
        {{"\"2026-01-31T23:59:59\"", "\"2026-01-31 23:59:59.5\""}, "timestamp"},
        {{"\"2026-01-31T23:59:59Z\"", "\"2026-01-31 23:59:59.5+02:00\""}, "timestamptz"},
        {{"\"2026-01-31T23:59:59Z\"", "\"2026-01-31T23:59:59\""}, "text"},
        {{"\"2026-01-31T23:59:59.1234567Z\""}, "text"},  // databases keep six digits
        {{"\"2026-01-31\"", "\"2026-01-31T23:59:59\""}, "text"},
        {{"\"0123abcd-0000-0000-0000-00000000FFFF\""}, "uuid"},
        {{"{}", "[1]", "null"}, "json"},
        {{"[1]", "1"}, "text"},
        {{"null"}, "text"},
    };
    for (const auto& at : cases) {
        std::vector<std::string> records;
        for (const char* value : at.values) records.push_back("{\"x\":" + std::string{value} + "}");
        EXPECT_EQ(inferred(sample_of(records)), std::string{"x:"} + at.type) << records[0];
    }
}

TEST(LoadInfer, finds_the_narrowest_type_for_csv_texts) {
    const struct {
        std::vector<const char*> values;
        const char* type;
    } cases[] = {
        {{"1", "-5", ""}, "integer"},
        {{"\"1\""}, "integer"},
        {{"007"}, "text"},
        {{"1", "2.5"}, "real"},
        {{"1e3"}, "real"},
        {{"+1"}, "text"},
        {{".5"}, "text"},
        {{"true", "false"}, "boolean"},
        {{"True", "False"}, "boolean"},
        {{"TRUE", "true", ""}, "boolean"},
        {{"tRUE"}, "text"},
        {{"t", "f"}, "boolean"},
        {{"Yes", "no", "YES"}, "boolean"},
        {{"Y", "n", "true"}, "boolean"},
        {{"t"}, "text"},  // initials
        {{"y", "f"}, "text"},
        {{"yes", "true"}, "text"},
        {{"1", "0"}, "integer"},
        {{"true", "1"}, "text"},
        {{"2026-01-31", ""}, "date"},
        {{"2026-01-31 10:00:00", "\"2026-01-31T10:00:00.25\""}, "timestamp"},
        {{"2026-01-31 10:00:00+01", "2026-01-31T10:00:00Z"}, "timestamptz"},
        {{"0123ABCD-0000-0000-0000-00000000ffff"}, "uuid"},
        {{"2026-01-31", "n/a"}, "text"},
        {{"1", "\"\""}, "text"},
        {{""}, "text"},
        {{"{}"}, "text"},
        {{"NaN"}, "text"},
        {{"9223372036854775808"}, "numeric"},
        {{"1", "12345678901234567890.12"}, "numeric"},
    };
    for (const auto& at : cases) {
        std::vector<std::string> records;
        for (const char* value : at.values) records.push_back(std::string{value} + ",1");
        EXPECT_EQ(inferred(sample_of(records, Format::csv), {"x", "y"}),
                  std::string{"x:"} + at.type + " y:integer")
            << records[0];
    }
}

TEST(LoadInfer, lists_columns_as_they_are_met_and_passes_over_broken_records) {
    EXPECT_EQ(
        inferred(sample_of({"bad", R"({"b":1})", R"({"a":"x","b":2})", R"({"c":tru})", "{}"})),
        "b:integer a:text");
    EXPECT_EQ(inferred(sample_of({"1,2,3", "\"x", "4,5"}, Format::csv), {"a", "b"}),
              "a:integer b:integer");
    EXPECT_EQ(inferred(sample_of({}, Format::csv), {"a", "b"}), "a:text b:text");
}

// The type of the key's column `x`, in a table that is yet to be made or in this one.
std::string key_type(const std::vector<std::string>& records, Format format,
                     const std::optional<TableFacts>& table = {}, const Inference& inference = {}) {
    const Header header = format == Format::csv ? Header{"x", "y"} : Header{};
    Schema schema{.columns = *infer(sample_of(records, format), header, inference), .key = 0};
    keep_spelling_of_key(schema, table);
    EXPECT_EQ(schema.columns[1].type, Type::real) << "not the key";
    return std::string{to_string(schema.columns[0].type)};
}

TEST(LoadInfer, keeps_the_spelling_of_a_key_from_csv) {
    const struct {
        std::vector<std::string> records;
        const char* type;
    } cases[] = {
        {{"1.10,0.5", "1.1,1.5"}, "text"},
        {{"1.5,1.5"}, "text"},  // 1.50 may come later
        {{"1,1.5", "1e3,1.5"}, "text"},
        {{"12345678901234567890,1.5"}, "text"},
        {{"yes,1.5", "no,1.5"}, "text"},
        {{"true,1.5"}, "text"},
        {{"7,1.5"}, "integer"},  // 07 and 7.0 are rejected
        {{"2026-01-31,1.5"}, "date"},
        {{"0123ABCD-0000-0000-0000-00000000ffff,1.5"}, "uuid"},
    };
    for (const auto& at : cases)
        EXPECT_EQ(key_type(at.records, Format::csv), at.type) << at.records[0];
    EXPECT_EQ(key_type({R"({"x":1.10,"y":1.5})"}, Format::json_lines), "real") << "a number";
    EXPECT_EQ(key_type({R"({"perdure.rejected":{"file":"a","line":1,"reason":"r","from":"csv"},)"
                        R"("record":{"x":"1.10","y":"1.5"}})"},
                       Format::json_lines),
              "text")
        << "of a side file";
}

TEST(LoadInfer, keeps_the_spelling_of_both_parts_of_a_key_from_csv) {
    const TableFacts container{
        .columns = {{.name = "id", .type = Type::other}, {.name = "part", .type = Type::other}}};
    const Batch sample = sample_of({"7,1.10,1.5", "7,1.1,1.5"}, Format::csv);
    Schema schema{.columns = *infer(sample, {"id", "part", "price"}, {}), .key = 0, .sort = 1};
    keep_spelling_of_key(schema, container);
    EXPECT_EQ(schema.columns[0].type, Type::integer);
    EXPECT_EQ(schema.columns[1].type, Type::text);
    EXPECT_EQ(schema.columns[2].type, Type::real) << "not of the key";
    schema.columns[1].type = Type::real;
    schema.key.reset();  // no record of the sample has an id
    keep_spelling_of_key(schema, container);
    EXPECT_EQ(schema.columns[1].type, Type::text) << "without an id";
}

TEST(LoadInfer, leaves_a_key_to_the_table_that_is_there_and_to_the_user) {
    const std::vector<std::string> records{"1.10,1.5"};
    const auto made_as = [](Type type) {
        return TableFacts{.columns = {{.name = "x", .type = type}}};
    };
    EXPECT_EQ(key_type(records, Format::csv, made_as(Type::real)), "real");
    EXPECT_EQ(key_type(records, Format::csv, made_as(Type::other)), "text") << "takes any type";
    EXPECT_EQ(key_type(records, Format::csv, {}, {.types = {{"x", Type::real}}}), "real");
}

TEST(LoadInfer, believes_the_user_who_knows_better) {
    const Batch sample = sample_of({R"({"zip":12345,"id":1})"});
    EXPECT_EQ(inferred(sample, {}, {.types = {{"zip", Type::text}}}), "zip:text id:integer");
    EXPECT_THAT(inferred(sample, {}, {.types = {{"zap", Type::text}}}), HasSubstr("'zap'"));
}

TEST(LoadInfer, fails_when_nothing_could_be_read) {
    for (const std::vector<std::string>& records :
         {std::vector<std::string>{}, {"bad"}, {"[1]", "{}"}}) {
        const auto columns = infer(sample_of(records), {}, {});
        ASSERT_FALSE(columns);
        EXPECT_EQ(columns.error().cause, perdure::Cause::invalid);
    }
}

TEST(LoadInfer, looks_into_lines_of_a_side_file) {
    EXPECT_EQ(
        inferred(sample_of(
            {R"({"perdure.rejected":{"file":"a","line":1,"reason":"r","from":"csv"},"record":{"id":"1","n":null,"m":true}})",
             R"({"perdure.rejected":{"file":"a","line":2,"reason":"r"},"text":"{\"id\":2,\"k\":\"x\"}"})",
             R"({"id":3})"})),
        "id:integer n:text m:boolean k:text");
}

TEST(LoadInfer, knows_types_by_name) {
    for (const Type type :
         {Type::integer, Type::real, Type::boolean, Type::text, Type::json, Type::numeric,
          Type::date, Type::timestamp, Type::timestamptz, Type::uuid}) {
        EXPECT_EQ(type_named(to_string(type)), type);
        EXPECT_THAT(list_of_types(), HasSubstr(std::string{to_string(type)}));
    }
    EXPECT_EQ(list_of_types().find("other"), std::string::npos);
    EXPECT_FALSE(type_named("other"));
    EXPECT_FALSE(type_named("number"));
}

}  // namespace
}  // namespace tool::load
