// SPDX-License-Identifier: Apache-2.0
//
// MariaDB and MySQL by number. The SQLSTATE does not help: a dead connection always has HY000. From
// 2000 on it is the client library that speaks, and from 5000 on Connector/C in particular.
#include "error_rows.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {
namespace mariadb_table {

using namespace letters;
using enum Cause;

constexpr std::string_view lists = "MariaDB and MySQL error lists";
constexpr RemedySet find_primary = Remedy::refresh_routing_account;

constexpr ErrorKind lock_conflict{.cause = contended,
                                  .reactions = T,
                                  .rule = "lock-conflict",
                                  .why = "Rolled back in favour of others; runs again soon."};
constexpr ErrorKind short_of{
    .cause = overloaded, .reactions = T, .why = "The server is short of it at the moment; undone."};
constexpr ErrorKind no_room{.cause = overloaded,
                            .reactions = T,
                            .rule = "disk-full",
                            .why = "It takes a while until somebody has made room."};
constexpr ErrorKind group_refused{.cause = contended,
                                  .reactions = T,
                                  .rule = "few",
                                  .why = "The group did not accept the transaction; rolled back."};
constexpr ErrorKind no_entry{.cause = unavailable,
                             .reactions = C,
                             .rule = "connect",
                             .why = "Nothing ran; the server may be up again soon."};
constexpr ErrorKind user_limit{.cause = throttled,
                               .reactions = C,
                               .rule = "few",
                               .why = "A limit of this user; waiting helps only if others leave."};
constexpr ErrorKind link{.cause = unavailable,
                         .reactions = K | T | A,
                         .why = "The connection is gone; if COMMIT was under way nobody knows."};
constexpr ErrorKind shutdown{.cause = unavailable,
                             .reactions = K | C | A,
                             .rule = "connect",
                             .why = "The server is going down; it or another one may come up."};
constexpr ErrorKind read_only{
    .cause = stale_route,
    .reactions = K | T,
    .rule = "failover",
    .remedies = find_primary,
    .why = "A replica or a demoted server; the primary is looked for again."};
constexpr ErrorKind too_slow{
    .cause = timed_out, .why = "The limit was set on purpose; the next run would meet it too."};
constexpr ErrorKind rejected{.cause = invalid,
                             .why = "The statement or its values are wrong and stay wrong."};
constexpr ErrorKind violated{.cause = conflict,
                             .why = "An answer about the rows that are there, not a fault."};
constexpr ErrorKind refused{.cause = forbidden, .why = "Somebody has to grant it first."};
constexpr ErrorKind bad_password{
    .cause = credentials,
    .why = "User or password is wrong, and stays so until somebody changes it."};
constexpr ErrorKind absent{.cause = not_found,
                           .why = "It is not there and does not come by asking."};

constexpr auto rows = in_order(
    std::to_array<ErrorRow>({
        row("1020", "row changed since the snapshot", lock_conflict),
        row("1205", "lock wait timeout", lock_conflict,
            "Only the statement is undone; the transaction is still open and is rolled back "
            "first."),
        row("1213", "deadlock", lock_conflict, "Galera also says it at COMMIT. Rolled back."),
        row("1614", "XA branch rolled back by a deadlock", lock_conflict),
        row("1689", "wait for a metadata lock aborted", lock_conflict),
        row("3058", "deadlock of user locks", lock_conflict),
        row("3572", "lock not free at once",
            {.cause = contended,
             .reactions = S | T,
             .rule = "lock-conflict",
             .why = "NOWAIT was asked for; nothing was changed."}),
        row("1412", "table definition has changed",
            {.cause = contended,
             .reactions = T,
             .rule = "few",
             .why = "The snapshot is older than the table; a new transaction sees both."}),
        row("1615", "prepared statement must be prepared again",
            {.cause = contended,
             .reactions = S | T,
             .rule = "few",
             .why = "Its table changed since it was prepared; it was not run."}),
        row("1206", "lock table full", short_of),
        row("1037", "out of memory", short_of),
        row("1038", "out of sort memory", short_of),
        row("1041", "out of memory", short_of),
        row("1021", "disk full", no_room),
        row("1297", "temporary error of the storage engine", short_of),
        row("1637", "too many transactions at once", short_of),
        row("3100", "group replication refused the transaction", group_refused),
        row("3101", "group replication rolled the transaction back", group_refused),
        row("1180", "error during COMMIT",
            {.cause = internal, .reactions = A, .why = "It does not say how far COMMIT had come."}),

        row("1040", "too many connections",
            {.cause = throttled,
             .reactions = C,
             .rule = "connection-limit",
             .why = "All connections are taken; asking often makes it worse."}),
        row("1135", "no thread for the connection",
            {.cause = throttled,
             .reactions = C,
             .rule = "connection-limit",
             .why = "The server is short of threads or memory; asking often makes it worse."}),
        row("1042", "host name cannot be resolved", no_entry),
        row("1043", "bad handshake", no_entry),
        row("1203", "too many connections of this user", user_limit),
        row("1226", "resource limit of this user", user_limit),
        row("1129", "host blocked after many errors", refused,
            "Blocked until an administrator flushes."),
        row("1130", "host may not connect", refused),
        row("2002", "cannot connect", no_entry,
            "Connector/C says it of a refused TCP connection too."),
        row("2003", "cannot connect", no_entry),
        row("2005", "unknown host", no_entry),

        row("1053", "server shuts down", shutdown),
        row("1077", "server shuts down normally", shutdown),
        row("1079", "server has shut down", shutdown),
        row("1152", "connection aborted", link),
        row("1158", "server could not read from the network", link),
        row("1159", "server waited too long for the network", link),
        row("1160", "server could not write to the network", link),
        row("1161", "server waited too long to write", link),
        row("1184", "connection aborted", link),
        row("1927", "connection was killed", link),
        row("3168", "server is not available", link),
        row("3169", "session was killed", link),
        row("4031", "session was idle for too long",
            {.cause = unavailable,
             .reactions = K | C,
             .rule = "connect",
             .why = "Ended while nobody used it; the statement was not run."}),
        row("2006", "server has gone away", link,
            "Not run if the write failed with EPIPE, which the driver checks; else nobody knows."),
        row("2012", "server handshake failed", link),
        row("2013", "connection lost during the query", link,
            "Sent, and no answer came. Read timeouts and a broken handshake look the same."),
        row("2026", "TLS failed", link),
        row("2027", "malformed packet", link),
        row("2055", "connection lost", link),

        row("1317", "statement killed",
            {.cause = unavailable, .why = "Somebody ended it on purpose with KILL QUERY."}),
        row("1969", "statement limit exceeded", too_slow),
        row("3024", "statement limit exceeded", too_slow),
        row("1290", "server is read-only", read_only,
            "Demoted; at COMMIT it means rolled back. The primary is looked for again."),
        row("1836", "server is in read-only mode", read_only),
        row("1047", "Galera node is not ready", read_only,
            "Not in the primary component; it took nothing. Another node is looked for."),
        row("1792", "transaction is read-only", rejected,
            "Final where read-only was asked for; a driver that did not ask takes it as 1290."),

        row("1022", "duplicate key", violated),
        row("1044", "no access to the database", refused),
        row("1045", "login refused", bad_password),
        row("1046", "no database selected", rejected),
        row("1048", "null in a column that must have a value", violated),
        row("1049", "database does not exist", absent),
        row("1050", "table exists already", rejected),
        row("1051", "table does not exist", rejected),
        row("1052", "column is ambiguous", rejected),
        row("1054", "column does not exist", rejected),
        row("1062", "duplicate key", violated,
            "The key is taken. Of a transaction's own token it means: committed before."),
        row("1064", "syntax error", rejected),
        row("1114", "table is full", no_room,
            "InnoDB says it of a full disk. It takes a while until somebody has made room."),
        row("1136", "column count does not match", rejected),
        row("1142", "no privilege on the table", refused),
        row("1143", "no privilege on the column", refused),
        row("1146", "table does not exist", rejected),
        row("1153", "packet larger than the server takes",
            {.cause = too_large, .why = "max_allowed_packet is the limit."}),
        row("1216", "foreign key: no parent row", violated),
        row("1217", "foreign key: child rows exist", violated),
        row("1227", "special privilege missing", refused),
        row("1264", "number out of range", rejected),
        row("1292", "value cannot be read as the type", rejected),
        row("1305", "function does not exist", rejected),
        row("1364", "column has no default", violated),
        row("1365", "division by zero", rejected),
        row("1366", "value cannot be read as the type", rejected),
        row("1370", "no privilege on the routine", refused),
        row("1406", "text too long for its column", rejected),
        row("1451", "foreign key: child rows exist", violated),
        row("1452", "foreign key: no parent row", violated),
        row("1644", "raised by a routine", rejected, "The application's own error."),
        row("1698", "login refused", bad_password),
        row("3819", "check violation", violated),
        row("4025", "check violation", violated),
    }),
    lists);
static_assert(is_table(rows));

constexpr ErrorRow of_client{.code = "",
                             .name = "error of the client library without a row",
                             .cause = internal,
                             .reactions = K | A | N,
                             .why = "The library gave up; what the server did is not known.",
                             .source = "perdure"};

}  // namespace mariadb_table
}  // namespace

std::span<const ErrorRow> mariadb_rows() noexcept { return mariadb_table::rows; }

const ErrorRow& mariadb_otherwise(std::string_view code) noexcept {
    const bool library = code.size() == 4 && (code[0] == '2' || code[0] == '5');
    return library ? mariadb_table::of_client : without_row;
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
