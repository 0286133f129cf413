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

// A record of CSV, under the names of a header (csv_header()), as a JSON object of texts and nulls; empty when
// its fields are not those of the header.
[[nodiscard]] std::string csv_as_object(std::string_view header, std::string_view record);

// `fields` are those of a line whose first field is the wrapper's; `reader` is free to be used.
[[nodiscard]] Unwrapped unwrap(const std::vector<JsonField>& fields, JsonReader& reader,
                               std::deque<std::string>& texts);

}  // namespace tool::load
