// SPDX-License-Identifier: Apache-2.0
//
// Which texts would a column of the target cut, round or read as something else without an error?
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

#include "load/source/json_record_fault.hpp"
#include "load/source/reading_values.hpp"
#include "load/source/typed_text.hpp"

namespace tool::load {

namespace {

constexpr std::string_view more_digits = "has more digits than its column keeps";

std::string wrong_digits(const Column& column, const DecimalSize& size) {
    const bool whole = size.whole > column.most_whole;
    return "has " + std::to_string(whole ? size.whole : size.fraction) + " digits " +
           (whole ? "before" : "behind") + " its point, its column keeps " +
           std::to_string(whole ? column.most_whole : column.most_fraction);
}

std::size_t characters_in(std::string_view text) noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

bool is_decimal_digit(char c) noexcept { return c >= '0' && c <= '9'; }

bool has_digit(std::string_view text) noexcept {
    return std::ranges::any_of(text, is_decimal_digit);
}

// Of a number by JSON's grammar, without zeros in front and at the end.
std::size_t significant_digits(std::string_view number) noexcept {
    number = number.substr(0, number.find_first_of("eE"));
    const std::size_t first = number.find_first_not_of("-0.");
    if (first == std::string_view::npos) return 0;
    number = number.substr(first, number.find_last_not_of("0.") + 1 - first);
    return static_cast<std::size_t>(std::ranges::count_if(number, is_decimal_digit));
}

// The shortest text of the nearest single is what comes back.
bool single_keeps(std::string_view number) {
    float nearest = 0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), nearest);
    if (read.ec != std::errc{}) return false;
    std::array<char, 64> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), nearest).ptr;
    const std::string_view back{text.data(), static_cast<std::size_t>(end - text.data())};
    std::string sent_form;
    std::string back_form;
    return one_form(Type::numeric, number, sent_form) == one_form(Type::numeric, back, back_form);
}

std::string_view altered_single(const Column& column, std::string_view text) {
    if (!has_digit(text)) return {};  // NaN, Infinity, or an error of the target's
    if (number_form(text) == NumberForm::none) return "holds text, its column holds numbers";
    const bool keeps = significant_digits(text) <= column.most_digits && single_keeps(text);
    return keeps ? std::string_view{} : more_digits;
}

// What sqlite3AtoF() of SQLite takes for a number, with spaces around it.
bool sqlite_reads_number(std::string_view text) noexcept {
    constexpr std::string_view spaces = " \t\n\v\f\r";
    const std::size_t first = text.find_first_not_of(spaces);
    if (first == std::string_view::npos) return false;
    text = text.substr(first, text.find_last_not_of(spaces) + 1 - first);
    if (text.front() == '-' || text.front() == '+') text.remove_prefix(1);
    std::size_t digits = 0;
    const auto pass = [&] {
        for (; !text.empty() && is_decimal_digit(text.front()); ++digits) text.remove_prefix(1);
    };
    pass();
    if (text.starts_with('.')) text.remove_prefix(1);
    pass();
    if (digits == 0) return false;
    if (text.empty()) return true;
    if (text.front() != 'e' && text.front() != 'E') return false;
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    return !text.empty() && std::ranges::all_of(text, is_decimal_digit);
}

// Of numbers that are no integers of 64 bits SQLite promises to keep 15 digits (sqlite.org/datatype3.html, 3.).
std::string_view altered_number(std::string_view text) noexcept {
    constexpr std::size_t kept_digits = 15;
    if (!sqlite_reads_number(text) || is_plain_integer(text)) return {};
    const std::size_t digits = significant_digits(text);
    const bool is_zero = digits == 0;
    const bool keeps = number_form(text) != NumberForm::none &&
                       number_form(text) != NumberForm::integer && digits <= kept_digits &&
                       is_plain_real(text) && !(is_zero && text.starts_with('-'));
    if (keeps) return {};
    return "is written as a number that its column would change: it keeps integers of 64 bits and "
           "15 digits of others, and nothing in front of them";
}

std::string altered_fraction(const Column& column, std::string_view text) {
    std::int64_t longest = 0;
    if (const auto size = decimal_size(text)) longest = size->fraction;
    else
        for (std::size_t at = text.find('.'); at != std::string_view::npos;
             at = text.find('.', at + 1)) {
            std::size_t end = at + 1;
            while (end < text.size() && is_decimal_digit(text[end])) ++end;
            while (end > at + 1 && text[end - 1] == '0') --end;
            longest = std::max(longest, static_cast<std::int64_t>(end - at - 1));
        }
    if (longest <= column.most_fraction) return {};
    return "has " + std::to_string(longest) + " digits behind a point, its column keeps " +
           std::to_string(column.most_fraction);
}

// MariaDB's manual, BIT, ENUM, SET and YEAR: a text is taken for bytes, a number for a place in the list of
// values or a set of bits, two digits for a year of this century or the last.
std::string_view altered_meaning(const Column& column, std::string_view text) {
    const std::string_view type = column.server_type;
    if (type.starts_with("bit")) return "would be taken for bytes by its column";
    const bool number = std::ranges::all_of(text, is_decimal_digit);
    if (type.starts_with("year"))
        return number && text.size() == 4 ? "" : "holds no year of four digits, its column does";
    const bool listed = type.find("'" + std::string{text} + "'") != std::string_view::npos;
    return number && !listed ? "holds a number that is not among the values of its column" : "";
}

std::string altered(const Column& column, std::string_view text) {
    switch (column.alters) {
        case Alters::single: {
            std::string wrong{altered_single(column, text)};
            return wrong.empty() ? altered_fraction(column, text) : wrong;
        }
        case Alters::numbers: return std::string{altered_number(text)};
        case Alters::fractions: return altered_fraction(column, text);
        case Alters::meanings: return std::string{altered_meaning(column, text)};
        case Alters::nothing: break;
    }
    return {};
}

std::string wrong_length(const Column& column, std::string_view text) {
    const bool bytes = text.size() > column.most_bytes;
    const std::size_t length = bytes ? text.size() : characters_in(text);
    const std::size_t most = bytes ? column.most_bytes : column.most_characters;
    if (length <= most) return {};
    return "has " + std::to_string(length) + (bytes ? " bytes" : " characters") +
           ", its column holds " + std::to_string(most);
}

// Of a form that is ours.
std::string wrong_form(const Column& column, std::string_view text) {
    const Type type = column.type == Type::other ? column.made_for : column.type;
    if (type == Type::numeric) {
        const auto size = decimal_size(text);
        const bool fits =
            !size || (size->whole <= column.most_whole && size->fraction <= column.most_fraction);
        return fits ? std::string{} : wrong_digits(column, *size);
    }
    if (type == Type::date && parse_timestamp(text))
        return "holds a timestamp, its column holds dates";
    if (type != Type::timestamp && type != Type::timestamptz) return {};
    const auto time = parse_timestamp(text);
    if (!time) return {};
    if (type == Type::timestamp && time->zone) return std::string{has_zone_reason};
    if (std::ssize(time->fraction) <= column.most_fraction) return {};
    return "has " + std::to_string(time->fraction.size()) +
           " digits of a second, its column keeps " + std::to_string(column.most_fraction);
}

}  // namespace

bool is_limited(const Column& column) noexcept {
    return column.most_characters != SIZE_MAX || column.most_bytes != SIZE_MAX ||
           column.most_whole != INT64_MAX || column.most_fraction != INT64_MAX ||
           column.alters != Alters::nothing || column.made_for == Type::timestamp ||
           column.made_for == Type::date;
}

std::string beyond_limits(const Column& column, const Value& value) {
    if (value.kind != ValueKind::text) return {};
    std::string wrong;
    if (value.text.size() > std::min(column.most_characters, column.most_bytes))
        wrong = wrong_length(column, value.text);
    if (wrong.empty()) wrong = altered(column, value.text);
    return wrong.empty() ? wrong_form(column, value.text) : wrong;
}

}  // namespace tool::load
