// SPDX-License-Identifier: Apache-2.0
//
// Which of a driver's words may be shown? Those about links, logins, names and syntax. What may quote
// a value (constraints, conversions, texts of triggers) is replaced by the name of its row.
#pragma once

#include <string>

#include "perdure/sql/error_table.hpp"
#include "sql/odbc/records.hpp"

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

std::string safe_text(Product product, const Record& record, const ErrorRow& row);

// Without the [vendor][driver] marks in front, and without the names of users.
std::string without_marks(std::string_view message);

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
