// SPDX-License-Identifier: Apache-2.0
//
// What the ledgers of all targets write the same way: the format of a source, the numbers of a range.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "load/target/target.hpp"

namespace tool::load {

inline constexpr std::array<std::uint64_t Range::*, 13> range_fields{
    &Range::begin,   &Range::end,         &Range::first_line, &Range::lines,
    &Range::records, &Range::written,     &Range::present,    &Range::rejected,
    &Range::reached, &Range::digest_high, &Range::digest_low, &Range::written_at,
    &Range::version};
// Ledgers of version 0.1 have these only.
inline constexpr std::size_t first_range_fields = 9;

[[nodiscard]] constexpr std::string_view format_name(Format format) noexcept {
    if (format == Format::json_array) return "json array";
    return format == Format::csv ? "csv" : "json lines";
}
[[nodiscard]] constexpr Format format_named(std::string_view name) noexcept {
    if (name == "json array") return Format::json_array;
    return name == "csv" ? Format::csv : Format::json_lines;
}

}  // namespace tool::load
