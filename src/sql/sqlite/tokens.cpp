// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "perdure/try.hpp"
#include "sql/sqlite/failures.hpp"
#include "sql/sqlite/session.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace {

class NoRows final : public RowSink {
public:
    Result<void> columns(std::span<const std::string_view>) override { return {}; }
    Result<void> row(std::span<const Cell>) override { return {}; }
};

bool is_name(std::string_view part) noexcept {
    return !part.empty() && std::ranges::all_of(part, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    });
}

Result<std::string> quoted(std::string_view table) {
    const auto dot = table.find('.');
    const auto schema = dot == std::string_view::npos ? std::string_view{} : table.substr(0, dot);
    const auto name = dot == std::string_view::npos ? table : table.substr(dot + 1);
    if (!is_name(name) || (dot != std::string_view::npos && !is_name(schema)))
        return fail(refused_call("token-table", "the token table's name may have letters, digits, "
                                                "underscores and one dot"));
    std::string text;
    if (!schema.empty()) text = "\"" + std::string{schema} + "\".";
    return text + "\"" + std::string{name} + "\"";
}

constexpr std::string_view now = "cast(strftime('%s','now') as integer)";

bool is_taken(int code) noexcept {
    return code == SQLITE_CONSTRAINT_PRIMARYKEY || code == SQLITE_CONSTRAINT_UNIQUE;
}

Failure missing(Failure failure, std::string_view table) {
    if (failure.message.find("no such table") == std::string::npos &&
        failure.message.find("unknown database") == std::string::npos)
        return failure;
    failure.cause = Cause::invalid;
    failure.message =
        "the token table '" + std::string{table} +
        "' is missing; let it be created with .tokens = {.use = TokenUse::create}, or "
        "run the statement printed in docs/guide/sql.md (" +
        symbol_of(SQLITE_ERROR) + ")";
    return failure;
}

}  // namespace

Result<SqliteSession::Tokens> SqliteSession::insert(const Token& token, std::string_view table) {
    if (token_table_ != table || token_insert_.empty()) {
        PERDURE_TRY_VALUE(const std::string name, quoted(table));
        token_table_ = table;
        token_insert_ = "insert into " + name + " (token) values (?)";
    }
    auto found = prepared(token_insert_);
    if (!found) return fail(missing(std::move(found.error()), table));
    sqlite3_stmt* const statement = (*found)->handle.get();
    const std::array<Parameter, 1> parameters{Parameter{token}};
    PERDURE_TRY(bind(statement, parameters));
    const int code = sqlite3_step(statement);
    const std::string message = code == SQLITE_DONE ? "" : sqlite3_errmsg(database_.get());
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    if (code == SQLITE_DONE) return Tokens::inserted;
    if (is_taken(code)) return Tokens::taken;
    return failed(code, message, During::in_transaction);
}

Result<Landed<void>> SqliteSession::probe(const Token& token, std::string_view table, Duration wait,
                                          const Bounds& bounds) {
    met_lock_ = false;
    auto begun = begin({.token = &token, .token_table = table, .lock_limit = wait}, bounds);
    if (begun) {
        roll_back(bounds);
        return begun->what == Beginnings::token_taken ? Landed<void>::yes() : Landed<void>::no();
    }
    // Only one transaction can write: who has the lock may be the one that is asked about.
    if (met_lock_) return Landed<void>::pending();
    return begun.take_failure();
}

Result<Landed<void>> SqliteSession::outcome_of(const Doubt& /*doubt*/, const Bounds& /*bounds*/) {
    return Landed<void>::unknown();
}

// A session lives in its process and has rolled back when it was closed.
Result<Remains> SqliteSession::end_old(const Doubt& /*doubt*/, const Bounds& /*bounds*/) {
    return Remains::gone;
}

Result<void> SqliteSession::make_tokens(std::string_view table, const Bounds& bounds) {
    PERDURE_TRY_VALUE(const std::string name, quoted(table));
    NoRows rows;
    const std::string text =
        "create table if not exists " + name +
        " (token blob not null primary key, created_at integer not null default (" +
        std::string{now} + ")) without rowid";
    auto done = run({.text = text}, rows, bounds);
    if (!done) return done.take_failure();
    return {};
}

Result<std::int64_t> SqliteSession::purge_tokens(std::string_view table, Duration age, int batch,
                                                 const Bounds& bounds) {
    PERDURE_TRY_VALUE(const std::string name, quoted(table));
    NoRows rows;
    const std::string text = "delete from " + name + " where token in (select token from " + name +
                             " where created_at < " + std::string{now} + " - ? limit ?)";
    const std::int64_t seconds = std::chrono::ceil<std::chrono::seconds>(age).count();
    const std::array<Parameter, 2> parameters{Parameter{seconds}, Parameter{batch}};
    auto done = run({.text = text, .parameters = parameters}, rows, bounds);
    if (!done) return done.take_failure();
    return done->affected;
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
