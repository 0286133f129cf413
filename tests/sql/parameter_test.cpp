// SPDX-License-Identifier: Apache-2.0
//
// What may be handed to a statement, and what is refused before anybody sees it?
#include "perdure/sql/parameter.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sql/bank.hpp"

namespace perdure::sql {
namespace {

using namespace std::string_view_literals;

constexpr auto largest_integer = std::numeric_limits<std::int64_t>::max();

TEST(Parameter, has_the_kind_of_what_it_was_made_from) {
    const std::string text{"text"};
    const std::vector<std::byte> two_bytes(2);
    const struct {
        Parameter parameter;
        Kind kind;
    } cases[] = {
        {nullptr, Kind::null},
        {std::nullopt, Kind::null},
        {true, Kind::boolean},
        {7, Kind::integer},
        {7u, Kind::integer},
        {largest_integer, Kind::integer},
        {std::int8_t{-7}, Kind::integer},
        {0.5, Kind::real},
        {0.5F, Kind::real},
        {"text", Kind::text},
        {text, Kind::text},
        {"text"sv, Kind::text},
        {Bytes{"\0\xff"sv}, Kind::bytes},
        {two_bytes, Kind::bytes},
        {std::span<const std::byte>{two_bytes}, Kind::bytes},
        {std::optional{two_bytes}, Kind::bytes},
        {*Token::parse("9f1c1d5e-7a0b-4c55-8f53-0f6f2c0f7a11"), Kind::bytes},
        {std::optional<int>{}, Kind::null},
        {std::optional<int>{7}, Kind::integer},
        {std::optional<std::string>{text}, Kind::text},
    };
    for (std::size_t i = 0; i < std::size(cases); ++i)
        EXPECT_EQ(cases[i].parameter.kind(), cases[i].kind) << "case " << i;
}

TEST(Parameter, keeps_its_value) {
    EXPECT_TRUE(Parameter{true}.boolean());
    EXPECT_FALSE(Parameter{false}.boolean());
    EXPECT_EQ(Parameter{std::numeric_limits<std::int64_t>::min()}.integer(),
              std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(Parameter{0.25F}.real(), 0.25);
    EXPECT_EQ(Parameter{Bytes{"\0\xff"sv}}.view(), "\0\xff"sv);
    const std::vector<std::byte> one_byte{std::byte{0xff}};
    EXPECT_EQ(Parameter{one_byte}.view(), "\xff"sv);
    EXPECT_EQ(Parameter{std::optional<std::string_view>{"here"}}.view(), "here");
    EXPECT_EQ(Parameter{""}.kind(), Kind::text) << "an empty text is no null";
}

TEST(Parameter, is_refused_before_it_is_sent_when_it_cannot_arrive_as_it_is) {
    const struct {
        std::string_view statement;
        Parameter parameter;
        std::string_view code;  // empty: fine
    } cases[] = {
        {"select ?", 1, ""},
        {"select ?", "Zoë 🦉", ""},
        {"select ?", Bytes{"\0\xff"sv}, ""},
        {"select 'Zoë' -- ?", nullptr, ""},
        {"select ?", std::uint64_t{largest_integer}, ""},
        {"select ?", std::uint64_t{largest_integer} + 1, "parameter-range"},
        {"select ?", "a\0b"sv, "parameter-nul"},
        {"select ?", "\xff", "parameter-encoding"},
        {"select ?", "\xc3", "parameter-encoding"},          // cut off
        {"select ?", "\xc0\xaf", "parameter-encoding"},      // longer than need be
        {"select ?", "\xed\xa0\x80", "parameter-encoding"},  // half of a pair
        {"select ?", "\xf4\x90\x80\x80", "parameter-encoding"},
        {"select\0 ?"sv, 1, "statement-nul"},
        {"select '\xff' ?", 1, "statement-encoding"},
    };
    for (const auto& [statement, parameter, code] : cases) {
        const std::array parameters{parameter};
        const auto checked = check(statement, parameters);
        ASSERT_EQ(checked.has_value(), code.empty()) << statement;
        if (checked) continue;
        EXPECT_EQ(checked.error().code, code);
        EXPECT_EQ(checked.error().cause, Cause::invalid);
    }
}

TEST(Parameter, is_named_by_its_place_and_never_by_its_value_when_refused) {
    const std::array<Parameter, 3> parameters{1, "fine", "secret\xff"};
    const auto checked = check("select ?, ?, ?", parameters);
    ASSERT_FALSE(checked);
    EXPECT_NE(checked.error().message.find("parameter 3"), std::string::npos);
    EXPECT_EQ(to_string(checked.error()).find("secret"), std::string::npos);
}

TEST(Parameter, comes_back_as_it_was_given) {
    Bank bank;
    const auto rows = bank.database.query("select ?, ?, ?, ?, ?, ?, ?", nullptr, largest_integer,
                                          -0.5, "Zoë 🦉", "", Bytes{"\0\xff\0"sv}, true);
    ASSERT_TRUE(rows) << to_string(rows.error());
    const Row row = rows->at(0);
    EXPECT_EQ(row.get<std::optional<int>>(0).value(), std::nullopt);
    EXPECT_EQ(row.get<std::int64_t>(1).value(), largest_integer);
    EXPECT_EQ(row.get<double>(2).value(), -0.5);
    EXPECT_EQ(row.get<std::string>(3).value(), "Zoë 🦉");
    EXPECT_EQ(row.get<std::optional<std::string>>(4).value(), "");
    EXPECT_EQ(row.get<std::string>(5).value(), "\0\xff\0"sv);
    EXPECT_TRUE(row.get<bool>(6).value());
}

TEST(Parameter, that_is_refused_reaches_no_session) {
    Bank bank;
    const struct {
        Result<Done> result;
        std::string_view code;
    } cases[] = {
        {bank.database.execute("insert into thing values (?)", "\xff"), "parameter-encoding"},
        {bank.database.execute("insert into thing values (?)", "a\0"sv), "parameter-nul"},
        {bank.database.execute("insert into thing\0"sv), "statement-nul"},
    };
    for (const auto& [result, code] : cases) {
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().code, code);
        EXPECT_EQ(result.error().effect, Effect::none);
    }
    EXPECT_EQ(bank.faults.counts().opens, 0);
}

TEST(Parameter, too_many_or_too_few_are_told_by_number_and_not_repeated) {
    Bank bank;
    const struct {
        Result<Done> result;
        std::string_view says;
    } cases[] = {
        {bank.database.execute("insert into thing values (?)"),
         "the statement has 1 placeholder, 0 parameters were given"},
        {bank.database.execute("insert into thing values (?)", 1, 2),
         "the statement has 1 placeholder, 2 parameters were given"},
    };
    for (const auto& [result, says] : cases) {
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().code, "parameter-count");
        EXPECT_EQ(result.error().message, says);
        EXPECT_EQ(result.error().attempts, 1);
    }
    EXPECT_EQ(bank.things(), 0);
}

}  // namespace
}  // namespace perdure::sql
