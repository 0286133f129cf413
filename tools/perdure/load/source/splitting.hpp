// SPDX-License-Identifier: Apache-2.0
//
// Where does a record end? Found by looking for line ends and quotes only, because it is asked while
// other workers wait; whether the record is any good is asked later, by its reader.
//
//     Seam seam;
//     const auto end = record_end(text, {.format = Format::csv}, seam);   // again with more of the text
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "load/source/batch.hpp"

namespace tool::load {

struct SplitRules {
    Format format = Format::json_lines;
    char separator = ',';
};

// How far the search in one record has come.
struct Seam {
    std::size_t at = 0;
    std::size_t lines = 0;           // line ends met
    std::size_t first_line_end = 0;  // behind the first of them; 0: none yet
    bool quoted = false;
};

// The place behind the line end of the record at the front of `text`; nothing when the text ends
// first. Ask again with a longer text and the same seam. In CSV a quote opens only where a field begins:
// one in the middle is a character like others, so that 5" does not swallow what follows.
[[nodiscard]] std::optional<std::size_t> record_end(std::string_view text, const SplitRules& rules,
                                                    Seam& seam) noexcept;

// Whether the record that the end of the input ends is still inside of quotes.
[[nodiscard]] bool ends_open(std::string_view text, const Seam& seam) noexcept;

// Without its line end.
[[nodiscard]] std::string_view without_line_end(std::string_view record) noexcept;
[[nodiscard]] bool is_blank(std::string_view record, Format format) noexcept;

}  // namespace tool::load
