// SPDX-License-Identifier: Apache-2.0
//
// Which character separates the fields of a CSV input? Guessed from its header and first records.
//
//     guess_separator("id;name\n1;a,b\n", HeadIs::whole)     // ';'
#pragma once

#include <string_view>

#include "load/source/foreign_format.hpp"

namespace tool::load {

// A comma, if it splits the header and the records alike. Otherwise the one of `, ; tab |` that splits
// the header and gives most records, and at least half of them, as many fields; a comma, if none does:
// the input has one column. Looks at up to 100 records.
[[nodiscard]] char guess_separator(std::string_view head, HeadIs is);

}  // namespace tool::load
