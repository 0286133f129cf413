// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
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
    if (failure.message.find("no column named") != std::string::npos) {
        failure.set_cause(Cause::invalid);
        failure.message = "the token table '" + std::string{table} +
                          "' is of an earlier version; let it be changed with .tokens = {.use = "
                          "TokenUse::create}, or run ALTER TABLE " +
                          std::string{table} + " ADD COLUMN attempt_id BLOB (" +
                          symbol_of(SQLITE_ERROR) + ")";
        return failure;
    }
    if (failure.message.find("no such table") == std::string::npos &&
        failure.message.find("unknown database") == std::string::npos)
        return failure;
    failure.set_cause(Cause::invalid);
    failure.message =
        "the token table '" + std::string{table} +
        "' is missing; let it be created with .tokens = {.use = TokenUse::create}, or "
        "run the statement printed in docs/guide/sql.md (" +
        symbol_of(SQLITE_ERROR) + ")";
    return failure;
}

}  // namespace

Result<SqliteSession::Tokens> SqliteSession::insert(const Token& token, const Token* attempt_id,
                                                    std::string_view table) {
    if (token_table_ != table || token_insert_.empty()) {
        PERDURE_TRY_VALUE(const std::string name, quoted(table));
        token_table_ = table;
        token_insert_ = "insert into " + name + " (token, attempt_id) values (?, ?)";
        token_ask_ = "insert into " + name + " (token) values (?)";
    }
    // Who only asks needs no id, and so no column for it: a table of an earlier version will do.
    auto found = prepared(attempt_id ? token_insert_ : token_ask_);
    if (!found) return fail(missing(std::move(found.error()), table));
    sqlite3_stmt* const statement = (*found)->handle.get();
    const std::array<Parameter, 2> parameters{Parameter{token}, attempt_id ? Parameter{*attempt_id}
                                                                           : Parameter{nullptr}};
    PERDURE_TRY(bind(statement, std::span{parameters}.first(attempt_id ? 2 : 1)));
    const int code = sqlite3_step(statement);
    const std::string message = code == SQLITE_DONE ? "" : sqlite3_errmsg(database_.get());
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    if (code == SQLITE_DONE) return Tokens::inserted;
    if (is_taken(code)) return Tokens::taken;
    return failed(code, message, During::in_transaction);
}

Result<TokenRow> SqliteSession::token_row(const Token& token, std::string_view table) {
    PERDURE_TRY_VALUE(const std::string name, quoted(table));
    auto found = prepared("select attempt_id from " + name + " where token = ?");
    if (!found && found.error().message.find("no such column") != std::string::npos)
        return TokenRow{};
    if (!found) return found.take_failure();
    sqlite3_stmt* const statement = (*found)->handle.get();
    const std::array<Parameter, 1> parameters{Parameter{token}};
    PERDURE_TRY(bind(statement, parameters));
    TokenRow row;
    const int code = sqlite3_step(statement);
    const std::string message = sqlite3_errmsg(database_.get());
    std::array<char, 16> id{};
    if (code == SQLITE_ROW && sqlite3_column_bytes(statement, 0) == static_cast<int>(id.size())) {
        std::memcpy(id.data(), sqlite3_column_blob(statement, 0), id.size());
        row.attempt_id = Token::of(id);
    }
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return failed(code, message, During::in_transaction);
    return row;
}

Result<Landed<TokenRow>> SqliteSession::probe(const Token& token, std::string_view table,
                                              Duration wait, const Bounds& bounds) {
    met_lock_ = false;
    auto begun = begin({.token = &token, .token_table = table, .lock_limit = wait}, bounds);
    if (begun) {
        roll_back(bounds);
        return begun->what == Beginnings::token_taken ? Landed<TokenRow>::yes(begun->taken)
                                                      : Landed<TokenRow>::no();
    }
    // Only one transaction can write: who has the lock may be the one that is asked about.
    if (met_lock_) return Landed<TokenRow>::pending();
    return begun.take_failure();
}

Result<Landed<void>> SqliteSession::outcome_of(const Doubt& /*doubt*/, const Bounds& /*bounds*/) {
    return Landed<void>::unknown();
}

// A session lives in its process and has rolled back when it was closed.
Result<Remains> SqliteSession::end_old(const Doubt& /*doubt*/, const Bounds& /*bounds*/) {
    return Remains::gone;
}

Result<void> SqliteSession::index_tokens(std::string_view table, const Bounds& bounds) {
    PERDURE_TRY_VALUE(const std::string name, quoted(table));
    NoRows rows;
    const std::string bare = name.substr(name.rfind('.') + 1);  // quoted
    const std::string text = "create index if not exists " + name.substr(0, name.size() - 1) +
                             "_created_at\" on " + bare + " (created_at)";
    PERDURE_TRY(run({.text = text}, rows, bounds));
    return {};
}

Result<void> SqliteSession::make_tokens(std::string_view table, const Bounds& bounds) {
    PERDURE_TRY_VALUE(const std::string name, quoted(table));
    NoRows rows;
    const std::string is_there = "select token from " + name + " where false";
    const auto found = run({.text = is_there}, rows, bounds);
    const bool is_new = !found && found.error().message.find("no such table") != std::string::npos;
    const std::string text =
        "create table if not exists " + name +
        " (token blob not null primary key, created_at integer not null default (" +
        std::string{now} + "), attempt_id blob) without rowid";
    PERDURE_TRY(run({.text = text}, rows, bounds));
    // An old table may be large: Purge adds its index, where no call waits for it.
    if (is_new) PERDURE_TRY(index_tokens(table, bounds));
    // A table of an earlier version has no such column.
    const std::string look = "select attempt_id from " + name + " where false";
    if (auto there = run({.text = look}, rows, bounds);
        there || there.error().message.find("no such column") == std::string::npos)
        return there ? Result<void>{} : Result<void>{there.take_failure()};
    const std::string add = "alter table " + name + " add column attempt_id blob";
    auto added = run({.text = add}, rows, bounds);
    // Another process may have added it meanwhile.
    if (added || added.error().message.find("duplicate column") != std::string::npos) return {};
    return added.take_failure();
}

// Its rows go from the index at once, so each batch begins at the oldest.
Result<Purged> SqliteSession::purge_tokens(std::string_view table, const PurgeBatch& which,
                                           const Bounds& bounds) {
    PERDURE_TRY_VALUE(const std::string name, quoted(table));
    NoRows rows;
    const std::string text = "delete from " + name + " where token in (select token from " + name +
                             " where created_at < " + std::string{now} +
                             " - ? order by created_at limit ?)";
    const std::int64_t seconds = std::chrono::ceil<std::chrono::seconds>(which.age).count();
    const std::array<Parameter, 2> parameters{Parameter{seconds}, Parameter{which.tokens}};
    auto done = run({.text = text, .parameters = parameters}, rows, bounds);
    if (!done) return done.take_failure();
    return Purged{.tokens = done->affected, .next = done->affected < which.tokens ? "" : "oldest"};
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
