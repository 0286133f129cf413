// SPDX-License-Identifier: Apache-2.0
//
// Which file does a path or URL mean? Also: why can it not be opened?
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "perdure/failure.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

enum class Opening : std::uint8_t { as_options_say, read_only, read_write, create };

// A plain value.
struct Location {
    bool memory = false;
    std::string path{};        // absolute; as a person reads it
    std::string parameters{};  // of the URL, without mode; empty: none
    Opening opening = Opening::as_options_say;

    // For sqlite3_open_v2: the path, or a URL if there are parameters.
    [[nodiscard]] std::string to_open() const;
};

[[nodiscard]] Result<Location> locate(std::string_view path_or_url);

// What stands in the way, found by looking at names only: opening the file ourselves and closing it
// again would drop the locks of every session of this process.
[[nodiscard]] Failure cannot_open(const Location& where, std::string_view sqlite_says);
// "; the directory /x is not writable", or nothing.
[[nodiscard]] std::string obstacle(const std::string& path);

}  // namespace sql
}  // namespace v0
}  // namespace perdure
