// SPDX-License-Identifier: Apache-2.0
//
// What is found on this side, whatever the database: time that ran out, a link that was lost, and
// mistakes that are seen before anything is sent.
#include "error_rows.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {
namespace client_table {

using namespace letters;
using enum Cause;

constexpr ErrorKind mistake{.cause = invalid,
                            .why = "Found before anything was sent; it stays wrong."};
constexpr ErrorKind address{.cause = invalid,
                            .why = "The database is named wrongly; nobody was asked."};
constexpr ErrorKind misread{.cause = invalid,
                            .why = "The rows came, but not as the program expects them."};
constexpr ErrorKind shortage{.cause = exhausted,
                             .reactions = S | T,
                             .why = "This process is short of it; nothing was sent."};

constexpr auto rows = in_order(
    std::to_array<ErrorRow>({
        row("deadline", "no answer before the deadline",
            {.cause = timed_out,
             .reactions = K | T | A,
             .why = "Cut off by our own clock; the server may still be at it."}),
        row("stopped", "stopped by the caller",
            {.cause = cancelled,
             .reactions = K | A | N,
             .why = "Nobody wants the answer any more."}),
        row("connection-lost", "connection lost",
            {.cause = unavailable,
             .reactions = K | T | A,
             .why = "No answer came; if COMMIT was under way nobody knows."}),
        row("broken", "session was lost before",
            {.cause = unavailable, .reactions = K | S | T, .why = "Nothing was sent over it."}),
        row("planned", "a planned fault",
            {.cause = unavailable,
             .reactions = K | T | A,
             .why = "A test wanted the link to be lost."}),
        row("overrun", "body ended after its attempt was given up",
            {.cause = timed_out, .reactions = T, .why = "Rolled back: its time had run out."}),
        row("no-diagnostics", "driver failed without a word",
            {.cause = internal,
             .reactions = T | A,
             .why = "The ODBC driver did not say what happened."}),
        row("token-taken", "a transaction with this token was committed before",
            {.cause = conflict, .why = "It took effect and is not run a second time."}),

        row("pool-full", "no session became free in time", shortage),
        row("no-thread", "no thread could be started", shortage),
        row("ENOMEM", "out of memory", shortage),

        row("url", "wrong address of a database", address),
        row("database-url", "wrong address of a database", address),
        row("connection-string", "wrong connection string", address),
        row("defaults-file", "option file cannot be read", address),
        row("no-password", "server demands a password and none was given",
            {.cause = credentials,
             .why = "It stays missing until somebody sets it; the server said nothing else."}),
        row("password-from", "variable for the password is not set", address),
        row("use-transact", "a transaction begun by hand on a database that repeats", mistake,
            "What it begins cannot be repeated as a whole; sql::transact can."),
        row("token", "a read-only transaction cannot leave a token", mistake),
        row("prewarm", "more sessions were asked for than the pool may have", mistake),
        row("implicit-commit", "a statement ended its transaction behind our back", mistake,
            "The effect is unknown: a part may have been committed. Do it outside sql::transact."),
        row("no-transaction", "there is no transaction any more", mistake),
        row("release-all-locks", "a statement would release the lock a session is known by",
            mistake),
        row("token-table", "wrong name of a token table", mistake),
        row("placeholders", "placeholders cannot be read", mistake),
        row("parameter-count", "placeholders and parameters do not match", mistake),
        row("parameter-encoding", "text parameter is not valid UTF-8", mistake),
        row("parameter-nul", "text parameter has a NUL byte in it", mistake),
        row("parameter-range", "parameter is too large for a column", mistake),
        row("parameter-size", "parameter is longer than the protocol takes",
            {.cause = too_large, .why = mistake.why}),
        row("statement-encoding", "statement is not valid UTF-8", mistake),
        row("statement-nul", "statement has a NUL byte in it", mistake),
        row("column-range", "value does not fit the type asked for", misread),
        row("column-type", "value is of another type", misread),
        row("no-column", "column is not in the result", misread),
        row("not-single", "result has not exactly one row", misread),
        row("result-too-large", "result is larger than the limit",
            {.cause = too_large,
             .why = "Ask for less at once, take it as a stream, or raise the limit."}),
    }),
    "perdure");
static_assert(is_table(rows));

}  // namespace client_table
}  // namespace

std::span<const ErrorRow> client_rows() noexcept { return client_table::rows; }

}  // namespace sql
}  // namespace v0
}  // namespace perdure
