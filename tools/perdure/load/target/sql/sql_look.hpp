// SPDX-License-Identifier: Apache-2.0
//
// What is the table like that is to be loaded? Asked of the database's own catalogue.
#pragma once

#include <optional>

#include "load/target/sql/sql_dialect.hpp"
#include "load/target/target.hpp"
#include "perdure/sql/database.hpp"

namespace tool::load {

// Nothing: there is no such table. A view, or a table that knows no transactions, is `invalid`.
[[nodiscard]] Result<std::optional<TableFacts>>
look_at(perdure::sql::Database& database, const Dialect& dialect, const TableName& table);

// The parts, one for each database; all but the number of rows.
[[nodiscard]] Result<std::optional<TableFacts>> look_at_sqlite(perdure::sql::Database& database,
                                                               const TableName& table);
[[nodiscard]] Result<std::optional<TableFacts>> look_at_postgres(perdure::sql::Database& database,
                                                                 const TableName& table);
[[nodiscard]] Result<std::optional<TableFacts>> look_at_mariadb(perdure::sql::Database& database,
                                                                const TableName& table);

// "'v' is a view; …"
[[nodiscard]] perdure::Failure not_loadable(const TableName& table, std::string_view what);

[[nodiscard]] Result<std::uint64_t> count_rows(perdure::sql::Database& database,
                                               const Dialect& dialect, const TableName& table);

}  // namespace tool::load
