// SPDX-License-Identifier: Apache-2.0
#include "sql/odbc/dialect.hpp"

#include <algorithm>
#include <chrono>

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

namespace {

// Rounded up: a limit of zero means "none" to every server here.
std::int64_t milliseconds(Duration limit) {
    const auto whole = std::chrono::ceil<std::chrono::milliseconds>(limit).count();
    return std::clamp<std::int64_t>(whole, 1, 2'000'000'000);
}
std::int64_t seconds(Duration limit) {
    const auto whole = std::chrono::ceil<std::chrono::seconds>(limit).count();
    return std::clamp<std::int64_t>(whole, 1, 1'000'000);
}

std::string literal(Product product, const Token& token) {
    switch (product) {
        case Product::sqlserver: return "0x" + token.hex();
        case Product::postgres: return "'" + token.hex() + "'::uuid";
        default: return "X'" + token.hex() + "'";
    }
}

std::vector<std::string> open_sqlserver(const Beginning& how) {
    // XACT_ABORT: no error leaves half a transaction that holds locks. Literals, because what is set
    // in a batch with parameters is forgotten at its end.
    std::string batch = "SET XACT_ABORT ON; SET LOCK_TIMEOUT ";
    batch += how.lock_limit == never ? "-1" : std::to_string(milliseconds(how.lock_limit));
    if (how.token)
        batch +=
            "; " + insert_token(Product::sqlserver, *how.token, how.attempt_id, how.token_table);
    return {batch};
}

// SET LOCAL: what is set for the session would leak to others behind a pooler.
std::vector<std::string> open_postgres(const Beginning& how) {
    std::string batch;
    const auto limit = [&](std::string_view what, Duration value) {
        if (value == never) return;
        batch += "SET LOCAL " + std::string{what} + " = " + std::to_string(milliseconds(value));
        batch += "; ";
    };
    if (how.access == Access::read_only) batch += "SET TRANSACTION READ ONLY; ";
    limit("statement_timeout", how.statement_limit);
    limit("lock_timeout", how.lock_limit);
    limit("idle_in_transaction_session_timeout", how.idle_limit);
    if (how.token)
        batch += insert_token(Product::postgres, *how.token, how.attempt_id, how.token_table);
    if (batch.empty()) return {};
    return {batch};
}

// Its driver takes one statement at a time, so the limits are told only when they change.
std::vector<std::string> open_mariadb(const Beginning& how, Told& told) {
    std::vector<std::string> texts;
    std::string limits = "SET SESSION innodb_lock_wait_timeout = ";
    limits += how.lock_limit == never ? "DEFAULT" : std::to_string(seconds(how.lock_limit));
    const bool default_again = told.limits.empty() && how.lock_limit == never;
    if (limits != told.limits && !default_again) {
        texts.push_back(limits);
        told.limits = std::move(limits);
    }
    if (how.access == Access::read_only) texts.emplace_back("SET TRANSACTION READ ONLY");
    if (how.token)
        texts.push_back(
            insert_token(Product::mariadb, *how.token, how.attempt_id, how.token_table));
    return texts;
}

}  // namespace

Result<void> check_table(std::string_view table) {
    const auto fine = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    };
    const std::size_t dot = table.find('.');
    const std::string_view schema = dot == std::string_view::npos ? "x" : table.substr(0, dot);
    const std::string_view name = dot == std::string_view::npos ? table : table.substr(dot + 1);
    if (!schema.empty() && !name.empty() && std::ranges::all_of(schema, fine) &&
        std::ranges::all_of(name, fine))
        return {};
    return fail({.cause = Cause::invalid,
                 .origin = Origin::application,
                 .code = "token-table",
                 .message = "the name of the token table may have letters, digits, underscores and "
                            "one dot"});
}

std::vector<std::string> opening(Product product, const Beginning& how, Told& told) {
    switch (product) {
        case Product::sqlserver: return open_sqlserver(how);
        case Product::postgres: return open_postgres(how);
        case Product::mariadb: return open_mariadb(how, told);
        case Product::sqlite:
        case Product::odbc: break;
    }
    if (!how.token) return {};
    return {insert_token(product, *how.token, how.attempt_id, how.token_table)};
}

std::string insert_token(Product product, const Token& token, const Token* attempt_id,
                         std::string_view table) {
    const std::string into = "INSERT INTO " + std::string{table};
    if (!attempt_id) return into + " (token) VALUES (" + literal(product, token) + ")";
    return into + " (token, attempt_id) VALUES (" + literal(product, token) + ", " +
           literal(product, *attempt_id) + ")";
}

std::string read_token(Product product, const Token& token, std::string_view table) {
    // Drivers differ in what they make of a uuid.
    const std::string column =
        product == Product::postgres ? "CAST(attempt_id AS text)" : "attempt_id";
    return "SELECT " + column + " FROM " + std::string{table} +
           " WHERE token = " + literal(product, token);
}

std::string find_tokens(std::string_view table) {
    return "SELECT attempt_id FROM " + std::string{table} + " WHERE 1 = 0";
}

std::string add_attempt_id(Product product, std::string_view table) {
    const std::string alter = "ALTER TABLE " + std::string{table};
    switch (product) {
        case Product::sqlserver: return alter + " ADD attempt_id binary(16) NULL";
        case Product::postgres: return alter + " ADD COLUMN attempt_id uuid";
        case Product::sqlite: return alter + " ADD COLUMN attempt_id blob";
        case Product::mariadb:
        case Product::odbc: break;
    }
    return alter + " ADD COLUMN attempt_id binary(16)";
}

std::string create_tokens(Product product, std::string_view table) {
    const std::string name{table};
    switch (product) {
        case Product::sqlserver:
            return "IF OBJECT_ID(N'" + name + "', N'U') IS NULL CREATE TABLE " + name +
                   " (token binary(16) NOT NULL PRIMARY KEY, "
                   "created_at datetime2 NOT NULL DEFAULT SYSUTCDATETIME(), "
                   "attempt_id binary(16) NULL, INDEX by_created_at (created_at))";
        case Product::postgres:
            return "CREATE TABLE IF NOT EXISTS " + name +
                   " (token uuid PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now(), "
                   "attempt_id uuid)";
        case Product::mariadb:
            return "CREATE TABLE IF NOT EXISTS " + name +
                   " (token binary(16) NOT NULL PRIMARY KEY, "
                   "created_at timestamp(6) NOT NULL DEFAULT current_timestamp(6), "
                   "attempt_id binary(16), KEY (created_at)) ENGINE=InnoDB";
        case Product::sqlite:
            return "CREATE TABLE IF NOT EXISTS " + name +
                   " (token blob NOT NULL PRIMARY KEY, created_at integer NOT NULL DEFAULT "
                   "(CAST(strftime('%s', 'now') AS integer)), attempt_id blob) WITHOUT ROWID";
        case Product::odbc: break;
    }
    return "CREATE TABLE " + name +
           " (token binary(16) NOT NULL PRIMARY KEY, "
           "created_at timestamp DEFAULT CURRENT_TIMESTAMP NOT NULL, attempt_id binary(16))";
}

std::string create_token_index(Product product, std::string_view table) {
    const std::string name{table};
    const std::string bare = name.substr(name.find('.') + 1);
    // SQLite wants the schema before the index, PostgreSQL before the table.
    if (product == Product::sqlite)
        return "CREATE INDEX IF NOT EXISTS " + name + "_created_at ON " + bare + " (created_at)";
    if (product == Product::postgres)
        return "CREATE INDEX IF NOT EXISTS " + bare + "_created_at ON " + name + " (created_at)";
    return {};
}

std::string delete_tokens(Product product, std::string_view table, Duration age, int batch) {
    const std::string name{table};
    const std::string old = std::to_string(seconds(age));
    const std::string most = std::to_string(std::max(batch, 1));
    switch (product) {
        case Product::sqlserver:
            return "DELETE FROM " + name + " WHERE token IN (SELECT TOP (" + most +
                   ") token FROM " + name + " WHERE created_at < DATEADD(second, -" + old +
                   ", SYSUTCDATETIME()) ORDER BY created_at)";
        case Product::postgres:
            return "DELETE FROM " + name + " WHERE token IN (SELECT token FROM " + name +
                   " WHERE created_at < now() - interval '" + old +
                   " seconds' ORDER BY created_at LIMIT " + most + ")";
        case Product::mariadb:
            return "DELETE FROM " + name + " WHERE created_at < current_timestamp - INTERVAL " +
                   old + " SECOND ORDER BY created_at LIMIT " + most;
        case Product::sqlite:
            return "DELETE FROM " + name + " WHERE token IN (SELECT token FROM " + name +
                   " WHERE created_at < CAST(strftime('%s', 'now') AS integer) - " + old +
                   " ORDER BY created_at LIMIT " + most + ")";
        case Product::odbc: break;
    }
    // The standard has no limit for a DELETE.
    return "DELETE FROM " + name + " WHERE created_at < {fn TIMESTAMPADD(SQL_TSI_SECOND, -" + old +
           ", {fn NOW()})}";
}

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
