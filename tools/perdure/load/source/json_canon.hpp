// SPDX-License-Identifier: Apache-2.0
//
// Do two texts of JSON say the same? They do if this makes the same of both: names in order, numbers as
// doubles, no spaces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tool::load {

// Integers up to here are kept by whoever keeps numbers as doubles.
inline constexpr std::int64_t largest_exact = std::int64_t{1} << 53u;

// As short as it round trips.
void append_number(double number, std::string& out);

// Nothing: it is not JSON, or holds an integer that a double cannot keep.
[[nodiscard]] std::optional<std::string> canonical_json(std::string_view text);

}  // namespace tool::load
