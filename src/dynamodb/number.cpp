// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/number.hpp"

#include <array>
#include <system_error>

#include "decimal.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

Failure bad_number(std::string message) {
    return {.cause = Cause::invalid,
            .origin = Origin::application,
            .code = "bad-number",
            .message = std::move(message)};
}

template <class T>
std::string shortest(T value) {
    std::array<char, 64> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

// from_chars knows no plus sign.
template <class T>
bool read_whole(std::string_view text, T& value) noexcept {
    if (!text.empty() && text[0] == '+') text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

template <class T>
Result<T> to_integer(const std::string& text) {
    const Decimal decimal = read_decimal(text);
    if (!decimal.readable) return fail(bad_number("the text is no number"));
    if (decimal.zero()) return T{0};
    const bool whole = decimal.magnitude >= static_cast<long>(decimal.count) - 1;
    if (!whole) return fail(bad_number("the number is no integer"));
    T value{};
    if (!decimal.storable() || !read_whole(plain_text(decimal), value))
        return fail(bad_number("the number does not fit the integer asked for"));
    return value;
}

template <class T>
Result<T> to_real(const std::string& text) {
    if (!reads_as_number(text)) return fail(bad_number("the text is no number"));
    T value{};
    if (!read_whole(text, value))
        return fail(bad_number("the number is out of the range of the type asked for"));
    return value;
}

}  // namespace

namespace detail {
std::string number_text(std::int64_t value) { return shortest(value); }
std::string number_text(std::uint64_t value) { return shortest(value); }
std::string number_text(float value) { return shortest(value); }
std::string number_text(double value) { return shortest(value); }
}  // namespace detail

Result<Number> Number::parse(std::string_view text) {
    const Decimal decimal = read_decimal(text);
    if (!decimal.readable) return fail(bad_number("the text is no number"));
    if (decimal.count > 38) return fail(bad_number("a number has at most 38 significant digits"));
    if (!decimal.storable())
        return fail(bad_number("a number lies between 1e-130 and 9.99e125, or is 0"));
    return as_written(std::string{text});
}

Result<std::string> Number::canonical() const {
    const Decimal decimal = read_decimal(text_);
    if (!decimal.storable())
        return fail(bad_number("the text is no number of up to 38 digits and magnitude 125"));
    return plain_text(decimal);
}

std::size_t Number::significant_digits() const noexcept { return read_decimal(text_).count; }

Failure Number::out_of_range() {
    return bad_number("the number does not fit the integer asked for");
}
Result<std::int64_t> Number::to_signed() const { return to_integer<std::int64_t>(text_); }
Result<std::uint64_t> Number::to_unsigned() const { return to_integer<std::uint64_t>(text_); }
Result<float> Number::to_float() const { return to_real<float>(text_); }
Result<double> Number::to_double() const { return to_real<double>(text_); }

bool same_value(const Number& a, const Number& b) {
    if (a == b) return true;
    const auto left = a.canonical(), right = b.canonical();
    return left && right && *left == *right;
}

bool reads_as_number(std::string_view text) noexcept {
    // Most are integers, or have digits on both sides of a point.
    const auto digits_end = [&](std::size_t at) {
        while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
        return at;
    };
    const std::size_t at = digits_end(text.size() > 1 && text[0] == '-' ? 1 : 0);
    if (at == text.size()) return at > 0;
    if (text[at] == '.' && at + 1 < text.size() && digits_end(at + 1) == text.size()) return true;
    return read_decimal(text).readable;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
