// SPDX-License-Identifier: Apache-2.0
//
// What do SQLite's result codes mean? Looked up by the extended code, else by the primary one.
#pragma once

#include <string>
#include <string_view>

#include "perdure/sql/error_table.hpp"
#include "sql/sqlite/watch.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

constexpr int primary_code(int code) noexcept { return code & 0xff; }
// "SQLITE_BUSY_SNAPSHOT", or the primary code's name and the number.
[[nodiscard]] std::string symbol_of(int code);
[[nodiscard]] const ErrorRow& row_of_code(int code);
[[nodiscard]] Failure failure_of_code(int code, During during, std::string_view message);

// We ended it ourselves; what had been done was rolled back.
[[nodiscard]] Failure cut_failure(Cut cut, std::string_view doing);
[[nodiscard]] Failure refused_call(std::string_view code, std::string message);

}  // namespace sql
}  // namespace v0
}  // namespace perdure
