// SPDX-License-Identifier: Apache-2.0
//
// PostgreSQL by SQLSTATE, with what PgBouncer and CockroachDB say in its words. An answer of severity
// ERROR to COMMIT on a live connection is a sure rollback; only where the session ends with it, or the
// code itself says so, the outcome is open.
#include <algorithm>

#include "error_rows.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {
namespace postgres_table {

using namespace letters;
using enum Cause;

constexpr std::string_view manual = "PostgreSQL, Appendix A";
constexpr RemedySet find_primary = Remedy::refresh_routing_account;

constexpr ErrorKind lock_conflict{.cause = contended,
                                  .reactions = T,
                                  .rule = "lock-conflict",
                                  .why = "Rolled back in favour of others; runs again soon."};
constexpr ErrorKind lock_wait{.cause = contended,
                              .reactions = S | T,
                              .rule = "lock-conflict",
                              .why = "The lock was not free in time; nothing was changed."};
constexpr ErrorKind stale_plan{
    .cause = contended,
    .reactions = S | T,
    .rule = "few",
    .why = "The prepared statement is out of date; prepared anew it works."};
constexpr ErrorKind link{.cause = unavailable,
                         .reactions = K | T | A,
                         .why = "The connection is gone; if COMMIT was under way nobody knows."};
constexpr ErrorKind open_outcome{.cause = internal,
                                 .reactions = A,
                                 .why = "The server itself does not know whether it was done."};
constexpr ErrorKind no_entry{.cause = unavailable,
                             .reactions = C,
                             .rule = "connect",
                             .why = "Nothing ran; the server may be up again soon."};
constexpr ErrorKind idle_end{.cause = unavailable,
                             .reactions = K | C,
                             .rule = "connect",
                             .why = "Ended while nobody used it; nothing was lost."};
constexpr ErrorKind full_house{.cause = throttled,
                               .reactions = C,
                               .rule = "connection-limit",
                               .why = "All connections are taken; asking often makes it worse."};
constexpr ErrorKind short_of{.cause = overloaded,
                             .reactions = S | T,
                             .why = "The server is short of it at the moment; undone."};
constexpr ErrorKind broken_part{.cause = internal,
                                .reactions = T,
                                .rule = "few",
                                .why = "Rarely passes by itself, so it is tried a few times only."};
constexpr ErrorKind damaged{.cause = internal,
                            .reactions = K | N,
                            .why = "The server is sick; its sessions are not used any more."};
constexpr ErrorKind rejected{.cause = invalid,
                             .why = "The statement or its values are wrong and stay wrong."};
constexpr ErrorKind violated{.cause = conflict,
                             .why = "An answer about the rows that are there, not a fault."};
constexpr ErrorKind refused{.cause = forbidden, .why = "Somebody has to grant it first."};
constexpr ErrorKind bad_password{.cause = credentials,
                                 .why = "It stays wrong until somebody changes it."};
constexpr ErrorKind absent{.cause = not_found,
                           .why = "It is not there and does not come by asking."};

constexpr auto rows = in_order(
    std::to_array<ErrorRow>({
        row("40001", "serialization failure", lock_conflict),
        row("40P01", "deadlock", lock_conflict),
        row("40002", "constraint violated at COMMIT", violated,
            "Rolled back by a constraint; the same rows would violate it again."),
        row("40003", "statement completion unknown", open_outcome,
            "CockroachDB says it of a COMMIT whose result is ambiguous."),
        row("08007", "transaction resolution unknown", open_outcome),
        row("55P03", "lock not available", lock_wait),
        row("55006", "object in use",
            {.cause = contended,
             .reactions = S,
             .rule = "few",
             .why = "Others are using the object."}),
        row("55000", "object not in prerequisite state", violated,
            "Too broad to repeat it blindly; add the code where it helps."),
        row("72000", "snapshot too old",
            {.cause = contended,
             .reactions = T,
             .rule = "few",
             .why = "What the transaction was reading has been cleaned up; begin anew."}),

        row("57014", "query cancelled",
            {.cause = timed_out,
             .why = "A statement limit or somebody's wish: repeating would go against it."}),
        row("57P01", "administrator shut the session down", link,
            "As a warning during a wait for a standby the transaction is committed."),
        row("57P02", "another session crashed the server", link),
        row("57P03", "server cannot take connections now", no_entry),
        row("57P04", "database dropped", absent),
        row("57P05", "session was idle for too long", idle_end),
        row("25P01", "no active transaction", rejected),
        row("25P02", "transaction has already failed",
            {.cause = contended,
             .reactions = T,
             .rule = "few",
             .why = "An earlier error was overlooked; COMMIT would say OK and roll back."}),
        row("25P03", "transaction was idle for too long",
            {.cause = timed_out,
             .reactions = K | T,
             .rule = "few",
             .why = "The application was too slow between two statements; rolled back."}),
        row("25P04", "transaction took too long",
            {.cause = timed_out,
             .reactions = K | N,
             .why = "A limit that the next run meets too."}),
        row("25001", "active transaction", rejected),
        row("25006", "server is read-only",
            {.cause = stale_route,
             .reactions = K | T,
             .rule = "failover",
             .remedies = find_primary,
             .why = "A standby or a demoted server; the primary is looked for again."}),

        row("08000", "connection exception", link),
        row("08001", "cannot connect", no_entry),
        row("08003", "connection does not exist", link),
        row("08004", "connection rejected", no_entry),
        row("08006", "connection failure", link),
        row("08P01", "protocol violation", link,
            "PgBouncer says it of a server connection that broke."),
        row("08P01:limit", "PgBouncer: no server connection in time, or too many clients",
            full_house),
        row("08P01:startup", "PgBouncer: startup parameter not supported", rejected,
            "It has to be listed in ignore_startup_parameters or left out."),

        row("53000", "insufficient resources", short_of),
        row("53100", "disk full",
            {.cause = overloaded,
             .reactions = T,
             .rule = "disk-full",
             .why = "It takes a while until somebody, or a checkpoint, has made room."}),
        row("53200", "out of memory", short_of),
        row("53300", "too many connections", full_house),
        row("53400", "configuration limit exceeded",
            {.cause = overloaded, .reactions = T, .rule = "few", .why = broken_part.why}),
        row("58000", "system error", broken_part),
        row("58030", "I/O error", broken_part),
        row("58P03", "file name too long", rejected),
        row("XX000", "internal error", damaged),
        row("XX001", "data corrupted", damaged),
        row("XX002", "index corrupted", damaged),
        row("0A000", "feature not supported", rejected),
        row("0A000:plan", "cached plan must not change result type", stale_plan),
        row("26000", "prepared statement does not exist", stale_plan,
            "Lost by a failover or a pooler that changed the server; prepared anew it works."),

        row("22001", "text too long for its column", rejected),
        row("22003", "number out of range", rejected),
        row("22007", "invalid date or time", rejected),
        row("22008", "date or time out of range", rejected),
        row("22012", "division by zero", rejected),
        row("22021", "character not in encoding", rejected),
        row("22023", "invalid parameter value", rejected),
        row("22P02", "text cannot be read as the type", rejected),
        row("22P05", "character has no equivalent", rejected),
        row("23000", "integrity constraint violation", violated),
        row("23001", "restrict violation", violated),
        row("23502", "null in a column that must have a value", violated),
        row("23503", "foreign key violation", violated),
        row("23505", "unique violation", violated,
            "The key is taken. Of a transaction's own token it means: committed before."),
        row("23514", "check violation", violated),
        row("23P01", "exclusion violation", violated),
        row("28000", "login refused", refused),
        row("28P01", "wrong password", bad_password),
        row("3D000", "database does not exist", absent),
        row("3F000", "schema does not exist", absent),
        row("42501", "privilege missing", refused),
        row("42601", "syntax error", rejected),
        row("42602", "invalid name", rejected),
        row("42622", "name too long", rejected),
        row("42701", "column stands twice", rejected),
        row("42702", "column is ambiguous", rejected),
        row("42703", "column does not exist", rejected),
        row("42704", "object does not exist", rejected),
        row("42710", "object exists already", rejected),
        row("42723", "function exists already", rejected),
        row("42803", "grouping error", rejected),
        row("42804", "types do not match", rejected),
        row("42809", "wrong kind of object", rejected),
        row("42846", "cannot be converted", rejected),
        row("42883", "function does not exist", rejected),
        row("42P01", "table does not exist", rejected),
        row("42P02", "parameter does not exist", rejected),
        row("42P05", "prepared statement exists already", rejected),
        row("42P07", "table exists already", rejected),
        row("42P18", "type cannot be determined", rejected),
        row("P0001", "raised by a function", rejected, "The application's own error."),
    }),
    manual);
static_assert(is_table(rows));

// What the first two characters say when the five have no row.
constexpr auto classes = in_order(
    std::to_array<ErrorRow>({
        row("08", "connection exception", link),
        row("22", "data exception", rejected),
        row("23", "constraint violation", violated),
        row("28", "login refused", refused),
        row("40", "transaction rolled back",
            {.cause = contended, .reactions = T, .rule = "few", .why = lock_conflict.why}),
        row("53", "insufficient resources",
            {.cause = overloaded, .reactions = S | T, .rule = "few", .why = short_of.why}),
        row("57", "operator intervention",
            {.cause = unavailable, .reactions = K | A | N, .why = "Somebody ended it on purpose."}),
        row("58", "system error", broken_part),
        row("F0", "configuration file error", damaged),
        row("XX", "internal error", damaged),
    }),
    manual);
static_assert(is_table(classes));

}  // namespace postgres_table
}  // namespace

std::span<const ErrorRow> postgres_rows() noexcept { return postgres_table::rows; }

const ErrorRow& postgres_class(std::string_view sqlstate) noexcept {
    if (sqlstate.size() != 5) return without_row;
    const auto* const found =
        std::ranges::find(postgres_table::classes, sqlstate.substr(0, 2), &ErrorRow::code);
    return found != postgres_table::classes.end() ? *found : without_row;
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
