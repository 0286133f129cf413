// SPDX-License-Identifier: Apache-2.0
//
// How do many rows get into a table, and back out by their keys, with few statements whose texts stay
// the same?
//
//     const RowStatements statements{dialect, table, schema};
//     PERDURE_TRY_VALUE(const std::uint64_t inserted, statements.insert(tx, rows, which, scratch));
//
// PostgreSQL is given one array for each column, the others lists of rows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "load/source/rows.hpp"
#include "load/target/sql/sql_dialect.hpp"
#include "perdure/call/function_ref.hpp"
#include "perdure/sql/database.hpp"
#include "perdure/sql/transaction.hpp"

namespace tool::load {

// Buffers that are used again; one thread's at a time.
struct Scratch {
    std::vector<std::string> arrays{};
    std::vector<perdure::sql::Parameter> parameters{};
    std::vector<std::size_t> which{};
};

enum class Reading : std::uint8_t { plain, locking };
// A row whose key is there: the insert fails with code "key-met", which is faster for those that do not
// meet any; or that row is passed over.
enum class IfThere : std::uint8_t { fail, pass_over };
using OnRow = perdure::FunctionRef<Result<void>(std::span<const Value>)>;

// Constant once made; any thread.
class RowStatements {
public:
    RowStatements(const Dialect& dialect, const TableName& table, Schema schema);

    [[nodiscard]] const Schema& schema() const noexcept { return schema_; }

    // How many of the rows were not there before. A failure that is about a row has the code "record".
    [[nodiscard]] Result<std::uint64_t> insert(perdure::sql::Transaction& tx, const Rows& rows,
                                               std::span<const std::size_t> which, IfThere if_there,
                                               Scratch& scratch) const;
    // Rows with these keys.
    [[nodiscard]] Result<void> find(perdure::sql::Transaction& tx, std::span<const Value> keys,
                                    Reading reading, OnRow on_row) const;
    [[nodiscard]] Result<void> find(perdure::sql::Database& database, std::span<const Value> keys,
                                    OnRow on_row) const;
    [[nodiscard]] const std::string& select() const noexcept { return select_; }
    // Columns that only the database can compare, and whether it finds the row's values in them under
    // the row's key. Only with a key.
    [[nodiscard]] bool has_others() const noexcept { return !others_.empty(); }
    // How many of the rows, given by number, it finds.
    [[nodiscard]] Result<std::uint64_t> count_there(perdure::sql::Transaction& tx, const Rows& rows,
                                                    std::span<const std::size_t> which) const;

private:
    void compare_others(const TableName& table);
    [[nodiscard]] Result<void> check_zeros(const Rows& rows,
                                           std::span<const std::size_t> which) const;
    using Ask = perdure::FunctionRef<Result<perdure::sql::Rows>(const perdure::sql::Statement&)>;

    [[nodiscard]] Result<std::uint64_t> insert_arrays(perdure::sql::Transaction& tx,
                                                      const Rows& rows,
                                                      std::span<const std::size_t> which,
                                                      const std::string& end,
                                                      Scratch& scratch) const;
    [[nodiscard]] Result<std::uint64_t> insert_lists(perdure::sql::Transaction& tx,
                                                     const Rows& rows,
                                                     std::span<const std::size_t> which,
                                                     const std::string& end,
                                                     Scratch& scratch) const;
    [[nodiscard]] Result<void> find_with(Ask ask, std::span<const Value> keys, Reading reading,
                                         OnRow on_row) const;
    [[nodiscard]] Result<void> hand_out(const perdure::sql::Rows& rows, OnRow on_row) const;

    const Dialect& dialect_;
    Schema schema_;
    std::string select_;                 // all rows
    std::vector<std::size_t> others_{};  // columns of type `other`, when there is a key
    std::string count_{};                // up to the conditions
    std::string others_equal_{};         // the condition on one row
    std::string where_key_{};            // and those with some keys, up to the list or array
    std::string_view key_place_ = "?";   // in that list, one key
    std::string insert_{};               // up to the rows; arrays stand in it already
    std::string end_{};  // behind the rows, when those that are there are passed over
};

// The failure of an INSERT of rows: "record" where it is about one of them.
[[nodiscard]] perdure::Failure as_record(perdure::sql::Product product, perdure::Failure failure);

}  // namespace tool::load
