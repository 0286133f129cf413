// SPDX-License-Identifier: Apache-2.0
//
// How does each database want to be spoken to? What differs between them when a table is loaded, as far
// as possible as words in a table.
//
//     const Dialect& dialect = dialect_of(sql::Product::postgres);
//     quoted(dialect, "a\"b")                                        // "a""b"
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "load/source/value.hpp"
#include "perdure/result.hpp"
#include "perdure/sql/error_table.hpp"

namespace tool::load {

using perdure::Result;

// Constant; any thread.
struct Dialect {
    perdure::sql::Product product = perdure::sql::Product::sqlite;
    char quote = '"';
    std::string_view integer{};
    std::string_view real{};
    std::string_view text{};
    std::string_view json{};
    std::string_view numeric{};
    std::string_view date{};
    std::string_view timestamp{};
    std::string_view timestamptz{};
    std::string_view uuid{};
    std::string_view key_text{};  // of a key, which must be short enough for an index
    std::string_view name{};      // in the ledger: of a table
    std::string_view source{};    // in the ledger: of an input
    std::string_view bytes{};
    std::string_view table_end{};  // behind the closing bracket of CREATE TABLE
    std::string_view locking{};    // behind a SELECT that must see what others have just written
    std::string_view
        sharing{};  // behind a SELECT whose row nobody may change until we have committed
    std::size_t most_parameters = 0;  // of one statement
    std::size_t most_columns = 0;     // of a table that create_statement makes
    int workers = 1;                  // at once, when nobody says how many
};

[[nodiscard]] const Dialect& dialect_of(perdure::sql::Product product) noexcept;

// A table as the user wrote it: "t" or "schema.t".
struct TableName {
    std::string schema{};  // empty: the session's own
    std::string table{};
};
[[nodiscard]] Result<TableName> parse_table(std::string_view written);
// PostgreSQL would cut a longer name without an error, and load into another table.
[[nodiscard]] Result<void> check_length(const Dialect& dialect, const TableName& table);

[[nodiscard]] std::string quoted(const Dialect& dialect, std::string_view name);
[[nodiscard]] std::string quoted(const Dialect& dialect, const TableName& table);
[[nodiscard]] std::string quoted_list(const Dialect& dialect, std::span<const Column> columns);

[[nodiscard]] std::string create_statement(const Dialect& dialect, const TableName& table,
                                           const Schema& schema);
// Behind an INSERT: a row whose key is there is passed over, any other error is one.
[[nodiscard]] std::string unless_there(const Dialect& dialect, std::span<const std::string> keys);

// "(?,?),(?,?)"
[[nodiscard]] std::string placeholders(std::size_t rows, std::size_t width,
                                       std::string_view place = "?");
// How many rows each statement takes when so many are to be sent: few statements, and few different
// ones, so that they are found prepared.
[[nodiscard]] std::vector<std::size_t> pieces(const Dialect& dialect, std::size_t rows,
                                              std::size_t width);

// Whether an error that an INSERT of rows met is about one of the rows, and not about the table, the
// server or the rights.
[[nodiscard]] bool is_about_record(perdure::sql::Product product, std::string_view code) noexcept;
// A CREATE TABLE IF NOT EXISTS that met another one of the same table in the catalogue: the next finds it.
[[nodiscard]] bool is_made_by_another(perdure::sql::Product product,
                                      std::string_view code) noexcept;
// A primary key that is taken.
[[nodiscard]] bool is_key_taken(perdure::sql::Product product, std::string_view code) noexcept;

}  // namespace tool::load
