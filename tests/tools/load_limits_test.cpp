// SPDX-License-Identifier: Apache-2.0
//
// Which texts would a column of a database cut, round or read as something else?
#include <gtest/gtest.h>

#include <vector>

#include "load/source/reading_values.hpp"

namespace tool::load {
namespace {

// Those of the texts that are rejected, one after the other.
std::string rejected(const Column& column, const std::vector<const char*>& texts) {
    std::string list;
    for (const char* text : texts)
        if (!beyond_limits(column, Value{std::string_view{text}}).empty())
            list += std::string{list.empty() ? "" : "|"} + text;
    return list;
}

TEST(LoadLimits, of_single_precision_are_those_of_the_text_that_comes_back) {
    const Column postgres{.name = "z", .type = Type::other, .alters = Alters::single};
    EXPECT_EQ(rejected(postgres, {"16777216", "16777217", "0.12345679", "0.123456789", "1.50",
                                  "1e39", "1e-60", "NaN", "Infinity", "007", " 1", "3.4028235e38"}),
              "16777217|0.123456789|1e39|1e-60|007| 1");
    Column mariadb = postgres;
    mariadb.most_digits = 6;
    EXPECT_EQ(rejected(mariadb, {"16777216", "123456", "1234560", "0.1234567", "0.123456"}),
              "16777216|0.1234567");
}

TEST(LoadLimits, of_digits_behind_a_point_hold_in_any_text) {
    const Column column{
        .name = "z", .type = Type::other, .alters = Alters::fractions, .most_fraction = 1};
    EXPECT_EQ(rejected(column, {"12:00:00", "12:00:00.5", "12:00:00.50", "12:00:00.55",
                                "{1.5,2.25}", "1.5 s 2.5 s", "1e-2", "10e-1", "$1.25", "a."}),
              "12:00:00.55|{1.5,2.25}|1e-2|$1.25");
}

TEST(LoadLimits, of_bytes_are_not_of_characters) {
    const Column column{.name = "z", .type = Type::other, .most_bytes = 3};
    EXPECT_EQ(rejected(column, {"abc", "abcd", "é", "éé"}), "abcd|éé");
}

TEST(LoadLimits, are_kept_where_a_text_would_mean_something_else) {
    const auto column = [](const char* type) {
        return Column{
            .name = "z", .type = Type::other, .server_type = type, .alters = Alters::meanings};
    };
    EXPECT_EQ(rejected(column("bit(8)"), {"5", "A"}), "5|A");
    EXPECT_EQ(rejected(column("year(4)"), {"2026", "26", "5"}), "26|5");
    EXPECT_EQ(rejected(column("enum('a','2')"), {"a", "b", "2", "1"}), "1");
    EXPECT_EQ(rejected(column("set('a','b')"), {"a,b", "3"}), "3");
}

TEST(LoadLimits, of_a_date_are_those_of_a_day) {
    const Column column{.name = "z", .type = Type::other, .made_for = Type::date};
    EXPECT_EQ(rejected(column, {"2026-01-31", "2026-01-31 10:00:00", "Jan 31 2026"}),
              "2026-01-31 10:00:00");
}

}  // namespace
}  // namespace tool::load
