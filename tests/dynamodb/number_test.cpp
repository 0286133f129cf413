// SPDX-License-Identifier: Apache-2.0
//
// Does a number keep every digit, and is it read only as what it is?
#include "perdure/dynamodb/number.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>

namespace perdure::dynamodb {
namespace {

const std::string nines(38, '9');

TEST(Number, is_written_as_short_as_it_can_be_read_back) {
    EXPECT_EQ(Number{}.text(), "0");
    EXPECT_EQ(Number{1299}.text(), "1299");
    EXPECT_EQ(Number{-7L}.text(), "-7");
    EXPECT_EQ(Number{std::uint8_t{200}}.text(), "200");
    EXPECT_EQ(Number{std::numeric_limits<std::int64_t>::min()}.text(), "-9223372036854775808");
    EXPECT_EQ(Number{std::numeric_limits<std::uint64_t>::max()}.text(), "18446744073709551615");
    EXPECT_EQ(Number{0.1}.text(), "0.1");
    EXPECT_EQ(Number{0.1F}.text(), "0.1");
    EXPECT_EQ(Number{1e22}.text(), "1e+22");
    static_assert(!std::is_constructible_v<Number, bool>);
    static_assert(!std::is_constructible_v<Number, char>);
}

TEST(Number, has_one_canonical_text_for_all_ways_to_write_it) {
    const struct {
        std::string text;
        std::optional<std::string> canonical;
    } cases[] = {
        {"1", "1"},
        {"1.0", "1"},
        {"+1", "1"},
        {"-0", "0"},
        {"0.000", "0"},
        {"0e999999999999999999999", "0"},
        {"007", "7"},
        {"12.3400", "12.34"},
        {"-12.34e1", "-123.4"},
        {"1234e-2", "12.34"},
        {"1E3", "1000"},
        {"1.5e+3", "1500"},
        {".5", "0.5"},
        {"5.", "5"},
        {"0.00012", "0.00012"},
        {"12e-5", "0.00012"},
        {"1e125", "1" + std::string(125, '0')},
        {nines + "e88", nines + std::string(88, '0')},
        {"1e-130", "0." + std::string(129, '0') + "1"},
        {"1" + std::string(50, '0'), "1" + std::string(50, '0')},
        {nines, nines},
        {nines + "0", nines + "0"},
        {"0." + std::string(60, '0') + "1", "0." + std::string(60, '0') + "1"},
        {"1e126", {}},
        {"1e-131", {}},
        {nines + "9", {}},
        {nines + ".9", {}},
        {"1e99999999999999999999", {}},
        {"1e-99999999999999999999", {}},
        {"", {}},
        {"-", {}},
        {".", {}},
        {"-.", {}},
        {"e5", {}},
        {"1e", {}},
        {"1e+", {}},
        {"1e5.0", {}},
        {"1e5e5", {}},
        {"1.2.3", {}},
        {"--1", {}},
        {" 1", {}},
        {"1 ", {}},
        {"1,5", {}},
        {"0x10", {}},
        {"NaN", {}},
        {"Infinity", {}},
        {std::string{"1\0", 2}, {}},
    };
    for (const auto& [text, canonical] : cases) {
        SCOPED_TRACE(text);
        const auto parsed = Number::parse(text);
        ASSERT_EQ(parsed.has_value(), canonical.has_value());
        if (!canonical) {
            EXPECT_EQ(parsed.error().cause, Cause::invalid);
            EXPECT_EQ(parsed.error().effect, Effect::none);
            EXPECT_EQ(parsed.error().origin, Origin::application);
            EXPECT_FALSE(Number::as_written(text).canonical().has_value());
            continue;
        }
        EXPECT_EQ(parsed->text(), text);
        EXPECT_EQ(parsed->canonical().value(), *canonical);
        EXPECT_EQ(Number::parse(*canonical).value().canonical().value(), *canonical);
    }
}

TEST(Number, is_equal_as_written_and_the_same_by_value) {
    const Number one{1}, also_one = Number::parse("1.0").value();
    EXPECT_NE(one, also_one);
    EXPECT_TRUE(same_value(one, also_one));
    EXPECT_TRUE(same_value(Number::parse("1e2").value(), Number{100}));
    EXPECT_TRUE(same_value(Number{-0.0}, Number{0}));
    EXPECT_FALSE(same_value(Number{1}, Number{-1}));
    EXPECT_FALSE(same_value(Number{1}, Number::parse("1.00000000000000000001").value()));
}

TEST(Number, is_read_as_an_integer_only_where_nothing_is_lost) {
    const struct {
        std::string_view text;
        std::optional<std::int64_t> reads;
    } cases[] = {
        {"42", 42},    {"-42", -42},    {"+42", 42},
        {"1e3", 1000}, {"1.0", 1},      {"120e-1", 12},
        {"-0", 0},     {"0.0e400", 0},  {"9223372036854775807", 9223372036854775807},
        {"1.5", {}},   {"1e-1", {}},    {"9223372036854775808", {}},
        {"1e125", {}}, {"1e99999", {}}, {"", {}},
        {"forty", {}}, {"42 ", {}},
    };
    for (const auto& [text, reads] : cases) {
        const auto value = Number::as_written(std::string{text}).to<std::int64_t>();
        ASSERT_EQ(value.has_value(), reads.has_value()) << text;
        if (value) EXPECT_EQ(*value, *reads) << text;
        else EXPECT_EQ(value.error().code, "bad-number") << text;
    }
    EXPECT_EQ(Number{-128}.to<std::int8_t>().value(), -128);
    EXPECT_FALSE(Number{128}.to<std::int8_t>().has_value());
    EXPECT_FALSE(Number{-1}.to<std::uint64_t>().has_value());
    EXPECT_EQ(Number{std::numeric_limits<std::uint64_t>::max()}.to<std::uint64_t>().value(),
              std::numeric_limits<std::uint64_t>::max());
}

TEST(Number, is_read_as_the_nearest_double_and_fails_outside_its_range) {
    EXPECT_EQ(Number::parse("0.1").value().to<double>().value(), 0.1);
    EXPECT_EQ(Number::parse("+2.50").value().to<double>().value(), 2.5);
    EXPECT_EQ(Number::parse(nines).value().to<double>().value(), 1e38);
    EXPECT_EQ(Number::parse("1e-130").value().to<double>().value(), 1e-130);
    EXPECT_FALSE(Number::parse("1e100").value().to<float>().has_value());
    EXPECT_FALSE(Number::as_written("nan").to<double>().has_value());
    EXPECT_FALSE(Number::as_written("inf").to<double>().has_value());
    EXPECT_FALSE(Number{std::numeric_limits<double>::infinity()}.to<double>().has_value());
}

TEST(Number, brings_any_double_back_bit_for_bit) {
    const unsigned seed = 20261116;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random{seed};
    for (int i = 0; i < 20000; ++i) {
        const double value = std::bit_cast<double>(random());
        if (!(value - value == 0)) continue;
        ASSERT_EQ(Number{value}.to<double>().value(), value);
    }
}

TEST(Number, counts_the_digits_that_matter) {
    for (const auto& [text, digits] : std::initializer_list<std::pair<const char*, std::size_t>>{
             {"0", 0}, {"100", 1}, {"-1.20", 2}, {"1.002e50", 4}, {"0.0012", 2}, {"x", 0}})
        EXPECT_EQ(Number::as_written(text).significant_digits(), digits) << text;
}

}  // namespace
}  // namespace perdure::dynamodb
