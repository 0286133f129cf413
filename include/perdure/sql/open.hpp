// SPDX-License-Identifier: Apache-2.0
//
// Which database does this URL mean? For programs that are told at run time; those that know theirs
// use the driver's own function and link only that.
//
//     auto bank = sql::open("sqlite:bank.db", {.tokens = {.use = sql::TokenUse::create}});
//     if (!bank) return report(bank.error());          // a wrong URL; nothing was connected yet
//
// sqlite: and file: · postgres:// and postgresql:// · mariadb:// and mysql:// · odbc:
#pragma once

#include "perdure/cxx20.hpp"

#include <string_view>

#include "perdure/sql/database.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

// Of the room perdure::databases. A scheme whose driver this build has not is `invalid` and says so.
[[nodiscard]] Result<std::shared_ptr<Driver>> driver_for(std::string_view url);
[[nodiscard]] Result<Database> open(std::string_view url, DatabaseOptions options = {},
                                    const Environment& environment = {});

}  // namespace sql
}  // namespace v0
}  // namespace perdure
