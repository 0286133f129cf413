// SPDX-License-Identifier: Apache-2.0
#include "sql/sqlite/session.hpp"

#include <cmath>
#include <cstring>
#include <utility>

#include "perdure/try.hpp"
#include "sql/sqlite/failures.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace {

class Running {
public:
    explicit Running(bool& running) noexcept : running_{running} { running_ = true; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() { running_ = false; }

private:
    bool& running_;
};

// A statement left half-way would keep its lock, and its bindings point to what soon is gone.
class Resetting {
public:
    explicit Resetting(sqlite3_stmt* statement) noexcept : statement_{statement} {}
    Resetting(const Resetting&) = delete;
    Resetting& operator=(const Resetting&) = delete;
    ~Resetting() {
        sqlite3_reset(statement_);
        sqlite3_clear_bindings(statement_);
    }

private:
    sqlite3_stmt* statement_;
};

std::int64_t total_changes(sqlite3* database) noexcept {
#if SQLITE_VERSION_NUMBER >= 3037000
    return sqlite3_total_changes64(database);
#else
    return sqlite3_total_changes(database);
#endif
}

std::int64_t changes(sqlite3* database) noexcept {
#if SQLITE_VERSION_NUMBER >= 3037000
    return sqlite3_changes64(database);
#else
    return sqlite3_changes(database);
#endif
}

int bind_one(sqlite3_stmt* statement, int at, const Parameter& parameter) noexcept {
    // A null pointer would be bound as null, not as an empty text.
    const char* const start = parameter.view().empty() ? "" : parameter.view().data();
    switch (parameter.kind()) {
        case Kind::null: return sqlite3_bind_null(statement, at);
        case Kind::boolean: return sqlite3_bind_int(statement, at, parameter.boolean() ? 1 : 0);
        case Kind::integer: return sqlite3_bind_int64(statement, at, parameter.integer());
        case Kind::real: return sqlite3_bind_double(statement, at, parameter.real());
        case Kind::text:
            return sqlite3_bind_text64(statement, at, start, parameter.view().size(), SQLITE_STATIC,
                                       SQLITE_UTF8);
        case Kind::bytes:
            return sqlite3_bind_blob64(statement, at, start, parameter.view().size(),
                                       SQLITE_STATIC);
    }
    return SQLITE_MISUSE;
}

std::string_view view_of(const void* start, int size) noexcept {
    if (!start || size <= 0) return std::string_view{""};
    return {static_cast<const char*>(start), static_cast<std::size_t>(size)};
}

Cell cell_of(sqlite3_stmt* statement, int column) noexcept {
    switch (sqlite3_column_type(statement, column)) {
        case SQLITE_INTEGER: return Cell::of(std::int64_t{sqlite3_column_int64(statement, column)});
        case SQLITE_FLOAT: return Cell::of(sqlite3_column_double(statement, column));
        case SQLITE_TEXT: {
            const auto* const start = sqlite3_column_text(statement, column);
            return Cell::text(view_of(start, sqlite3_column_bytes(statement, column)));
        }
        case SQLITE_BLOB: {
            const auto* const start = sqlite3_column_blob(statement, column);
            return Cell::bytes(view_of(start, sqlite3_column_bytes(statement, column)));
        }
        default: return {};
    }
}

std::string count_of(std::size_t number, std::string_view what) {
    return std::to_string(number) + " " + std::string{what} + (number == 1 ? "" : "s");
}

}  // namespace

SqliteSession::SqliteSession(DatabaseHandle database, const Location& where,
                             const SqliteOptions& options, Clock& clock)
    : database_{std::move(database)},
      where_{where},
      options_{options},
      watch_{clock},
      statements_{options.statements} {
    sqlite3_extended_result_codes(database_.get(), 1);
    sqlite3_set_authorizer(database_.get(), &SqliteSession::authorize, this);
    watch_.look_after(database_.get());
}

// Asked while a statement is compiled. Statements that begin or end a transaction are ours alone.
int SqliteSession::authorize(void* self, int action, const char* first, const char* /*second*/,
                             const char* /*database*/, const char* trigger) noexcept {
    auto& session = *static_cast<SqliteSession*>(self);
    if (session.own_statement_) return SQLITE_OK;
    if (action == SQLITE_INSERT && !trigger && std::strncmp(first, "sqlite_", 7) != 0)
        session.inserts_ = true;
    const bool refused = action == SQLITE_TRANSACTION ||
                         (action == SQLITE_SAVEPOINT && session.state_ == State::idle);
    if (refused) session.refused_ = true;
    return refused ? SQLITE_DENY : SQLITE_OK;
}

Result<Prepared> SqliteSession::compile(std::string_view text) {
    refused_ = inserts_ = false;
    sqlite3_stmt* made = nullptr;
    const char* rest = nullptr;
    const int code = sqlite3_prepare_v3(database_.get(), text.data(), static_cast<int>(text.size()),
                                        SQLITE_PREPARE_PERSISTENT, &made, &rest);
    Prepared prepared{.handle = StatementHandle{made}, .inserts = inserts_};
    if (refused_)
        return fail(refused_call("transaction-statement",
                                 "a statement may not begin or end a transaction; use transact() "
                                 "or the session's begin(), commit() and roll_back()"));
    if (code != SQLITE_OK)
        return failed(code, sqlite3_errmsg(database_.get()), During::in_transaction);
    if (!made) return fail(refused_call("empty-statement", "the statement is empty"));
    const auto left = text.substr(static_cast<std::size_t>(rest - text.data()));
    if (left.find_first_not_of(" \t\r\n\f;") == std::string_view::npos) return prepared;
    sqlite3_stmt* next = nullptr;  // comments compile to nothing
    const int more = sqlite3_prepare_v3(database_.get(), left.data(), static_cast<int>(left.size()),
                                        0, &next, nullptr);
    const StatementHandle dropped{next};
    if (more == SQLITE_OK && !next) return prepared;
    return fail(refused_call("several-statements",
                             "the text has more than one statement; run each by itself"));
}

Result<Prepared*> SqliteSession::prepared(std::string_view text) {
    if (Prepared* const found = statements_.find(text)) return found;
    if (text.size() > 1'000'000'000)
        return fail(
            refused_call("statement-too-long", "the statement is longer than SQLite takes"));
    auto made = compile(text);
    if (!made) return made.take_failure();
    return &statements_.keep(text, *std::move(made));
}

Result<void> SqliteSession::bind(sqlite3_stmt* statement, std::span<const Parameter> parameters) {
    const auto wanted = static_cast<std::size_t>(sqlite3_bind_parameter_count(statement));
    if (wanted != parameters.size())
        return fail(refused_call("parameter-count",
                                 "the statement has " + count_of(wanted, "placeholder") + ", " +
                                     count_of(parameters.size(), "parameter") +
                                     (parameters.size() == 1 ? " was given" : " were given")));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].kind() == Kind::real && std::isnan(parameters[i].real()))
            return fail(
                refused_call("not-a-number", "parameter " + std::to_string(i + 1) +
                                                 " is not a number; SQLite would keep null"));
        const int code = bind_one(statement, static_cast<int>(i + 1), parameters[i]);
        if (code != SQLITE_OK)
            return failed(code, "parameter " + std::to_string(i + 1) + " was refused",
                          During::in_transaction);
    }
    return {};
}

Result<void> SqliteSession::may_start() {
    if (state_ == State::broken) return fail(refused_call("broken", "the session is broken"));
    if (running_)
        return fail(refused_call("session-in-use", "the session is in the middle of a statement"));
    if (state_ == State::failed) return fail(*why_failed_);
    if (watch_.over()) {
        Failure failure = cut_failure(watch_.cut(), "before the statement was begun");
        if (state_ == State::open) take_note(SQLITE_INTERRUPT, failure);
        return fail(std::move(failure));
    }
    return {};
}

Result<Done> SqliteSession::run(const Statement& statement, RowSink& rows, const Bounds& bounds) {
    const Watch::Turn turn{watch_, bounds, lock_limit_};
    PERDURE_TRY(may_start());
    PERDURE_TRY_VALUE(Prepared* const found, prepared(statement.text));
    const Running running{running_};
    const Resetting resetting{found->handle.get()};
    PERDURE_TRY(bind(found->handle.get(), statement.parameters));
    if (state_ == State::open && access_ == Access::read_only &&
        sqlite3_stmt_readonly(found->handle.get()) == 0)
        return failed(SQLITE_READONLY, "a read-only transaction cannot write",
                      During::in_transaction);
    return carry_out(*found, statement, rows);
}

Result<Done> SqliteSession::carry_out(const Prepared& prepared, const Statement& statement,
                                      RowSink& rows) {
    const std::int64_t before = total_changes(database_.get());
    auto given = pass_rows(prepared.handle.get(), statement, rows);
    if (!given) return given.take_failure();
    PERDURE_TRY(stays_in_hand());
    if (total_changes(database_.get()) == before) return Done{.affected = *given};
    return Done{.affected = changes(database_.get()),
                .last_id = prepared.inserts ? sqlite3_last_insert_rowid(database_.get()) : 0};
}

Result<std::int64_t> SqliteSession::pass_rows(sqlite3_stmt* statement, const Statement& text,
                                              RowSink& rows) {
    std::int64_t given = 0;
    bool named = false;
    const bool reads = sqlite3_stmt_readonly(statement) != 0;
    while (true) {
        const int code = sqlite3_step(statement);
        if (code != SQLITE_ROW && code != SQLITE_DONE)
            return failed_statement(code, statement, text);
        // Asked after the first step, which compiles again if the tables have changed.
        if (!named && sqlite3_column_count(statement) > 0) {
            names_.clear();
            for (int i = 0; i < sqlite3_column_count(statement); ++i)
                names_.emplace_back(sqlite3_column_name(statement, i));
            PERDURE_TRY(rows.columns(names_));
            named = true;
        }
        if (code == SQLITE_DONE) return given;
        PERDURE_TRY(pass_row(statement, rows));
        ++given;
        // A write has done all it does before its first row, and giving up now would not undo it.
        if (reads && watch_.over()) return failed_statement(SQLITE_INTERRUPT, statement, text);
    }
}

Result<void> SqliteSession::pass_row(sqlite3_stmt* statement, RowSink& rows) {
    cells_.clear();
    for (int i = 0; i < sqlite3_column_count(statement); ++i)
        cells_.push_back(cell_of(statement, i));
    return rows.row(cells_);
}

// A kept SAVEPOINT can begin a transaction, and a trigger can end one, behind our back.
Result<void> SqliteSession::stays_in_hand() {
    if (in_transaction() == (state_ == State::open)) return {};
    if (state_ == State::open)
        return failed(SQLITE_ABORT, "the statement ended the transaction", During::in_transaction);
    end_transaction();
    return fail(refused_call("transaction-statement",
                             "a statement may not begin a transaction; use transact()"));
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
