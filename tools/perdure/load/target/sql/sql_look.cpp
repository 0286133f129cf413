// SPDX-License-Identifier: Apache-2.0
#include "load/target/sql/sql_look.hpp"

#include <string>

#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;
using sql::Product;

Failure not_loadable(const TableName& table, std::string_view what) {
    return {.cause = Cause::invalid,
            .origin = Origin::application,
            .code = "not-loadable",
            .message = "'" + table.table + "' " + std::string{what}};
}

Result<std::uint64_t> count_rows(sql::Database& database, const Dialect& dialect,
                                 const TableName& table) {
    const sql::StatementOptions patient{.name = "count", .deadline = 1h};
    PERDURE_TRY_VALUE(const sql::Rows rows,
                      database.query(patient, "select count(*) from " + quoted(dialect, table)));
    return rows.single<std::uint64_t>();
}

Result<std::optional<TableFacts>> look_at(sql::Database& database, const Dialect& dialect,
                                          const TableName& table) {
    auto facts = dialect.product == Product::postgres  ? look_at_postgres(database, table)
                 : dialect.product == Product::mariadb ? look_at_mariadb(database, table)
                                                       : look_at_sqlite(database, table);
    if (!facts || !*facts) return facts;
    PERDURE_TRY_VALUE((*facts)->rows, count_rows(database, dialect, table));
    return facts;
}

}  // namespace tool::load
