// SPDX-License-Identifier: Apache-2.0
//
// Which texts are dates, timestamps, UUIDs and decimals, and does each value have one form? And are they
// read into columns of these types, or rejected with a reason?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "load/source/reading.hpp"
#include "load/source/typed_text.hpp"

namespace tool::load {
namespace {

using ::testing::HasSubstr;

constexpr const char* a_uuid = "0123abcd-0000-0000-0000-00000000ffff";

std::string form(Type type, std::string_view text) {
    std::string buffer;
    return std::string{one_form(type, text, buffer)};
}

TEST(LoadTypedText, takes_a_date_that_is_a_day_of_the_calendar) {
    for (const char* good : {"2026-01-31", "2024-02-29", "0001-01-01", "9999-12-31", "2000-02-29"})
        EXPECT_TRUE(is_date(good)) << good;
    for (const char* wrong :
         {"", "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-01", "2026-01-00", "2026-01-32",
          "0000-01-01", "2026-1-1", "20260131", "2026/01/31", "31.01.2026", "2026-01-31 ",
          "-026-01-31", "2026-01-3x"})
        EXPECT_FALSE(is_date(wrong)) << wrong;
}

TEST(LoadTypedText, takes_a_timestamp_of_iso_8601) {
    const struct {
        const char* text;
        const char* form;
    } cases[] = {
        {"2026-01-31T23:59:59", "2026-01-31T23:59:59"},
        {"2026-01-31 23:59:59.500", "2026-01-31T23:59:59.5"},
        {"2026-01-31 23:59:59.000000000", "2026-01-31T23:59:59"},
        {"2026-01-31T23:59:59Z", "2026-01-31T23:59:59Z"},
        {"2026-01-31T23:59:59.25+02:00", "2026-01-31T21:59:59.25Z"},
        {"2026-01-31T23:59:59-0130", "2026-02-01T01:29:59Z"},
        {"2024-02-29 00:00:00+14", "2024-02-28T10:00:00Z"},
        {"1969-12-31T23:59:59-00:00", "1969-12-31T23:59:59Z"},
    };
    for (const auto& at : cases) {
        ASSERT_TRUE(parse_timestamp(at.text)) << at.text;
        EXPECT_EQ(form(Type::timestamptz, at.text), at.form);
    }
    for (const char* wrong :
         {"2026-01-31", "2026-01-31T23:59", "2026-01-31T24:00:00", "2026-01-31T23:60:00",
          "2026-01-31T23:59:60", "2026-02-29T00:00:00", "2026-01-31T23:59:59.",
          "2026-01-31T23:59:59.1234567890", "2026-01-31T23:59:59 Z", "2026-01-31T23:59:59+2",
          "2026-01-31T23:59:59+16:00", "2026-01-31T23:59:59+02:60", "2026-01-31t23:59:59z",
          "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00"})
        EXPECT_FALSE(parse_timestamp(wrong)) << wrong;
}

TEST(LoadTypedText, takes_a_uuid_of_any_case) {
    EXPECT_TRUE(is_uuid(a_uuid));
    EXPECT_EQ(form(Type::uuid, "0123ABCD-0000-0000-0000-00000000FFFF"), a_uuid);
    for (const char* wrong :
         {"", "0123abcd00000000000000000000ffff", "{0123abcd-0000-0000-0000-00000000ffff}",
          "0123abcg-0000-0000-0000-00000000ffff", "0123abcd-0000-0000-00000-0000000ffff"})
        EXPECT_FALSE(is_uuid(wrong)) << wrong;
}

TEST(LoadTypedText, writes_a_decimal_in_one_form) {
    const struct {
        const char* text;
        const char* form;
        DecimalSize size;
    } cases[] = {
        {"0", "0", {0, 0}},
        {"-0.00", "0", {0, 0}},
        {"1.50", "1.5", {1, 1}},
        {"100", "100", {3, 0}},
        {"1e2", "100", {3, 0}},
        {"1.25E+1", "12.5", {2, 1}},
        {"-0.00120", "-0.0012", {0, 4}},
        {"12e-4", "0.0012", {0, 4}},
        {"0.10e1", "1", {1, 0}},
        {"10.0", "10", {2, 0}},
        {"101.010", "101.01", {3, 2}},
        {"18446744073709551616", "18446744073709551616", {20, 0}},
        {"1e400", "1e400", {401, 0}},
        {"10.0e399", "1e400", {401, 0}},
        {"1e-400", "1e-400", {0, 400}},
    };
    for (const auto& at : cases) {
        EXPECT_EQ(form(Type::numeric, at.text), at.form) << at.text;
        const auto size = decimal_size(at.text);
        ASSERT_TRUE(size) << at.text;
        EXPECT_EQ(size->whole, at.size.whole) << at.text;
        EXPECT_EQ(size->fraction, at.size.fraction) << at.text;
    }
    for (const char* wrong : {"", "+1", "007", ".5", "1.", "1,5", "NaN", "0x10", "1 000"})
        EXPECT_FALSE(is_decimal(wrong)) << wrong;
    for (const char* beyond : {"1e131072", "1e-16384", "1e99999999999999999999"})
        EXPECT_FALSE(is_decimal(beyond)) << beyond;
    EXPECT_TRUE(is_decimal("1e131071"));
    EXPECT_TRUE(is_decimal("1e-16383"));
}

// The value's text, or the reason.
std::string read_into(const Column& column, const std::string& record, Format format = Format::csv,
                      std::optional<std::size_t> key = {}) {
    Batch batch{.format = format, .bytes = record + "\n"};
    batch.records.push_back({.begin = 0, .end = record.size(), .line = 1});
    Rows rows;
    const Schema schema{.columns = {column}, .key = key};
    read_rows(batch, format == Format::csv ? Header{column.name} : Header{}, schema, rows);
    if (rows.size() == 0) return rows.rejected.at(0).reason;
    const Value& value = rows.row(0)[0];
    return value.kind == ValueKind::boolean ? (value.integer != 0 ? "yes" : "no")
                                            : std::string{value.text};
}

TEST(LoadTypedText, is_kept_as_it_is_written_or_rejected) {
    const struct {
        Type type;
        const char* csv;
        const char* kept;
    } cases[] = {
        {Type::date, "2026-01-31", "2026-01-31"},
        {Type::date, "31.01.2026",
         "field 'x' holds no date like 2026-01-31, its column holds dates"},
        {Type::timestamp, "2026-01-31 10:00:00.50", "2026-01-31 10:00:00.50"},
        {Type::timestamp, "2026-01-31 10:00:00.123456000", "2026-01-31 10:00:00.123456"},
        {Type::timestamp, "2026-01-31 10:00:00.1234567",
         "field 'x' holds a timestamp with more than 6 digits of a second, its column keeps 6"},
        {Type::timestamp, "2026-01-31T10:00:00Z",
         "field 'x' holds a timestamp with a time zone, its column holds timestamps without one"},
        {Type::timestamptz, "2026-01-31T10:00:00+01:00", "2026-01-31T10:00:00+01:00"},
        {Type::timestamptz, "2026-01-31T10:00:00",
         "field 'x' holds a timestamp without a time zone, its column holds timestamps with one"},
        {Type::numeric, "1.50", "1.50"},
        {Type::numeric, "18446744073709551616", "18446744073709551616"},
        {Type::numeric, "1e400", "1e400"},
        {Type::numeric, "many", "field 'x' holds text, its column holds numbers"},
        {Type::numeric, "1e200000", "field 'x' holds a number that is too large for its column"},
        {Type::uuid, "0123ABCD-0000-0000-0000-00000000ffff",
         "0123ABCD-0000-0000-0000-00000000ffff"},
        {Type::uuid, "7", "field 'x' holds no UUID, its column holds UUIDs"},
    };
    for (const auto& at : cases)
        EXPECT_EQ(read_into({.name = "x", .type = at.type}, at.csv), at.kept) << at.csv;
}

TEST(LoadTypedText, is_a_text_or_for_decimals_a_number_in_json) {
    const auto read_json = [](Type type, const std::string& json) {
        return read_into({.name = "x", .type = type}, "{\"x\":" + json + "}", Format::json_lines);
    };
    EXPECT_EQ(read_json(Type::numeric, "0.1234567890123456789"), "0.1234567890123456789");
    EXPECT_EQ(read_json(Type::numeric, "\"1.50\""), "1.50");
    EXPECT_THAT(read_json(Type::numeric, "true"), HasSubstr("its column holds numbers"));
    EXPECT_EQ(read_json(Type::date, "\"2026-01-31\""), "2026-01-31");
    EXPECT_THAT(read_json(Type::date, "20260131"), HasSubstr("its column holds dates"));
    EXPECT_THAT(read_json(Type::uuid, "{}"), HasSubstr("its column holds UUIDs"));
}

TEST(LoadTypedText, is_brought_into_its_one_form_where_it_is_the_key) {
    const auto key = [](Type type, const std::string& text) {
        return read_into({.name = "x", .type = type}, text, Format::csv, 0);
    };
    EXPECT_EQ(key(Type::numeric, "18446744073709551616.0"), "18446744073709551616");
    EXPECT_EQ(key(Type::uuid, "0123ABCD-0000-0000-0000-00000000FFFF"), a_uuid);
    EXPECT_EQ(key(Type::timestamptz, "2026-01-31 01:00:00+01"), "2026-01-31T00:00:00Z");
    EXPECT_EQ(key(Type::text, "1.0"), "1.0");
}

TEST(LoadTypedText, that_does_not_fit_an_inferred_type_is_told_the_cure) {
    const Column inferred{.name = "day", .type = Type::date, .inferred = true};
    EXPECT_EQ(read_into(inferred, "n/a"),
              "field 'day' holds no date like 2026-01-31, its column holds dates; --type day=text, "
              "when the table is made, takes any value");
    EXPECT_THAT(read_into({.name = "n", .type = Type::integer, .inferred = true}, "x"),
                HasSubstr("--type n=text"));
}

TEST(LoadReading, takes_booleans_as_people_write_them) {
    const Column column{.name = "x", .type = Type::boolean};
    for (const char* yes : {"true", "True", "TRUE", "t", "T", "yes", "Yes", "y", "Y", "1"})
        EXPECT_EQ(read_into(column, yes), "yes") << yes;
    for (const char* no : {"false", "False", "FALSE", "f", "F", "no", "NO", "n", "N", "0"})
        EXPECT_EQ(read_into(column, no), "no") << no;
    for (const char* neither : {"on", "ja", "2", "yess", "-0"})
        EXPECT_THAT(read_into(column, neither), HasSubstr("its column holds true or false"));
}

TEST(LoadReading, rejects_what_its_column_would_cut_or_round) {
    const Column name{.name = "name", .most_characters = 3};
    EXPECT_EQ(read_into(name, "äöü"), "äöü") << "characters, not bytes";
    EXPECT_EQ(read_into(name, "abcd"), "field 'name' has 4 characters, its column holds 3");
    EXPECT_EQ(read_into(name, "abc "), "field 'name' has 4 characters, its column holds 3");

    const Column price{.name = "price",
                       .type = Type::other,
                       .made_for = Type::numeric,
                       .most_whole = 3,
                       .most_fraction = 2};
    EXPECT_EQ(read_into(price, "123.450"), "123.450");
    EXPECT_EQ(read_into(price, "1.005"),
              "field 'price' has 3 digits behind its point, its column keeps 2");
    EXPECT_EQ(read_into(price, "1e3"),
              "field 'price' has 4 digits before its point, its column keeps 3");
    EXPECT_EQ(read_into(price, "€ 5"), "€ 5") << "the server's affair";

    const Column at{
        .name = "at", .type = Type::other, .made_for = Type::timestamp, .most_fraction = 0};
    EXPECT_EQ(read_into(at, "2026-01-31 10:00:00.0"), "2026-01-31 10:00:00.0");
    EXPECT_EQ(read_into(at, "2026-01-31 10:00:00.5"),
              "field 'at' has 1 digits of a second, its column keeps 0");
    EXPECT_THAT(read_into(at, "2026-01-31 10:00:00+02"), HasSubstr("with a time zone"));
    EXPECT_EQ(read_into(at, "yesterday"), "yesterday");
}

}  // namespace
}  // namespace tool::load
