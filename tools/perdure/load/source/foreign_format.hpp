// SPDX-License-Identifier: Apache-2.0
//
// Is this input something that cannot be read here, and which command makes it readable? Formats are
// recognised by their first bytes, whatever the name says.
//
//     refuse_foreign("PAR1\x15\x04…", "x.parquet")    // "is a Parquet file. `duckdb -c …` …"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tool::load {

// What it is and the cure, in words that follow the path; empty: it may be read. `head` is the beginning
// of the unpacked input.
[[nodiscard]] std::string refuse_foreign(std::string_view head, const std::string& path);

// The same for a JSON object that goes over several lines. Empty also for a first line that is broken: it
// is a rejected record.
enum class HeadIs : std::uint8_t { whole, beginning };
[[nodiscard]] std::string refuse_json_over_lines(std::string_view head, HeadIs is,
                                                 const std::string& path);

// "`zstdcat x.zst | perdure load - --as x.zst …`"; `filter` takes a file's name at its end, or standard
// input.
[[nodiscard]] std::string through(std::string_view filter, const std::string& path);

}  // namespace tool::load
