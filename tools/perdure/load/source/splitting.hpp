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
    bool has_lone_cr = false;  // of CSV: there may be CRs in the text that no LF follows
};

// How far the search in one record has come.
struct Seam {
    std::size_t at = 0;
    std::size_t lines = 0;           // line ends met
    std::size_t first_line_end = 0;  // behind the first of them; 0: none yet
    bool quoted = false;
    std::size_t searched = 0;  // bytes compared, so that tests can bound the work
};

// The place behind the line end of the record at the front of `text`; nothing when the text ends
// first. Ask again with a longer text and the same seam. In CSV a quote opens only where a field begins:
// one in the middle is a character like others, so that 5" does not swallow what follows. Outside of
// quotes LF, CR LF and CR alone each end a record, as in Python's csv; a CR at the end of the text is
// left until more is there.
[[nodiscard]] std::optional<std::size_t> record_end(std::string_view text, const SplitRules& rules,
                                                    Seam& seam) noexcept;

// Whether a CR in the text is followed by another byte than LF. Much cheaper than to look for CRs in each
// record.
[[nodiscard]] bool has_lone_cr(std::string_view text) noexcept;

// The place behind the first line end, whatever quotes there are; nothing when there is none.
[[nodiscard]] std::optional<std::size_t> line_end(std::string_view text,
                                                  const SplitRules& rules) noexcept;

// Whether the record that the end of the input ends is still inside of quotes.
[[nodiscard]] bool ends_open(std::string_view text, const Seam& seam) noexcept;

// Without its line end.
[[nodiscard]] std::string_view without_line_end(std::string_view record) noexcept;
[[nodiscard]] bool is_blank(std::string_view record, Format format) noexcept;

}  // namespace tool::load
