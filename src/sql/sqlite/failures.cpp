// SPDX-License-Identifier: Apache-2.0
#include "sql/sqlite/failures.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace perdure {
inline namespace v0 {
namespace sql {
namespace {

using Symbol = std::pair<int, std::string_view>;

constexpr std::array<Symbol, 51> symbols{{
    {SQLITE_ERROR, "SQLITE_ERROR"},
    {SQLITE_INTERNAL, "SQLITE_INTERNAL"},
    {SQLITE_PERM, "SQLITE_PERM"},
    {SQLITE_ABORT, "SQLITE_ABORT"},
    {SQLITE_BUSY, "SQLITE_BUSY"},
    {SQLITE_LOCKED, "SQLITE_LOCKED"},
    {SQLITE_NOMEM, "SQLITE_NOMEM"},
    {SQLITE_READONLY, "SQLITE_READONLY"},
    {SQLITE_INTERRUPT, "SQLITE_INTERRUPT"},
    {SQLITE_IOERR, "SQLITE_IOERR"},
    {SQLITE_CORRUPT, "SQLITE_CORRUPT"},
    {SQLITE_NOTFOUND, "SQLITE_NOTFOUND"},
    {SQLITE_FULL, "SQLITE_FULL"},
    {SQLITE_CANTOPEN, "SQLITE_CANTOPEN"},
    {SQLITE_PROTOCOL, "SQLITE_PROTOCOL"},
    {SQLITE_SCHEMA, "SQLITE_SCHEMA"},
    {SQLITE_TOOBIG, "SQLITE_TOOBIG"},
    {SQLITE_CONSTRAINT, "SQLITE_CONSTRAINT"},
    {SQLITE_MISMATCH, "SQLITE_MISMATCH"},
    {SQLITE_MISUSE, "SQLITE_MISUSE"},
    {SQLITE_NOLFS, "SQLITE_NOLFS"},
    {SQLITE_AUTH, "SQLITE_AUTH"},
    {SQLITE_RANGE, "SQLITE_RANGE"},
    {SQLITE_NOTADB, "SQLITE_NOTADB"},
    {SQLITE_BUSY_RECOVERY, "SQLITE_BUSY_RECOVERY"},
    {SQLITE_BUSY_SNAPSHOT, "SQLITE_BUSY_SNAPSHOT"},
    {SQLITE_LOCKED_SHAREDCACHE, "SQLITE_LOCKED_SHAREDCACHE"},
    {SQLITE_READONLY_RECOVERY, "SQLITE_READONLY_RECOVERY"},
    {SQLITE_READONLY_CANTLOCK, "SQLITE_READONLY_CANTLOCK"},
    {SQLITE_READONLY_DBMOVED, "SQLITE_READONLY_DBMOVED"},
    {SQLITE_READONLY_DIRECTORY, "SQLITE_READONLY_DIRECTORY"},
    {SQLITE_IOERR_READ, "SQLITE_IOERR_READ"},
    {SQLITE_IOERR_SHORT_READ, "SQLITE_IOERR_SHORT_READ"},
    {SQLITE_IOERR_WRITE, "SQLITE_IOERR_WRITE"},
    {SQLITE_IOERR_FSYNC, "SQLITE_IOERR_FSYNC"},
    {SQLITE_IOERR_LOCK, "SQLITE_IOERR_LOCK"},
    {SQLITE_IOERR_RDLOCK, "SQLITE_IOERR_RDLOCK"},
    {SQLITE_IOERR_DELETE, "SQLITE_IOERR_DELETE"},
    {SQLITE_IOERR_NOMEM, "SQLITE_IOERR_NOMEM"},
    {SQLITE_IOERR_SHMOPEN, "SQLITE_IOERR_SHMOPEN"},
    {SQLITE_IOERR_SHMSIZE, "SQLITE_IOERR_SHMSIZE"},
    {SQLITE_CANTOPEN_ISDIR, "SQLITE_CANTOPEN_ISDIR"},
    {SQLITE_CONSTRAINT_CHECK, "SQLITE_CONSTRAINT_CHECK"},
    {SQLITE_CONSTRAINT_FOREIGNKEY, "SQLITE_CONSTRAINT_FOREIGNKEY"},
    {SQLITE_CONSTRAINT_NOTNULL, "SQLITE_CONSTRAINT_NOTNULL"},
    {SQLITE_CONSTRAINT_PRIMARYKEY, "SQLITE_CONSTRAINT_PRIMARYKEY"},
    {SQLITE_CONSTRAINT_ROWID, "SQLITE_CONSTRAINT_ROWID"},
    {SQLITE_CONSTRAINT_TRIGGER, "SQLITE_CONSTRAINT_TRIGGER"},
    {SQLITE_CONSTRAINT_UNIQUE, "SQLITE_CONSTRAINT_UNIQUE"},
    {SQLITE_CORRUPT_VTAB, "SQLITE_CORRUPT_VTAB"},
    {SQLITE_ERROR_SNAPSHOT, "SQLITE_ERROR_SNAPSHOT"},
}};

std::string_view known_symbol(int code) noexcept {
    const auto* const found = std::ranges::find(symbols, code, &Symbol::first);
    return found == symbols.end() ? std::string_view{} : found->second;
}

}  // namespace

std::string symbol_of(int code) {
    if (const auto symbol = known_symbol(code); !symbol.empty()) return std::string{symbol};
    const auto primary = known_symbol(primary_code(code));
    return std::string{primary.empty() ? "SQLite's code" : primary} + " " + std::to_string(code);
}

const ErrorRow& row_of_code(int code) {
    const std::string number = std::to_string(code);
    const ErrorRow& row = row_of(Product::sqlite, number);
    if (row.code == number) return row;
    return row_of(Product::sqlite, std::to_string(primary_code(code)));
}

Failure failure_of_code(int code, During during, std::string_view message) {
    return failure_of(row_of_code(code), during,
                      std::string{message} + " (" + symbol_of(code) + ")", std::to_string(code));
}

Failure cut_failure(Cut cut, std::string_view doing) {
    const bool stopped = cut == Cut::stopped;
    return {.cause = stopped ? Cause::cancelled : Cause::timed_out,
            .effect = Effect::none,
            .origin = Origin::application,
            .code = stopped ? "stopped" : "deadline",
            .message = (stopped ? "stopped " : "the deadline passed ") + std::string{doing}};
}

Failure refused_call(std::string_view code, std::string message) {
    return {.cause = Cause::invalid,
            .effect = Effect::none,
            .origin = Origin::application,
            .code = std::string{code},
            .message = std::move(message)};
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
