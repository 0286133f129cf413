// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "sql/sqlite/failures.hpp"
#include "sql/sqlite/session.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace {

// After these only the statement was undone, and what the transaction did before still stands.
bool leaves_transaction_whole(int code) noexcept {
    switch (primary_code(code)) {
        case SQLITE_ERROR:
        case SQLITE_CONSTRAINT:
        case SQLITE_MISMATCH:
        case SQLITE_TOOBIG:
        case SQLITE_RANGE:
        case SQLITE_READONLY:
        case SQLITE_AUTH:
        case SQLITE_LOCKED: return true;
        default: return false;
    }
}

bool is_about_the_file(int code) noexcept {
    switch (primary_code(code)) {
        case SQLITE_READONLY:
        case SQLITE_IOERR:
        case SQLITE_CORRUPT:
        case SQLITE_FULL:
        case SQLITE_CANTOPEN:
        case SQLITE_NOTADB: return true;
        default: return false;
    }
}

bool holds_values(std::span<const Parameter> parameters) noexcept {
    for (const Parameter& parameter : parameters)
        if (parameter.kind() == Kind::text || parameter.kind() == Kind::bytes) return true;
    return false;
}

}  // namespace

Failure SqliteSession::failure_now(int code, std::string_view message, During during) const {
    const int primary = primary_code(code);
    if (watch_.cut() != Cut::not_cut && (primary == SQLITE_INTERRUPT || primary == SQLITE_BUSY))
        return cut_failure(watch_.cut(), primary == SQLITE_BUSY ? "while waiting for a lock"
                                                                : "while the statement ran");
    if (where_.memory || !is_about_the_file(code)) return failure_of_code(code, during, message);
    std::string with_path = "'" + where_.path + "': " + std::string{message};
    if (primary == SQLITE_CANTOPEN || primary == SQLITE_READONLY)
        with_path += obstacle(where_.path);
    return failure_of_code(code, during, with_path);
}

// SQLite rolls back by itself now and then; what is left of the transaction is asked of it.
void SqliteSession::take_note(int code, const Failure& failure) {
    if (state_ == State::open && (!in_transaction() || !leaves_transaction_whole(code))) {
        state_ = State::failed;
        why_failed_ = failure;
    }
    if (row_of_code(code).reactions.has(Reaction::discard)) {
        end_transaction();
        state_ = State::broken;
    }
}

Fail SqliteSession::failed(int code, std::string_view message, During during) {
    Failure failure = failure_now(code, message, during);
    met_lock_ = primary_code(code) == SQLITE_BUSY && watch_.cut() == Cut::not_cut;
    take_note(code, failure);
    return fail(std::move(failure));
}

Fail SqliteSession::failed_statement(int code, sqlite3_stmt* statement, const Statement& text) {
    // Virtual tables quote what they were given: fts5: syntax error near "…".
    const bool quotes = primary_code(code) == SQLITE_ERROR && holds_values(text.parameters);
    const std::string message =
        quotes ? "the statement could not be carried out" : sqlite3_errmsg(database_.get());
    const bool wrote_by_itself = state_ == State::idle && sqlite3_stmt_readonly(statement) == 0;
    sqlite3_reset(statement);  // only now does SQLite roll back what it is going to
    return failed(code, message, wrote_by_itself ? During::statement : During::in_transaction);
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
