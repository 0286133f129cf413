// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "perdure/try.hpp"
#include "sql/sqlite/failures.hpp"
#include "sql/sqlite/session.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace {

// A transaction that reads first and writes later cannot wait for the lock; one that takes it at
// once can.
constexpr std::array<std::string_view, 4> own_texts{"BEGIN IMMEDIATE", "BEGIN", "COMMIT",
                                                    "ROLLBACK"};

}  // namespace

int SqliteSession::step(Own which) noexcept {
    const auto at = static_cast<std::size_t>(which);
    own_statement_ = true;
    int code = SQLITE_OK;
    if (!own_[at]) {
        sqlite3_stmt* made = nullptr;
        code = sqlite3_prepare_v3(database_.get(), own_texts[at].data(),
                                  static_cast<int>(own_texts[at].size()), SQLITE_PREPARE_PERSISTENT,
                                  &made, nullptr);
        own_[at].reset(made);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_step(own_[at].get());
        sqlite3_reset(own_[at].get());
    }
    own_statement_ = false;
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

void SqliteSession::end_transaction() noexcept {
    if (in_transaction()) static_cast<void>(step(Own::roll_back));
    state_ = in_transaction() ? State::broken : State::idle;
    access_ = Access::read_write;
    lock_limit_ = never;
    why_failed_.reset();
}

void SqliteSession::roll_back(const Bounds& bounds) noexcept {
    if (state_ == State::broken) return;
    const Watch::Turn turn{watch_, bounds};
    end_transaction();
}

Result<Begun> SqliteSession::begin(const Beginning& how, const Bounds& bounds) {
    const Watch::Turn turn{watch_, bounds, how.lock_limit};
    if (state_ == State::open || state_ == State::failed)
        return fail(refused_call("in-transaction", "the session is in a transaction already"));
    PERDURE_TRY(may_start());
    const bool reads = how.access == Access::read_only;
    if (reads && how.token)
        return fail(refused_call("read-only-token", "a read-only transaction leaves no token"));
    const int code = step(reads ? Own::begin_read : Own::begin_write);
    if (code != SQLITE_OK)
        return failed(code, sqlite3_errmsg(database_.get()), During::in_transaction);
    state_ = State::open;
    access_ = how.access;
    lock_limit_ = how.lock_limit;
    if (!how.token) return Begun{};
    auto inserted = insert(*how.token, how.attempt_id, how.token_table);
    if (inserted && *inserted == Tokens::inserted) return Begun{};
    Result<TokenRow> row = inserted ? token_row(*how.token, how.token_table)
                                    : Result<TokenRow>{inserted.take_failure()};
    if (state_ != State::broken) end_transaction();
    if (!row) return row.take_failure();
    return Begun{.what = Beginnings::token_taken, .taken = *row};
}

// Writes into a file that was replaced would be lost although COMMIT says OK.
bool SqliteSession::moved() const noexcept {
    int moved = 0;
    return sqlite3_file_control(database_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) ==
               SQLITE_OK &&
           moved != 0;
}

bool SqliteSession::still_good() { return state_ == State::idle && !moved(); }

Result<void> SqliteSession::commit(const Bounds& bounds) {
    const Watch::Turn turn{watch_, bounds, lock_limit_};
    if (state_ == State::idle)
        return fail(refused_call("no-transaction", "there is no transaction to commit"));
    // SQLite would say OK to a COMMIT after a write it skipped; so a failed one is never sent.
    if (auto may = may_start(); !may) {
        if (state_ != State::broken) end_transaction();
        return may;
    }
    if (access_ == Access::read_write && moved()) {
        end_transaction();
        return failed(SQLITE_READONLY_DBMOVED, "the file was moved or replaced",
                      During::in_transaction);
    }
    const int code = step(Own::commit);
    if (code != SQLITE_OK || in_transaction()) return refused_commit(code);
    end_transaction();
    return {};
}

// A COMMIT that met a lock has waited as long as it may and left the transaction open; it is rolled
// back here, so that none is left behind. Only trouble with the disk leaves a question.
Result<void> SqliteSession::refused_commit(int code) {
    const std::string message = sqlite3_errmsg(database_.get());
    const During during =
        access_ == Access::read_only ? During::in_transaction : During::committing;
    Failure failure = failure_now(code == SQLITE_OK ? SQLITE_ABORT : code, message, during);
    end_transaction();
    if (failure.effect != Effect::none) state_ = State::broken;
    take_note(code, failure);
    return fail(std::move(failure));
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
