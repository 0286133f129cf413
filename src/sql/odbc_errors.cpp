// SPDX-License-Identifier: Apache-2.0
//
// ODBC by SQLSTATE, with the numbers of FreeTDS for what it finds itself. Drivers pass the states of
// their servers through; those without a row here are taken as PostgreSQL's, whose classes are the
// standard's.
#include "error_rows.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {
namespace odbc_table {

using namespace letters;
using enum Cause;

constexpr std::string_view manual = "ODBC, Appendix A";

constexpr ErrorKind no_entry{.cause = unavailable,
                             .reactions = C,
                             .rule = "connect",
                             .why = "Nothing ran; the server may be up again soon."};
constexpr ErrorKind not_open{.cause = unavailable,
                             .reactions = K,
                             .why = "The handle has no usable connection; nothing was sent."};
constexpr ErrorKind link{.cause = unavailable,
                         .reactions = K | T | A,
                         .why = "The connection is gone; if COMMIT was under way nobody knows."};
constexpr ErrorKind recovery{.cause = unavailable,
                             .reactions = K | T,
                             .why =
                                 "The driver could not restore an idle connection; nothing ran."};
constexpr ErrorKind rolled_back{.cause = contended,
                                .reactions = T,
                                .rule = "lock-conflict",
                                .why = "Rolled back in favour of others; runs again soon."};
constexpr ErrorKind rejected{.cause = invalid,
                             .why = "The statement or its values are wrong and stay wrong."};
constexpr ErrorKind misuse{.cause = invalid, .why = "A mistake of the program; it stays one."};
constexpr ErrorKind violated{.cause = conflict,
                             .why = "An answer about the rows that are there, not a fault."};
constexpr ErrorKind set_up{.cause = invalid,
                           .why = "The data source or its driver is set up wrongly."};

constexpr auto rows = in_order(
    std::to_array<ErrorRow>({
        row("08001", "cannot connect", no_entry),
        row("08002", "connection name in use", not_open),
        row("08003", "connection not open", not_open),
        row("08004", "server rejected the connection", no_entry),
        row("08007", "connection failed during the transaction",
            {.cause = unavailable, .reactions = K | A, .why = link.why}),
        row("08S01", "communication link failure", link),
        row("HYT00", "timeout",
            {.cause = timed_out,
             .reactions = C | A | N,
             .rule = "connect",
             .why = "While connecting nothing ran. A statement's limit was set on purpose."}),
        row("HYT01", "connection timeout",
            {.cause = timed_out, .reactions = K | A, .why = "The server did not answer in time."}),
        row("HY008", "cancelled",
            {.cause = cancelled, .reactions = A | N, .why = "The application asked for it."}),
        row("HY000", "error of the driver",
            {.cause = internal,
             .reactions = A | N,
             .why = "Says nothing by itself; the number of the product is looked up first."}),
        row("40001", "serialization failure or deadlock", rolled_back),
        row("40003", "statement completion unknown",
            {.cause = internal,
             .reactions = A,
             .why = "The server does not know whether it was done."}),
        row("25S01", "transaction state unknown",
            {.cause = unavailable,
             .reactions = A,
             .why = "Nobody knows whether it was committed."}),
        row("25S02", "transaction is still active",
            {.cause = contended,
             .reactions = T,
             .rule = "few",
             .why = "It has to be ended once more."}),
        row("25S03", "transaction was rolled back",
            {.cause = contended, .reactions = T, .rule = "few", .why = "Surely not applied."}),
        row("IMC01", "idle connection not recovered: all attempts failed", recovery),
        row("IMC02", "idle connection not recovered: server did not agree", recovery),
        row("IMC03", "idle connection not recovered: other protocol version", recovery),
        row("IMC04", "idle connection not recovered: other server version", recovery),
        row("IMC05", "idle connection not recovered: encryption lost", recovery),
        row("IMC06", "idle connection is marked as beyond recovery", recovery),

        row("20003", "FreeTDS: server did not answer in time",
            {.cause = timed_out,
             .reactions = K | T | A,
             .why = "Sent, and no answer came in time."}),
        row("20004", "FreeTDS: read failed", link),
        row("20006", "FreeTDS: write failed", link),
        row("20009", "FreeTDS: cannot connect", no_entry),
        row("20017", "FreeTDS: unexpected end of the stream", link),
        row("20047", "FreeTDS: connection is dead", link),

        row("07002", "parameter count is wrong", rejected),
        row("07006", "types do not match", rejected),
        row("07009", "no such column or parameter", rejected),
        row("21S01", "column count does not match", rejected),
        row("22001", "text too long for its column", rejected),
        row("22003", "number out of range", rejected),
        row("22007", "invalid date or time", rejected),
        row("22012", "division by zero", rejected),
        row("22018", "text cannot be read as the type", rejected),
        row("23000", "constraint violation", violated,
            "An answer about the rows. Of a transaction's own token it may mean: committed "
            "before."),
        row("24000", "invalid cursor state", misuse),
        row("25000", "invalid transaction state", misuse),
        row("28000", "login refused",
            {.cause = forbidden, .why = "Somebody has to grant it first."}),
        row("3D000", "database does not exist",
            {.cause = not_found, .why = "It is not there and does not come by asking."}),
        row("42000", "syntax error or missing privilege", rejected),
        row("42S01", "table exists already", rejected),
        row("42S02", "table does not exist", rejected),
        row("42S21", "column exists already", rejected),
        row("42S22", "column does not exist", rejected),
        row("HY001", "out of memory",
            {.cause = exhausted, .why = "No memory is left on this side."}),
        row("HY010", "functions called in the wrong order", misuse),
        row("HY090", "wrong length", misuse),
        row("HYC00", "feature not supported", rejected),
        row("IM002", "data source not found", set_up),
        row("IM003", "driver cannot be loaded", set_up),
        row("IM004", "driver could not be started", set_up),
    }),
    manual);
static_assert(is_table(rows));

constexpr ErrorRow otherwise{.code = "",
                             .name = "error without a row",
                             .cause = internal,
                             .reactions = A | N,
                             .why = "Not known, so neither repeated nor taken for a sure rollback.",
                             .source = "perdure"};

}  // namespace odbc_table
}  // namespace

std::span<const ErrorRow> odbc_rows() noexcept { return odbc_table::rows; }

const ErrorRow& odbc_otherwise() noexcept { return odbc_table::otherwise; }

}  // namespace sql
}  // namespace v0
}  // namespace perdure
