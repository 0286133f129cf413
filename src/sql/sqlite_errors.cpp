// SPDX-License-Identifier: Apache-2.0
//
// SQLite by result code, the extended ones (primary + 256 · n) included; an extended code without a row
// is taken as its primary code. There is no link to lose: only an I/O error leaves a COMMIT open.
#include "error_rows.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {
namespace sqlite_table {

using namespace letters;
using enum Cause;

constexpr std::string_view codes = "sqlite.org/rescode.html";

constexpr ErrorKind busy{.cause = contended,
                         .reactions = S,
                         .rule = "lock-conflict",
                         .why = "Another connection holds the lock; waiting helps."};
constexpr ErrorKind io{
    .cause = internal,
    .reactions = A | N,
    .why = "The disk failed; the next open of the file settles what was committed."};
constexpr ErrorKind io_lock{.cause = internal,
                            .reactions = T | A,
                            .rule = "few",
                            .why = "The lock of the file could not be had; often passes."};
constexpr ErrorKind read_only{.cause = forbidden,
                              .why = "The file or its folder cannot be written."};
constexpr ErrorKind violated{.cause = conflict,
                             .why = "An answer about the rows that are there, not a fault."};
constexpr ErrorKind misuse{.cause = invalid, .why = "A mistake of the program; it stays one."};
constexpr ErrorKind ruined{.cause = corrupt, .why = "The file is damaged."};
constexpr ErrorKind refused{.cause = forbidden, .why = "Somebody has to permit it first."};

constexpr auto rows = in_order(
    std::to_array<ErrorRow>({
        row("1", "SQLITE_ERROR: wrong statement or missing object", misuse,
            "The statement is wrong, or a table or column is not there."),
        row("2", "SQLITE_INTERNAL: internal error",
            {.cause = internal, .why = "A defect in SQLite."}),
        row("3", "SQLITE_PERM: access mode not available", refused),
        row("4", "SQLITE_ABORT: statement aborted", misuse, "A callback or a rollback ended it."),
        row("516", "SQLITE_ABORT_ROLLBACK: a rollback ended the statement", misuse),

        row("5", "SQLITE_BUSY: another connection holds the lock",
            {.cause = contended,
             .reactions = S | T,
             .rule = "lock-conflict",
             .why = "A COMMIT stays open and is asked for again; a late first write has to begin "
                    "anew."}),
        row("261", "SQLITE_BUSY_RECOVERY: another process recovers the log", busy),
        row("517", "SQLITE_BUSY_SNAPSHOT: read snapshot is out of date",
            {.cause = contended,
             .reactions = T,
             .rule = "lock-conflict",
             .why = "Somebody committed since it was read; only a new transaction can write."}),
        row("773", "SQLITE_BUSY_TIMEOUT: wait for the lock ended", busy),
        row("6", "SQLITE_LOCKED: conflict inside the connection", misuse,
            "A statement of the same connection is still open."),
        row("262", "SQLITE_LOCKED_SHAREDCACHE: conflict in a shared cache", busy,
            "Another connection to the same cache holds the table; better do without shared "
            "cache."),
        row("518", "SQLITE_LOCKED_VTAB: virtual table is locked", busy),
        row("15", "SQLITE_PROTOCOL: race for the lock of the log",
            {.cause = contended,
             .reactions = S,
             .rule = "few",
             .why = "SQLite has tried for seconds before it says this."}),

        row("7", "SQLITE_NOMEM: out of memory", {.cause = exhausted, .why = "No memory is left."}),
        row("8", "SQLITE_READONLY: database is read-only", read_only),
        row("264", "SQLITE_READONLY_RECOVERY: log needs recovery by a writer", read_only),
        row("520", "SQLITE_READONLY_CANTLOCK: log cannot be locked", read_only),
        row("776", "SQLITE_READONLY_ROLLBACK: journal needs recovery by a writer", read_only),
        row("1032", "SQLITE_READONLY_DBMOVED: file was moved or replaced",
            {.cause = stale_route,
             .reactions = K | T,
             .rule = "few",
             .why = "The open file is not the one of this name any more; opened again."}),
        row("1288", "SQLITE_READONLY_CANTINIT: log cannot be set up", read_only),
        row("1544", "SQLITE_READONLY_DIRECTORY: folder cannot be written", read_only),
        row("9", "SQLITE_INTERRUPT: interrupted",
            {.cause = cancelled,
             .why = "The application asked for it; a write transaction is rolled back by itself."}),
        row("10", "SQLITE_IOERR: I/O error", io),
        row("266", "SQLITE_IOERR_READ: read failed", io),
        row("522", "SQLITE_IOERR_SHORT_READ: file is shorter than it should be", io),
        row("778", "SQLITE_IOERR_WRITE: write failed", io),
        row("1034", "SQLITE_IOERR_FSYNC: data could not be made durable", io),
        row("2314", "SQLITE_IOERR_RDLOCK: read lock failed", io_lock),
        row("3850", "SQLITE_IOERR_LOCK: lock failed", io_lock),
        row("8458", "SQLITE_IOERR_CORRUPTFS: file system is damaged", io),
        row("11", "SQLITE_CORRUPT: database is damaged", ruined),
        row("26", "SQLITE_NOTADB: file is no database", misuse,
            "The path names a file of another kind; it stays one."),
        row("12", "SQLITE_NOTFOUND: unknown file control", misuse),
        row("13", "SQLITE_FULL: disk or page limit reached",
            {.cause = exhausted, .why = "Somebody has to make room first."}),
        row("14", "SQLITE_CANTOPEN: file cannot be opened",
            {.cause = unavailable,
             .reactions = C,
             .rule = "few",
             .why = "A missing folder stays missing; too many open files may pass."}),

        row("16", "SQLITE_EMPTY: not used", misuse),
        row("17", "SQLITE_SCHEMA: schema kept changing",
            {.cause = contended,
             .reactions = S | T,
             .rule = "few",
             .why = "SQLite prepares anew by itself many times before it says this."}),
        row("18", "SQLITE_TOOBIG: text or bytes too long",
            {.cause = too_large, .why = "Longer than the limit of the connection."}),
        row("19", "SQLITE_CONSTRAINT: constraint violation", violated),
        row("275", "SQLITE_CONSTRAINT_CHECK: check violation", violated),
        row("531", "SQLITE_CONSTRAINT_COMMITHOOK: commit hook refused", violated),
        row("787", "SQLITE_CONSTRAINT_FOREIGNKEY: foreign key violation", violated),
        row("1043", "SQLITE_CONSTRAINT_FUNCTION: refused by an extension", violated),
        row("1299", "SQLITE_CONSTRAINT_NOTNULL: null in a column that must have a value", violated),
        row("1555", "SQLITE_CONSTRAINT_PRIMARYKEY: primary key is taken", violated,
            "The key is taken. Of a transaction's own token it means: committed before."),
        row("1811", "SQLITE_CONSTRAINT_TRIGGER: refused by a trigger", violated),
        row("2067", "SQLITE_CONSTRAINT_UNIQUE: unique violation", violated,
            "The key is taken. Of a transaction's own token it means: committed before."),
        row("2323", "SQLITE_CONSTRAINT_VTAB: refused by a virtual table", violated),
        row("2579", "SQLITE_CONSTRAINT_ROWID: row id is taken", violated),
        row("2835", "SQLITE_CONSTRAINT_PINNED: row is pinned", violated),
        row("3091", "SQLITE_CONSTRAINT_DATATYPE: value does not fit a strict table", violated),
        row("20", "SQLITE_MISMATCH: value of the wrong type", misuse),
        row("21", "SQLITE_MISUSE: library used wrongly", misuse),
        row("22", "SQLITE_NOLFS: file too large for this system",
            {.cause = too_large, .why = "The system cannot hold files of this size."}),
        row("23", "SQLITE_AUTH: not permitted by the authorizer", refused),
        row("24", "SQLITE_FORMAT: not used", misuse),
        row("25", "SQLITE_RANGE: no such parameter", misuse),
        row("27", "SQLITE_NOTICE: a message, no error", misuse),
        row("28", "SQLITE_WARNING: a warning, no error", misuse),
    }),
    codes);
static_assert(is_table(rows));

}  // namespace sqlite_table
}  // namespace

std::span<const ErrorRow> sqlite_rows() noexcept { return sqlite_table::rows; }

}  // namespace sql
}  // namespace v0
}  // namespace perdure
