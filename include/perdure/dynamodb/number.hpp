// SPDX-License-Identifier: Apache-2.0
//
// What is a number to DynamoDB? Decimal text, kept exactly as it was written: up to 38 significant
// digits, from 1e-130 to 9.99…e125, and nothing is ever rounded on the way.
//
//     dynamodb::Number{1299}                             // any integer, float or double
//     const auto price = Number::parse("12.990");        // Result<Number>
//     const Result<std::int64_t> cents = number.to<std::int64_t>();   // fails rather than cuts
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace detail {
template <class T>
inline constexpr bool is_character =
    std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<T, char8_t> ||
    std::same_as<T, char16_t> || std::same_as<T, char32_t>;

std::string number_text(std::int64_t value);
std::string number_text(std::uint64_t value);
std::string number_text(float value);   // the shortest text that is read as the same float
std::string number_text(double value);  // and the same double
}  // namespace detail

// What counts as a number in C++: neither a truth nor a letter.
template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool> && !detail::is_character<T>;
template <class T>
concept Real = std::same_as<T, float> || std::same_as<T, double>;

// A plain value; shared by threads only while nobody changes it.
class Number {
public:
    Number() : text_{"0"} {}
    template <Integer I>
    Number(I value) : text_{detail::number_text(widen(value))} {}
    // Infinity and what is no number at all can be held, but not sent: check() refuses them.
    template <Real F>
    Number(F value) : text_{detail::number_text(value)} {}

    // Fails with `invalid` if the service would not take the text as a number.
    [[nodiscard]] static Result<Number> parse(std::string_view text);
    // As somebody wrote it who is believed.
    [[nodiscard]] static Number as_written(std::string text) {
        return Number{Text{std::move(text)}};
    }

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    // An integer only where the value is one and fits ("1e3" is 1000, "1.5" is none); a float or
    // double is the nearest one.
    template <Integer I>
    [[nodiscard]] Result<I> to() const {
        const char* const end = text_.data() + text_.size();
        I value{};
        const std::from_chars_result read = std::from_chars(text_.data(), end, value);
        if (read.ec == std::errc{} && read.ptr == end) return value;
        if constexpr (std::signed_integral<I>) return narrow<I>(to_signed());
        else return narrow<I>(to_unsigned());
    }
    template <Real F>
    [[nodiscard]] Result<F> to() const {
        if constexpr (std::same_as<F, float>) return to_float();
        else return to_double();
    }

    // One text for all ways to write the value: plain digits without an exponent, "1.50" as "1.5"
    // and "-0" as "0". Fails with `invalid` if this is no number of DynamoDB's.
    [[nodiscard]] Result<std::string> canonical() const;
    // Digits that count, without zeros at either end; 0 if it is zero or no number.
    [[nodiscard]] std::size_t significant_digits() const noexcept;

    // Equal as written: 1.0 is not 1. See same_value.
    friend bool operator==(const Number&, const Number&) = default;

private:
    struct Text {
        std::string text;
    };
    explicit Number(Text text) noexcept : text_{std::move(text.text)} {}

    template <Integer I>
    static auto widen(I value) noexcept {
        if constexpr (std::signed_integral<I>) return static_cast<std::int64_t>(value);
        else return static_cast<std::uint64_t>(value);
    }
    template <Integer I, class Wide>
    static Result<I> narrow(Result<Wide> wide) {
        if (!wide) return wide.take_failure();
        if (!std::in_range<I>(*wide)) return fail(out_of_range());
        return static_cast<I>(*wide);
    }
    [[nodiscard]] static Failure out_of_range();
    [[nodiscard]] Result<std::int64_t> to_signed() const;
    [[nodiscard]] Result<std::uint64_t> to_unsigned() const;
    [[nodiscard]] Result<float> to_float() const;
    [[nodiscard]] Result<double> to_double() const;

    std::string text_;
};

// Whether both mean the same: 1.0 and 1, -0 and 0, 1e2 and 100.
[[nodiscard]] bool same_value(const Number& a, const Number& b);

// Whether the text looks like a number at all, however large it is: sign, digits, point, exponent.
[[nodiscard]] bool reads_as_number(std::string_view text) noexcept;

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
