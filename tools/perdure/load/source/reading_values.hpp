// SPDX-License-Identifier: Apache-2.0
//
// What does a field's text mean in the column it goes to? JSON says of each value what it is; in CSV
// everything is text, and a column's type decides what the text has to look like.
//
//     csv_value(Type::integer, "7", value)       // "": it fits
//     csv_value(Type::integer, "x", value)       // "holds text, its column holds integers"
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "load/source/json_record.hpp"
#include "load/source/value.hpp"

namespace tool::load {

// What is wrong, for behind "field 'x' "; empty: `into` is the value. It lies in the token or in texts.
[[nodiscard]] std::string_view json_value(Type type, const JsonField& field,
                                          std::deque<std::string>& texts, Value& into);
// `text` is UTF-8 without a NUL, and not null.
[[nodiscard]] std::string_view csv_value(Type type, std::string_view text, Value& into);

// Whether the column holds less than a text or a decimal of any length; only then beyond_limits() has
// something to say.
[[nodiscard]] bool is_limited(const Column& column) noexcept;
// What is wrong, for behind "field 'x' "; empty: the column keeps all of the value. Quotes no value.
[[nodiscard]] std::string beyond_limits(const Column& column, const Value& value);

inline constexpr std::string_view has_zone_reason =
    "holds a timestamp with a time zone, its column holds timestamps without one";

// Whether it is this word, in letters of any case.
[[nodiscard]] bool is_word(std::string_view text, std::string_view lower) noexcept;
// Whether it is written as an integer of 64 bits always is: no zeros in front, no -0.
[[nodiscard]] bool is_plain_integer(std::string_view text) noexcept;
// Whether a double keeps all its digits: at most 17 of them, and not too large.
[[nodiscard]] bool is_plain_real(std::string_view text) noexcept;

// In quotes, for messages: no control characters, and not too long.
[[nodiscard]] std::string quoted_name(std::string_view name);

}  // namespace tool::load
