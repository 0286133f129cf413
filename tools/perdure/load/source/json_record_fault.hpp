// SPDX-License-Identifier: Apache-2.0
//
// Where and why is this no JSON? A plain walk, byte by byte: for values that are kept as they are
// written, and to explain what the fast reader refused.
//
//     scan_json(R"({"a":1,})")->expected        // "a field's name", at 7
#pragma once

#include <cstddef>
#include <string_view>

namespace tool::load {

struct JsonScan {
    std::size_t end = 0;          // behind the value; or where it went wrong
    std::string_view expected{};  // there; empty: it is a value
    [[nodiscard]] bool good() const noexcept { return expected.empty(); }
};

// The value at the front of `text`, after spaces. Depth is limited by the length of the text alone.
// Does not look whether the text is UTF-8.
[[nodiscard]] JsonScan scan_json(std::string_view text);
// The same, and nothing but spaces after it.
[[nodiscard]] JsonScan scan_whole_json(std::string_view text);

enum class NumberForm { none, integer, real };
// Of the whole text, by the grammar of JSON; `real` has a fraction or an exponent.
[[nodiscard]] NumberForm number_form(std::string_view text) noexcept;

}  // namespace tool::load
