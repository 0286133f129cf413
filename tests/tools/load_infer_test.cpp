// SPDX-License-Identifier: Apache-2.0
//
// Is a column's type the narrowest that keeps every value of the sample as it is?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
        {{"9223372036854775808"}, "text"},
        {{"1", "9223372036854775808"}, "text"},
        {{"1", "1.5"}, "real"},
        {{"1e2"}, "real"},
        {{"-0"}, "real"},
        {{"-0", "7"}, "real"},
        {{"-0.0", "0"}, "real"},
        {{"1e400"}, "text"},
        {{"1e-400"}, "text"},
        {{"0.1234567890123456789"}, "text"},
        {{"0.12345678901234567"}, "real"},
        {{"100000000000000000000000.0"}, "real"},
        {{"9007199254740993", "0.5"}, "text"},  // a double would change the integer
        {{"true", "false"}, "boolean"},
        {{"true", "1"}, "text"},
        {{"\"1\"", "1"}, "text"},
        {{"\"true\""}, "text"},
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
        {{"True"}, "text"},
        {{"1", "\"\""}, "text"},
        {{""}, "text"},
        {{"{}"}, "text"},
        {{"NaN"}, "text"},
        {{"9223372036854775808"}, "text"},
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
    for (const Type type : {Type::integer, Type::real, Type::boolean, Type::text, Type::json})
        EXPECT_EQ(type_named(to_string(type)), type);
    EXPECT_FALSE(type_named("other"));
    EXPECT_FALSE(type_named("number"));
}

}  // namespace
}  // namespace tool::load
