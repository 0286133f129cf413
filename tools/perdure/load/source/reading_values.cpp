// SPDX-License-Identifier: Apache-2.0
#include "load/source/reading_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "load/source/json_record.hpp"
#include "load/source/json_record_fault.hpp"
#include "load/source/typed_text.hpp"

namespace tool::load {

namespace {

constexpr std::string_view too_large = "holds a number that is too large for its column";
constexpr std::string_view holds_nul = "holds a NUL character";

// The whole text, as from_chars has it: no spaces, no plus.
std::errc parse(std::string_view text, std::int64_t& into) noexcept {
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    return error == std::errc{} && stop != text.data() + text.size() ? std::errc::invalid_argument
                                                                     : error;
}

// A number by JSON's grammar; the nearest double, unless it is infinite.
bool parse_real(std::string_view number, double& into) noexcept {
    const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), into);
    if (error == std::errc::result_out_of_range) {
        // Out of range is also what is too small, and that is as good as zero.
        const std::size_t exponent = number.find_first_of("eE");
        const bool tiny = exponent != std::string_view::npos && number[exponent + 1] == '-';
        into = number.front() == '-' ? -0.0 : 0.0;
        return tiny;
    }
    return error == std::errc{} && stop == number.data() + number.size() && std::isfinite(into);
}

std::string_view integer_of_number(std::string_view token, Value& into) noexcept {
    std::int64_t number = 0;
    const std::errc error = parse(token, number);
    if (error == std::errc::result_out_of_range)
        return "holds an integer of more than 64 bits, its column holds integers";
    if (error != std::errc{}) return "holds a number with a fraction, its column holds integers";
    if (number == 0 && token.front() == '-') return "holds -0, its column holds integers";
    into = Value{number};
    return {};
}

// From 2^53 on not every integer is a double; of other numbers a double keeps 17 digits.
bool keeps(std::string_view token, double number) noexcept {
    if (number_form(token) != NumberForm::integer) return is_plain_real(token);
    std::array<char, 320> digits{};
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number,
                                       std::chars_format::fixed, 0);
    return written.ec == std::errc{} &&
           token == std::string_view{digits.data(),
                                     static_cast<std::size_t>(written.ptr - digits.data())};
}

std::string_view real_of_number(std::string_view token, Value& into) noexcept {
    double number = 0;
    if (!parse_real(token, number)) return too_large;
    if (!keeps(token, number)) return "has more digits than its column keeps";
    into = Value{number};
    return {};
}

constexpr std::size_t index(Type type) noexcept { return static_cast<std::size_t>(type); }

// Of integer, real and boolean: those that do not take everything.
std::string_view misfit(Type type, JsonKind kind) noexcept {
    using Row = std::array<std::string_view, 3>;
    static constexpr Row number{"", "", "holds a number, its column holds true or false"};
    static constexpr Row boolean{"holds true or false, its column holds integers",
                                 "holds true or false, its column holds numbers", ""};
    static constexpr Row text{"holds text, its column holds integers",
                              "holds text, its column holds numbers",
                              "holds text, its column holds true or false"};
    static constexpr Row nested{"holds an object or a list, its column holds integers",
                                "holds an object or a list, its column holds numbers",
                                "holds an object or a list, its column holds true or false"};
    switch (kind) {
        case JsonKind::number: return number[index(type)];
        case JsonKind::boolean: return boolean[index(type)];
        case JsonKind::text: return text[index(type)];
        default: return nested[index(type)];
    }
}

std::string_view text_of_json(JsonKind kind, std::string_view token, std::deque<std::string>& texts,
                              Value& into) {
    if (kind != JsonKind::text) {
        into = Value{token};
        return {};
    }
    const Unescaped text = unescape(token, texts);
    if (!text.good) return "holds an escape that stands for no character";
    if (text.text.find('\0') != std::string_view::npos) return holds_nul;
    into = Value{text.text};
    return {};
}

std::string_view boolean_of_csv(std::string_view text, Value& into) noexcept {
    constexpr std::array<std::string_view, 5> yes{"true", "t", "1", "yes", "y"};
    constexpr std::array<std::string_view, 5> no{"false", "f", "0", "no", "n"};
    const auto is_text = [&](std::string_view word) { return is_word(text, word); };
    const bool truth = std::ranges::any_of(yes, is_text);
    if (!truth && std::ranges::none_of(no, is_text)) return misfit(Type::boolean, JsonKind::text);
    into = Value{truth};
    return {};
}

std::string_view integer_of_csv(std::string_view text, Value& into) noexcept {
    std::int64_t number = 0;
    const std::errc error = parse(text, number);
    if (error == std::errc::invalid_argument) return misfit(Type::integer, JsonKind::text);
    if (error != std::errc{}) return integer_of_number(text, into);
    // A house number or a postcode: the column would lose what makes it one.
    if (!is_plain_integer(text)) return "has zeros in front that its column does not keep";
    into = Value{number};
    return {};
}

std::string_view numeric_of_text(std::string_view text, Value& into) noexcept {
    if (number_form(text) == NumberForm::none) return misfit(Type::real, JsonKind::text);
    if (!is_decimal(text)) return too_large;
    into = Value{text};
    return {};
}

constexpr std::string_view no_timestamp =
    "holds no timestamp like 2026-01-31T23:59:59, its column holds timestamps";
// Zeros behind the sixth digit of a second are left out: MariaDB would have to cut them.
std::string_view timestamp_of_text(Type type, std::string_view text, Value& into) noexcept {
    const auto time = parse_timestamp(text);
    if (!time) return no_timestamp;
    if (time->fraction.size() > most_second_digits)
        return "holds a timestamp with more than 6 digits of a second, its column keeps 6";
    if (type == Type::timestamp && time->zone) return has_zone_reason;
    if (type == Type::timestamptz && !time->zone)
        return "holds a timestamp without a time zone, its column holds timestamps with one";
    constexpr std::size_t longest = 26;  // 2026-01-31T23:59:59.123456
    into = Value{time->zone ? text : text.substr(0, longest)};
    return {};
}

// Of a type that has_one_form().
std::string_view typed_of_text(Type type, std::string_view text, Value& into) noexcept {
    switch (type) {
        case Type::numeric: return numeric_of_text(text, into);
        case Type::timestamp:
        case Type::timestamptz: return timestamp_of_text(type, text, into);
        case Type::date:
            if (!is_date(text)) return "holds no date like 2026-01-31, its column holds dates";
            break;
        default:
            if (!is_uuid(text)) return "holds no UUID, its column holds UUIDs";
            break;
    }
    into = Value{text};
    return {};
}

// Decimals are written as numbers or, to keep all their digits, as text; the others as text.
std::string_view typed_of_json(Type type, const JsonField& field, std::deque<std::string>& texts,
                               Value& into) {
    if (field.kind == JsonKind::text) {
        const std::string_view wrong = text_of_json(field.kind, field.token, texts, into);
        return wrong.empty() ? typed_of_text(type, into.text, into) : wrong;
    }
    if (type == Type::numeric && field.kind == JsonKind::number)
        return numeric_of_text(field.token, into);
    if (type == Type::numeric) return misfit(Type::real, field.kind);
    return typed_of_text(type, field.token, into);
}

}  // namespace

std::string_view json_value(Type type, const JsonField& field, std::deque<std::string>& texts,
                            Value& into) {
    const auto [name, token, kind] = field;
    into = Value{};
    if (kind == JsonKind::null) return {};
    switch (type) {
        case Type::json: into = Value{token}; return {};
        case Type::text:
        case Type::other: return text_of_json(kind, token, texts, into);
        case Type::integer:
            if (kind == JsonKind::number) return integer_of_number(token, into);
            break;
        case Type::real:
            if (kind == JsonKind::number) return real_of_number(token, into);
            break;
        case Type::boolean:
            if (kind != JsonKind::boolean) break;
            into = Value{token == "true"};
            return {};
        default: return typed_of_json(type, field, texts, into);
    }
    return misfit(type, kind);
}

std::string_view csv_value(Type type, std::string_view text, Value& into) {
    switch (type) {
        case Type::integer: return integer_of_csv(text, into);
        case Type::boolean: return boolean_of_csv(text, into);
        case Type::real:
            if (number_form(text) == NumberForm::none) return misfit(type, JsonKind::text);
            return real_of_number(text, into);
        case Type::json:
            if (!scan_whole_json(text).good()) return "holds no JSON, its column holds JSON";
            break;
        case Type::text:
        case Type::other: break;
        default: return typed_of_text(type, text, into);
    }
    into = Value{text};
    return {};
}

bool is_word(std::string_view text, std::string_view lower) noexcept {
    return std::ranges::equal(text, lower, {}, [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
}

bool is_plain_integer(std::string_view text) noexcept {
    std::int64_t number = 0;
    return number_form(text) == NumberForm::integer && text != "-0" &&
           parse(text, number) == std::errc{};
}

bool is_plain_real(std::string_view text) noexcept {
    double number = 0;
    if (number_form(text) == NumberForm::none || !parse_real(text, number)) return false;
    std::string_view digits = text.substr(0, text.find_first_of("eE"));
    const std::size_t first = digits.find_first_not_of("-0.");
    if (first == std::string_view::npos) return true;
    digits = digits.substr(first, digits.find_last_not_of("0.") + 1 - first);
    return number != 0 && std::ranges::count(digits, '.') + 17 >= std::ssize(digits);
}

std::string quoted_name(std::string_view name) {
    constexpr std::size_t most = 64;
    std::string quoted = "'";
    std::size_t length = std::min(name.size(), most);
    // Not in the middle of a character.
    while (length > 0 && length < name.size() &&
           (static_cast<unsigned char>(name[length]) & 0xc0u) == 0x80u)
        --length;
    for (const char c : name.substr(0, length))
        quoted += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    return quoted + (length < name.size() ? "…'" : "'");
}

}  // namespace tool::load
