// SPDX-License-Identifier: Apache-2.0
//
// How are journals read that may be large, packed or cut off in the middle? In pieces, whatever
// gzip made of them; "-" is standard input. Memory does not grow with the file.
//
//     for (const std::string& file : files)
//         if (const auto read = read_journal(file, tally, filter, account); !read) return read.error();
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "doctor/tally.hpp"
#include "perdure/result.hpp"

namespace tool::doctor {

// What was read, over all files.
struct Account {
    std::uint64_t lines = 0;
    std::uint64_t bad = 0;
    std::string first_bad{};     // "a.jsonl:17: why"
    std::uint64_t dropped = 0;   // lines the writers themselves had no room for
    std::uint64_t left_out = 0;  // by --since and --until
};

// In nanoseconds since 1970; `until` is excluded.
struct Window {
    std::int64_t since = std::numeric_limits<std::int64_t>::min();
    std::int64_t until = std::numeric_limits<std::int64_t>::max();
};

// The failure's message names the file.
Result<void> read_journal(const std::string& file, const Window& window, Tallies& into,
                          Account& account);

}  // namespace tool::doctor
