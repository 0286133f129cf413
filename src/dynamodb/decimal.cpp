// SPDX-License-Identifier: Apache-2.0
#include "decimal.hpp"

#include <algorithm>

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

// Larger than any exponent that matters, small enough to be added to a length.
constexpr long endless = 1'000'000'000;

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// The exponent behind 'e', clamped; false: there is none or more than one.
bool read_exponent(std::string_view text, long& exponent) noexcept {
    const bool negative = !text.empty() && text[0] == '-';
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
    if (text.empty()) return false;
    for (const char c : text) {
        if (!is_digit(c)) return false;
        exponent = std::min(exponent * 10 + (c - '0'), endless);
    }
    if (negative) exponent = -exponent;
    return true;
}

// Digits with at most one point among them. `point` is where it is, or the end.
bool read_mantissa(std::string_view text, std::size_t& point) noexcept {
    point = text.size();
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (is_digit(text[i])) continue;
        if (text[i] != '.' || point != text.size()) return false;
        point = i;
    }
    return text.size() > (point < text.size() ? 1U : 0U);
}

std::string_view digits_at(std::string_view text, std::size_t& at) noexcept {
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return text.substr(begin, at - begin);
}

}  // namespace

Decimal read_decimal(std::string_view text) noexcept {
    Decimal decimal;
    decimal.negative = !text.empty() && text[0] == '-';
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
    const std::size_t e = text.find_first_of("eE");
    long exponent = 0;
    if (e != text.npos && !read_exponent(text.substr(e + 1), exponent)) return decimal;
    const std::string_view mantissa = text.substr(0, e);
    std::size_t point = 0;
    decimal.readable = read_mantissa(mantissa, point);
    const std::size_t first = decimal.readable ? mantissa.find_first_not_of("0.") : text.npos;
    if (first == text.npos) return decimal;
    const std::size_t last = mantissa.find_last_not_of("0.");
    decimal.digits = mantissa.substr(first, last - first + 1);
    decimal.count = decimal.digits.size() - (first < point && point < last ? 1 : 0);
    const long before =
        first < point ? static_cast<long>(point - first) - 1 : -static_cast<long>(first - point);
    decimal.magnitude = before + exponent;
    return decimal;
}

std::string plain_text(const Decimal& decimal) {
    if (decimal.zero()) return "0";
    std::string digits{decimal.digits};
    std::erase(digits, '.');
    std::string text = decimal.negative ? "-" : "";
    if (decimal.magnitude < 0) {
        text += "0.";
        return text.append(static_cast<std::size_t>(-decimal.magnitude - 1), '0').append(digits);
    }
    const auto whole = static_cast<std::size_t>(decimal.magnitude) + 1;
    if (digits.size() <= whole) return text.append(digits).append(whole - digits.size(), '0');
    text.append(digits, 0, whole) += '.';
    return text.append(digits, whole);
}

bool is_json_number(std::string_view text) noexcept {
    std::size_t at = !text.empty() && text[0] == '-' ? 1 : 0;
    const std::string_view whole = digits_at(text, at);
    if (whole.empty() || (whole[0] == '0' && whole.size() > 1)) return false;
    if (at < text.size() && text[at] == '.' && digits_at(text, ++at).empty()) return false;
    if (at == text.size()) return true;
    if (text[at] != 'e' && text[at] != 'E') return false;
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    return !digits_at(text, at).empty() && at == text.size();
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
