// SPDX-License-Identifier: Apache-2.0
//
// What are the fields of one CSV record? As RFC 4180 has it: a field in quotes may hold separators, line
// ends and doubled quotes.
//
//     split_csv(R"(7,"a ""b""",)", ',', fields, texts)     // 7 | a "b" | nothing
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "load/source/reading.hpp"

namespace tool::load {

struct CsvField {
    std::string_view text{};
    bool quoted = false;
    // An empty field in quotes is a text without letters.
    [[nodiscard]] bool is_null() const noexcept { return text.empty() && !quoted; }
};

// What is wrong with it, in words; empty: nothing. Texts that had doubled quotes lie in `texts`, others
// in the record.
[[nodiscard]] std::string_view split_csv(std::string_view record, char separator,
                                         std::vector<CsvField>& fields,
                                         std::deque<std::string>& texts);

// The names as a record, all of them in quotes.
[[nodiscard]] std::string csv_header(const Header& header, char separator);
// The same back, and what separates them; a comma where there is but one.
struct NamedColumns {
    Header names{};
    char separator = ',';
};
[[nodiscard]] NamedColumns read_csv_header(std::string_view record);

}  // namespace tool::load
