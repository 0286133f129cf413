// SPDX-License-Identifier: Apache-2.0
//
// Is this record a line of a side file (rejected_file.hpp), and what is the record within it? It may
// have been repaired by hand, so it is read as what it is now.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "load/source/json_record.hpp"

namespace tool::load {

inline constexpr std::string_view wrapper_name = "perdure.rejected";

// Why a record whose beginning only is kept cannot be loaded again from there.
inline constexpr std::string_view too_long_reason = "is too long; only its beginning is kept";

struct Unwrapped {
    std::string wrong{};        // empty: `record` is to be read
    std::string_view record{};  // JSON
    bool from_csv = false;      // its texts are CSV's: a column's type decides what they mean
};

// `fields` are those of a line whose first field is the wrapper's; `reader` is free to be used.
[[nodiscard]] Unwrapped unwrap(const std::vector<JsonField>& fields, JsonReader& reader,
                               std::deque<std::string>& texts);

}  // namespace tool::load
