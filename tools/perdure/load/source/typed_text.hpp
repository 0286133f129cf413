// SPDX-License-Identifier: Apache-2.0
//
// Texts of dates, timestamps, UUIDs and decimal numbers: the forms a load accepts, and one form for all
// texts of the same value.
//
//     is_date("2026-02-29")                                               // false: no such day
//     one_form(Type::timestamptz, "2026-01-01 01:00:00+02:00", buffer)    // 2025-12-31T23:00:00Z
//     one_form(Type::numeric, "1.50", buffer)                             // 1.5
//
// Stateless; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "load/source/value.hpp"

namespace tool::load {

// YYYY-MM-DD, a day of the Gregorian calendar from the year 1 on.
[[nodiscard]] bool is_date(std::string_view text) noexcept;

// 8-4-4-4-12 hexadecimal digits, of any case.
[[nodiscard]] bool is_uuid(std::string_view text) noexcept;

// YYYY-MM-DD, T or a space, hh:mm:ss, up to nine digits of a second, and for a zone Z, +hh, +hhmm or
// +hh:mm. No leap seconds: databases move them to the next minute.
struct Timestamp {
    std::int64_t seconds = 0;      // since 1970-01-01T00:00:00, of the clock time as it is written
    std::string_view fraction{};   // digits of a second, without zeros at the end
    std::optional<int> zone{};     // minutes east of UTC
    std::size_t without_zone = 0;  // length of the text up to the zone
};
[[nodiscard]] std::optional<Timestamp> parse_timestamp(std::string_view text) noexcept;
// PostgreSQL and MariaDB keep microseconds.
inline constexpr std::size_t most_second_digits = 6;

// How many digits a number by JSON's grammar has before and behind its point when it is written without
// an exponent; zeros in front and at the end do not count. Nothing: the text is no number.
struct DecimalSize {
    std::int64_t whole = 0;
    std::int64_t fraction = 0;
};
[[nodiscard]] std::optional<DecimalSize> decimal_size(std::string_view text) noexcept;
// The limits of PostgreSQL's numeric (its manual, 8.1.2), kept on every target.
[[nodiscard]] bool is_decimal(std::string_view text) noexcept;

// The same text for all texts of one value of this type; `text` itself where it is not of the type's form
// or the type has one form only. May lie in `buffer`.
[[nodiscard]] std::string_view one_form(Type type, std::string_view text, std::string& buffer);

}  // namespace tool::load
