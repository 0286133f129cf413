// SPDX-License-Identifier: Apache-2.0
//
// Is a column read as what it is, and never as something near it?
#include "perdure/sql/cell.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::sql {
namespace {

constexpr auto largest = std::numeric_limits<std::int64_t>::max();

TEST(Cell, is_read_as_an_integer_only_where_nothing_is_lost) {
    const struct {
        Cell cell;
        std::optional<std::int64_t> reads;
    } cases[] = {
        {Cell::of(std::int64_t{-7}), -7},
        {Cell::boolean(true), 1},
        {Cell::of(7.0), 7},
        {Cell::of(-9223372036854775808.0), std::numeric_limits<std::int64_t>::min()},
        {Cell::of(9223372036854775808.0), {}},
        {Cell::of(7.5), {}},
        {Cell::of(std::numeric_limits<double>::quiet_NaN()), {}},
        {Cell::of(std::numeric_limits<double>::infinity()), {}},
        {Cell::text("9223372036854775807"), largest},
        {Cell::text("9223372036854775808"), {}},
        {Cell::text("7.0"), {}},
        {Cell::text("7 "), {}},
        {Cell::text(""), {}},
        {Cell::bytes("7"), {}},
        {Cell{}, {}},
    };
    for (std::size_t i = 0; i < std::size(cases); ++i) {
        const auto value = read<std::int64_t>(cases[i].cell);
        ASSERT_EQ(value.has_value(), cases[i].reads.has_value()) << "case " << i;
        if (value) EXPECT_EQ(*value, *cases[i].reads) << "case " << i;
        else EXPECT_EQ(value.error().code, "column-type") << "case " << i;
    }
}

TEST(Cell, does_not_fit_into_a_smaller_integer_silently) {
    EXPECT_EQ(read<std::int8_t>(Cell::of(std::int64_t{-128})).value(), -128);
    for (const std::int64_t value : {std::int64_t{128}, largest})
        EXPECT_EQ(read<std::int8_t>(Cell::of(value)).error().code, "column-range");
    EXPECT_EQ(read<unsigned>(Cell::of(std::int64_t{-1})).error().code, "column-range");
}

TEST(Cell, is_read_as_a_real_number_from_numbers_and_from_their_text) {
    EXPECT_EQ(read<double>(Cell::of(0.25)).value(), 0.25);
    EXPECT_EQ(read<double>(Cell::of(std::int64_t{3})).value(), 3.0);
    EXPECT_EQ(read<double>(Cell::text("12.50")).value(), 12.5);
    EXPECT_EQ(read<float>(Cell::of(0.25)).value(), 0.25F);
    for (const Cell& cell : {Cell::text("twelve"), Cell::text("1,5"), Cell::bytes("1.5"), Cell{}})
        EXPECT_FALSE(read<double>(cell));
}

TEST(Cell, is_read_as_a_boolean_only_where_it_is_one) {
    EXPECT_TRUE(read<bool>(Cell::boolean(true)).value());
    EXPECT_FALSE(read<bool>(Cell::of(std::int64_t{0})).value());
    for (const Cell& cell : {Cell::of(std::int64_t{2}), Cell::text("true"), Cell::of(1.0), Cell{}})
        EXPECT_FALSE(read<bool>(cell));
}

TEST(Cell, is_read_as_text_from_text_bytes_and_integers) {
    using namespace std::string_view_literals;
    EXPECT_EQ(read<std::string>(Cell::text("Zoë")).value(), "Zoë");
    EXPECT_EQ(read<std::string>(Cell::bytes("\0\xff"sv)).value(), "\0\xff"sv);
    EXPECT_EQ(read<std::string>(Cell::of(std::int64_t{-7})).value(), "-7");
    EXPECT_FALSE(read<std::string>(Cell::of(0.1))) << "would have to be rounded";
    EXPECT_FALSE(read<std::string>(Cell{}));
}

TEST(Cell, is_read_as_bytes_only_where_it_holds_bytes) {
    using namespace std::string_view_literals;
    using Vector = std::vector<std::byte>;
    EXPECT_EQ(read<Vector>(Cell::bytes("\0\xff"sv)).value(),
              (Vector{std::byte{0}, std::byte{0xff}}));
    EXPECT_EQ(read<Vector>(Cell::bytes({})).value(), Vector{});
    EXPECT_EQ(read<std::optional<Vector>>(Cell{}).value(), std::nullopt);
    for (const Cell& cell : {Cell::text("ff"), Cell::of(std::int64_t{7}), Cell{}})
        EXPECT_EQ(read<Vector>(cell).error().code, "column-type");
}

TEST(Cell, that_is_null_needs_an_optional_and_says_so) {
    EXPECT_EQ(read<std::optional<int>>(Cell{}).value(), std::nullopt);
    EXPECT_EQ(read<std::optional<int>>(Cell::of(std::int64_t{7})).value(), 7);
    EXPECT_FALSE(read<std::optional<int>>(Cell::text("seven")));
    const auto refused = read<int>(Cell{});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("std::optional"), std::string::npos);
}

TEST(Cell, never_shows_its_value_in_a_failure) {
    for (const Cell& cell : {Cell::text("secret"), Cell::bytes("secret")}) {
        const auto refused = read<int>(cell);
        ASSERT_FALSE(refused);
        EXPECT_EQ(to_string(refused.error()).find("secret"), std::string::npos);
    }
}

}  // namespace
}  // namespace perdure::sql
