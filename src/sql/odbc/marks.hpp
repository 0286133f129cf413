// SPDX-License-Identifier: Apache-2.0
//
// Which product is it, when the first connect has failed and nobody could be asked? Drivers sign
// their messages: [Microsoft][ODBC Driver 18 for SQL Server][SQL Server]Login failed…
#pragma once

#include <vector>

#include "sql/odbc/records.hpp"

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

Product product_by_marks(const std::vector<Record>& records) noexcept;

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
