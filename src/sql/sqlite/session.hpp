// SPDX-License-Identifier: Apache-2.0
//
// How is one SQLite connection used as a session? See perdure/sql/session.hpp for the promises.
#pragma once

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/sql/session.hpp"
#include "perdure/sql/sqlite.hpp"
#include "sql/sqlite/location.hpp"
#include "sql/sqlite/prepared.hpp"
#include "sql/sqlite/watch.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

enum class Own : std::uint8_t { begin_write, begin_read, commit, roll_back };

// Used by one thread at a time.
class SqliteSession final : public Session {
public:
    SqliteSession(DatabaseHandle database, const Location& where, const SqliteOptions& options,
                  Clock& clock);
    // Looks whether it is a database at all, and sets what the options say.
    [[nodiscard]] Result<void> settle(const Bounds& bounds);

    [[nodiscard]] bool still_good() override;
    [[nodiscard]] State state() const noexcept override { return state_; }
    [[nodiscard]] Result<Done> run(const Statement& statement, RowSink& rows,
                                   const Bounds& bounds) override;
    [[nodiscard]] Result<Begun> begin(const Beginning& how, const Bounds& bounds) override;
    [[nodiscard]] Result<void> commit(const Bounds& bounds) override;
    void roll_back(const Bounds& bounds) noexcept override;
    [[nodiscard]] Result<Landed<TokenRow>> probe(const Token& token, std::string_view table,
                                                 Duration wait, const Bounds& bounds) override;
    [[nodiscard]] Result<Landed<void>> outcome_of(const Doubt& doubt,
                                                  const Bounds& bounds) override;
    [[nodiscard]] Result<Remains> end_old(const Doubt& doubt, const Bounds& bounds) override;
    [[nodiscard]] Result<void> make_tokens(std::string_view table, const Bounds& bounds) override;
    [[nodiscard]] Result<void> index_tokens(std::string_view table, const Bounds& bounds) override;
    [[nodiscard]] Result<Purged> purge_tokens(std::string_view table, const PurgeBatch& which,
                                              const Bounds& bounds) override;

private:
    enum class Tokens : std::uint8_t { inserted, taken };

    // session.cpp: statements
    [[nodiscard]] Result<Prepared*> prepared(std::string_view text);
    [[nodiscard]] Result<Prepared> compile(std::string_view text);
    [[nodiscard]] Result<void> bind(sqlite3_stmt* statement, std::span<const Parameter> parameters);
    [[nodiscard]] Result<Done> carry_out(const Prepared& prepared, const Statement& statement,
                                         RowSink& rows);
    [[nodiscard]] Result<std::int64_t> pass_rows(sqlite3_stmt* statement, const Statement& text,
                                                 RowSink& rows);
    [[nodiscard]] Result<void> pass_row(sqlite3_stmt* statement, RowSink& rows);
    [[nodiscard]] Result<void> stays_in_hand();
    [[nodiscard]] Result<void> may_start();
    static int authorize(void* self, int action, const char* first, const char* second,
                         const char* database, const char* trigger) noexcept;

    // settling.cpp
    [[nodiscard]] int change_to_wal();

    // transaction.cpp
    [[nodiscard]] int step(Own which) noexcept;
    [[nodiscard]] bool in_transaction() const noexcept {
        return sqlite3_get_autocommit(database_.get()) == 0;
    }
    void end_transaction() noexcept;
    [[nodiscard]] Result<void> refused_commit(int code);
    [[nodiscard]] bool moved() const noexcept;

    // failing.cpp: what an error means for the state
    [[nodiscard]] Fail failed(int code, std::string_view message, During during);
    [[nodiscard]] Fail failed_statement(int code, sqlite3_stmt* statement, const Statement& text);
    void take_note(int code, const Failure& failure);
    [[nodiscard]] Failure failure_now(int code, std::string_view message, During during) const;

    // tokens.cpp
    [[nodiscard]] Result<Tokens> insert(const Token& token, const Token* attempt_id,
                                        std::string_view table);
    // Of a token that was found taken, in the same transaction.
    [[nodiscard]] Result<TokenRow> token_row(const Token& token, std::string_view table);

    DatabaseHandle database_;
    Location where_;
    SqliteOptions options_;
    Watch watch_;
    PreparedStatements statements_;
    std::array<StatementHandle, 4> own_;
    State state_ = State::idle;
    Access access_ = Access::read_write;
    Duration lock_limit_ = never;
    std::optional<Failure> why_failed_;  // what made the transaction fail
    bool met_lock_ = false;              // the last failure was a lock that was held for too long
    std::string token_table_;
    std::string token_insert_;
    std::string token_ask_{};  // the same without an id
    std::vector<Cell> cells_;
    std::vector<std::string_view> names_;
    // What the authorizer is told and tells.
    bool own_statement_ = false;
    bool refused_ = false;
    bool inserts_ = false;
    bool running_ = false;
};

}  // namespace sql
}  // namespace v0
}  // namespace perdure
