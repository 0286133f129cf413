// SPDX-License-Identifier: Apache-2.0
//
// What if I must begin and commit by hand? Then nothing is repeated, and you say so.
//
//     sql::WithoutRetries plain{bank};          // a scope in which nothing is repeated
//     PERDURE_TRY_VALUE(auto tx, plain.begin());
//     PERDURE_TRY(tx->execute("…"));
//     return tx.commit();                       // effect unknown: find out yourself
#pragma once

#include "perdure/cxx20.hpp"

#include <memory>
#include <string_view>

#include "perdure/sql/database.hpp"
#include "perdure/sql/transaction.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

class Lease;  // src/sql

// Rolls back unless it was committed. Used by one thread at a time.
class ManualTransaction {
public:
    ManualTransaction(ManualTransaction&&) noexcept;
    ManualTransaction& operator=(ManualTransaction&&) noexcept;
    ~ManualTransaction();

    // The statements: tx->execute(…), tx->query(…). After its end they all fail.
    Transaction* operator->() noexcept;
    // Once. A failure with effect none was rolled back; with effect unknown nobody knows.
    [[nodiscard]] Result<void> commit();
    void roll_back();

private:
    friend class WithoutRetries;
    friend class Database;
    struct Inside;
    explicit ManualTransaction(std::unique_ptr<Inside> inside) noexcept;
    std::unique_ptr<Inside> inside_;
};

// One attempt for everything, with the plan's deadline. Safe for any number of threads.
class WithoutRetries {
public:
    explicit WithoutRetries(Database& database) noexcept : database_{database} {}

    template <class... P>
    Result<Done> execute(std::string_view text, const P&... values) {
        const std::array<Parameter, sizeof...(P)> parameters{Parameter{values}...};
        return execute_with({text, parameters});
    }
    template <class... P>
    Result<Rows> query(std::string_view text, const P&... values) {
        const std::array<Parameter, sizeof...(P)> parameters{Parameter{values}...};
        return query_with({text, parameters});
    }
    Result<Done> execute_with(const Statement& statement);
    Result<Rows> query_with(const Statement& statement);
    Result<ManualTransaction> begin(Isolation isolation = Isolation::server_default);

private:
    Result<Done> run(const Statement& statement, RowSink& rows);
    Database& database_;
};

}  // namespace sql
}  // namespace v0
}  // namespace perdure
