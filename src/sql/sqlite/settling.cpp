// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>

#include "perdure/try.hpp"
#include "sql/sqlite/failures.hpp"
#include "sql/sqlite/session.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace {

// The first column of the first row, or what went wrong.
int ask(sqlite3* database, const char* text, std::string& answer) {
    sqlite3_stmt* made = nullptr;
    int code = sqlite3_prepare_v2(database, text, -1, &made, nullptr);
    const StatementHandle statement{made};
    if (code != SQLITE_OK) return code;
    code = sqlite3_step(made);
    if (code == SQLITE_DONE) return SQLITE_OK;
    if (code != SQLITE_ROW) return code;
    const auto* const text_of = sqlite3_column_text(made, 0);
    answer.assign(text_of ? reinterpret_cast<const char*>(text_of) : "");
    return SQLITE_OK;
}

}  // namespace

Result<void> SqliteSession::settle(const Bounds& bounds) {
    const Watch::Turn turn{watch_, bounds};
    sqlite3* const database = database_.get();
    std::string answer;
    // The first look into the file: not a database, locked by somebody, a journal to play back.
    int code = ask(database, "pragma schema_version", answer);
    const bool reads = where_.opening == Opening::read_only;
    if (code == SQLITE_OK && !reads && sqlite3_db_readonly(database, "main") == 1)
        return fail({.cause = Cause::forbidden,
                     .effect = Effect::none,
                     .code = "8",
                     .message = "'" + where_.path +
                                "' may only be read by this user; open it with "
                                "mode=ro if that is enough"});
    if (code == SQLITE_OK && options_.journal == Journal::wal && !reads && !where_.memory) {
        code = ask(database, "pragma journal_mode", answer);
        if (code == SQLITE_OK && answer != "wal") code = change_to_wal();
    }
    if (code == SQLITE_OK && options_.synchronous != Synchronous::as_it_is)
        code = ask(database,
                   options_.synchronous == Synchronous::full ? "pragma synchronous=full"
                                                             : "pragma synchronous=normal",
                   answer);
    if (code == SQLITE_OK && options_.foreign_keys == ForeignKeys::enforced)
        code = ask(database, "pragma foreign_keys=on", answer);
    if (code == SQLITE_OK) return {};
    return failed(code, sqlite3_errmsg(database), During::connecting);
}

// Two sessions that change the file over at once meet a lock that is not waited for.
int SqliteSession::change_to_wal() {
    std::string answer;
    int code = SQLITE_BUSY;
    for (int naps = 0; primary_code(code) == SQLITE_BUSY; ++naps) {
        code = ask(database_.get(), "pragma journal_mode=wal", answer);
        if (primary_code(code) != SQLITE_BUSY || !watch_.wait(naps)) break;
    }
    return code;
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
