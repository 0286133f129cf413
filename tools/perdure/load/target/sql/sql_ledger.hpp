// SPDX-License-Identifier: Apache-2.0
//
// What does the database itself know about loads? Three tables beside the data, written in the data's
// own transactions:
//
//     perdure_load            one row for each table and input: how it begins, what was there before
//     perdure_load_range      parts of inputs that have been dealt with, and what became of them
//     perdure_load_rejected   records that were not loaded, with reason and text
//
// They stand in the schema of the table that is loaded.
//
// Whoever enters an input holds it until somebody else does: every transaction makes sure of that, and
// who enters waits for those under way. So what is read after entering is all there is, and of two
// that load the same input at once the earlier is told "taken".
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "load/target/sql/sql_dialect.hpp"
#include "load/target/target.hpp"
#include "perdure/sql/database.hpp"
#include "perdure/sql/transaction.hpp"

namespace tool::load {

// Safe for any number of threads.
class SqlLedger {
public:
    SqlLedger(perdure::sql::Database& database, const Dialect& dialect, const TableName& table);

    // For a server that takes Orders and orders for one table. Before anything else is asked.
    void fold_case();
    [[nodiscard]] Result<void> open();
    [[nodiscard]] Result<SourceEntry> enter(const SourceEntry& source);
    [[nodiscard]] Result<std::optional<SourceEntry>> entry(std::string_view source);
    [[nodiscard]] Result<std::vector<Range>> done(std::string_view source);
    [[nodiscard]] Result<std::vector<SourceEntry>> begun_alike(const SourceEntry& source);
    [[nodiscard]] Result<void> merge(std::string_view source, std::uint64_t begin,
                                     std::uint64_t end);
    [[nodiscard]] Result<void> forget(std::string_view source);
    [[nodiscard]] Result<void>
    rejections(std::string_view source,
               const std::function<Result<void>(const KeptRejection&)>& each);

    // Parts of the transaction that writes rows. The first fails with code "taken" when the range is
    // there, or the input is not, or no longer, held by us.
    [[nodiscard]] Result<void> claim(perdure::sql::Transaction& tx, const std::string& source,
                                     const Range& range) const;
    [[nodiscard]] Result<void> settle(perdure::sql::Transaction& tx, const std::string& source,
                                      const Range& range) const;
    [[nodiscard]] Result<void> reject(perdure::sql::Transaction& tx, const Order& order,
                                      std::span<const Rejected> rejected) const;

private:
    struct Tables {
        std::string load;
        std::string range;
        std::string rejected;
    };
    [[nodiscard]] std::vector<std::string> create_statements() const;
    [[nodiscard]] Result<bool> is_there();
    [[nodiscard]] Result<bool> has_range_column(std::string_view name);
    [[nodiscard]] Result<void> add_range_column(std::string_view name);
    [[nodiscard]] Result<std::vector<Range>> ranges_in(perdure::sql::Transaction& tx,
                                                       const std::string& source,
                                                       std::uint64_t begin,
                                                       std::uint64_t end) const;
    [[nodiscard]] Result<bool> holds(perdure::sql::Transaction& tx,
                                     const std::string& source) const;
    // Nothing is inserted, and 0 is the answer, unless we hold the input.
    [[nodiscard]] Result<std::int64_t> insert_range(perdure::sql::Transaction& tx,
                                                    const std::string& source,
                                                    const Range& range) const;
    [[nodiscard]] Result<perdure::sql::Rows> rejected_page(const std::string& source,
                                                           std::int64_t behind, int most);

    perdure::sql::Database& database_;
    const Dialect& dialect_;
    const TableName table_;
    std::string key_;           // of the table, in the ledger
    const std::string holder_;  // who we are, in the ledger
    const Tables tables_;
    std::atomic<bool> known_{false};        // the tables have been seen, with all columns
    std::atomic<bool> has_digests_{false};  // the table of ranges is not one of version 0.1
};

// Makes a table where it is missing, by a statement that says so. Others may do the same at once.
[[nodiscard]] Result<void> make_table(perdure::sql::Database& database, const Dialect& dialect,
                                      const std::string& statement);
// Whether there is a table or view of this name.
[[nodiscard]] Result<bool> exists(perdure::sql::Database& database, const Dialect& dialect,
                                  const TableName& table);

}  // namespace tool::load
