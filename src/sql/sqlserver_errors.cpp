// SPDX-License-Identifier: Apache-2.0
//
// SQL Server and Azure SQL by number: the 176 that Entity Framework Core calls transient, in groups,
// and the final ones people meet most. The group says how long to wait: locks milliseconds, a service
// that asks for less at least five seconds. No SQL Server was at hand to try them on.
#include "error_rows.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {
namespace sqlserver_table {

using namespace letters;
using enum Cause;

constexpr std::string_view ef_core = "EF Core's list";
constexpr std::string_view manual = "SQL Server, errors and events";
constexpr RemedySet find_primary = Remedy::refresh_routing_account;

constexpr ErrorKind transport{.cause = unavailable,
                              .reactions = K | T | C,
                              .rule = "connect",
                              .why = "Nothing ran: the connection did not come about or was idle."};
constexpr ErrorKind link{.cause = unavailable,
                         .reactions = K | T | C | A,
                         .why = "May also end a running command; then nobody knows."};
constexpr ErrorKind azure_moves{.cause = unavailable,
                                .reactions = K | T | C | A,
                                .rule = "busy-database",
                                .remedies = find_primary,
                                .why = "The database is being moved or is full; wait for seconds."};
constexpr ErrorKind failover{
    .cause = unavailable,
    .reactions = K | T,
    .rule = "failover",
    .remedies = find_primary,
    .why = "The database changes its state; a new connection finds it again."};
constexpr ErrorKind locks{.cause = contended,
                          .reactions = T,
                          .rule = "lock-conflict",
                          .why = "Rolled back or to be rolled back; runs again soon."};
constexpr ErrorKind in_memory{.cause = contended,
                              .reactions = T,
                              .rule = "in-memory-conflict",
                              .why = "A conflict in memory-optimized tables ends in milliseconds."};
constexpr ErrorKind batch_ended{.cause = contended,
                                .reactions = T,
                                .rule = "few",
                                .why = "The transaction is surely rolled back; it is begun anew."};
constexpr ErrorKind lock_shortage{
    .cause = throttled,
    .reactions = T,
    .rule = "busy-database",
    .why = "Short of locks or versions; the transaction is rolled back first."};
constexpr ErrorKind race{.cause = contended,
                         .reactions = S | T,
                         .rule = "few",
                         .why = "Something changed underneath; nothing was applied."};
constexpr ErrorKind memory_wait{.cause = overloaded,
                                .reactions = S | T,
                                .why = "No memory for the query in time; nothing was applied."};
constexpr ErrorKind busy{.cause = throttled,
                         .reactions = S | T,
                         .rule = "busy-database",
                         .why =
                             "Refused before it ran; the service asks for less and for seconds."};
constexpr ErrorKind service{.cause = internal,
                            .reactions = T,
                            .rule = "few",
                            .why = "A fault inside the service; tried a few times only."};
constexpr ErrorKind timeout{
    .cause = timed_out,
    .reactions = C | A | N,
    .rule = "connect",
    .why = "The limit was ours, and the work may have been done all the same."};
constexpr ErrorKind rejected{.cause = invalid,
                             .why = "The statement or its values are wrong and stay wrong."};
constexpr ErrorKind violated{.cause = conflict,
                             .why = "An answer about the rows that are there, not a fault."};
constexpr ErrorKind duplicate{.cause = conflict,
                              .why = "The key is taken. Of a transaction's own token it means: "
                                     "committed before."};
constexpr ErrorKind refused{.cause = forbidden, .why = "Somebody has to grant it first."};
constexpr ErrorKind full{.cause = too_large, .why = "Somebody has to make room first."};
constexpr ErrorKind session_ended{.cause = too_large,
                                  .reactions = K | N,
                                  .why = "The transaction asks too much; smaller ones would pass."};

constexpr ErrorRow final(std::string_view code, std::string_view name, const ErrorKind& kind) {
    ErrorRow one = row(code, name, kind);
    one.source = manual;
    return one;
}

constexpr auto rows = in_order(
    std::to_array<ErrorRow>({
        // Connecting, and the network.
        row("20", "instance does not do encryption", transport),
        row("64", "link dropped during login", link),
        row("121", "transport stalled", link),
        row("203", "handshake before login broke", transport),
        row("233", "nobody at the other end",
            {.cause = unavailable,
             .reactions = K | T | C | A,
             .rule = "busy-database",
             .why = "The server is too busy to log anybody in, or it went away."}),
        row("997", "login still under way", transport),
        row("10053", "connection aborted on this side", link),
        row("10054", "connection reset by the server", link),
        row("10060", "no answer while connecting", link),
        row("11001", "host name unknown", transport),
        row("17197", "login timed out under load", transport),
        row("17889", "session has too many connections",
            {.cause = throttled,
             .reactions = K | T | C,
             .rule = "busy-database",
             .why = "The limit of connections is reached; wait for seconds."}),
        row("18401", "server runs an upgrade script", transport),
        row("4060", "database cannot be opened",
            {.cause = unavailable,
             .reactions = K | T | C,
             .rule = "few",
             .why = "Offline for the moment, or its name is written wrongly."}),
        row("4221", "readable secondary waits for row versions", transport),
        row("40613", "database is not available now", azure_moves),
        row("40623", "authentication has to be repeated", transport),
        row("42108", "pool is paused", transport),
        row("42109", "pool is warming up", transport),
        row("49802", "database is unavailable", transport),

        // The state of the database, failover.
        row("615", "database id not found", failover),
        row("921", "database is not recovered yet", failover),
        row("926", "database is suspect", failover),
        row("927", "database is being restored", failover),
        row("941", "database is not started", failover),
        row("952", "database is in transition", failover),
        row("982", "no readable secondary", failover),
        row("988", "no quorum", failover),
        row("3429", "outcome of a cross-database transaction unknown in recovery", failover),
        row("3635", "metadata could not be processed", failover),
        row("3947", "secondary fell behind, transaction ended", failover),
        row("3948", "replica changed its role, transaction ended", failover),
        row("3953", "snapshot: database was not recovered", failover),
        row("3957", "snapshot was not allowed at the start", failover),
        row("22430", "database is shutting down", failover),
        row("35216", "primary is offline for the moment", failover),
        row("35218", "primary is offline for the moment", failover),
        row("35256", "replica session timed out", failover),
        row("35293", "recovery fork changed", failover),
        row("40671", "server operation failed, connect again", failover),
        row("41614", "fabric: passing fault", failover),
        row("41619", "fabric: passing fault", failover),
        row("41640", "fabric: passing fault", failover),
        row("41700", "fabric is not ready", failover),
        row("41701", "fabric is not ready", failover),

        // Locks and concurrency.
        row("1205", "deadlock", locks),
        row("3960", "snapshot update conflict", locks),
        row("3966", "version store chose it as victim", locks),
        row("41301", "commit dependency failed", in_memory),
        row("41302", "write conflict", in_memory),
        row("41305", "repeatable-read validation failed", in_memory),
        row("41325", "serializable validation failed", in_memory),
        row("41839", "too many commit dependencies", in_memory),
        row("41339", "table was altered since the start", batch_ended),
        row("20041", "trigger failed, rolled back", batch_ended),
        row("3941", "begun before change capture was switched on", batch_ended),
        row("6292", "associated transaction has ended", batch_ended),
        row("3980", "batch aborted", batch_ended),
        row("1222", "lock timeout", locks,
            "The transaction is still open and is rolled back first."),
        row("1204", "out of locks", lock_shortage),
        row("1203", "lock bookkeeping race", locks),
        row("1221", "lock bookkeeping race", locks),
        row("1215", "conflicting DDL that aborts blockers", locks),
        row("1216", "conflicting DDL that aborts blockers", locks),
        row("1232", "lock service not available", locks),
        row("22335", "lock service not available", lock_shortage),
        row("22355", "lock service not available", locks),
        row("3935", "file-stream context not available", lock_shortage),
        row("3950", "version scan timed out", lock_shortage),

        // Plans, metadata, resources.
        row("539", "schema changed during SELECT INTO", race),
        row("601", "row moved during an unlocked scan", race),
        row("617", "descriptor missing", race),
        row("669", "row is inconsistent", race),
        row("1532", "sort page race", race),
        row("1533", "sort page race", race),
        row("1534", "extent race", race),
        row("1535", "extent race", race),
        row("1807", "model database is locked", race),
        row("2021", "entity changed during DDL", race),
        row("2816", "metadata of the object changed", race),
        row("4117", "schema changes too often", race),
        row("4184", "schema changes too often", race),
        row("5280", "consistency check protocol", race),
        row("5529", "file stream is being removed", race),
        row("7951", "file stream check", race),
        row("8628", "optimizer waited too long", memory_wait),
        row("8645", "wait for memory too long", memory_wait),
        row("8651", "memory refused", memory_wait),
        row("9020", "log grew while it shrank", race),
        row("9515", "XML schema changed", race),
        row("9985", "memory of search properties", busy),
        row("10922", "asked to run it again", race),
        row("11539", "type of the result changed", race),
        row("17065", "assertion that depends on timing", race),
        row("17066", "assertion that depends on timing", race),
        row("17067", "assertion that depends on timing", race),
        row("30080", "full-text is busy", race),
        row("30085", "full-text is busy", busy),
        row("33123", "encryption key is in use", race),
        row("40106", "scope of the schema changed", race),
        row("41383", "view of the system met DDL", race),
        row("42029", "no timestamp could be made", race),

        // Throttling and governance.
        row("10928", "limit of workers or sessions", busy),
        row("10929", "server is busy, guarantee not met", busy),
        row("10930", "service is too busy", busy),
        row("10936", "limit of requests of the pool", busy),
        row("40189", "quota of the time window", busy),
        row("40501", "service is busy", busy, "Refused before it ran; Azure asks for ten seconds."),
        row("40642", "server is busy", busy),
        row("40648", "too many requests", busy),
        row("40675", "service is busy", busy),
        row("40890", "pool is busy", busy),
        row("40903", "server is busy", busy),
        row("40918", "failover group is busy", busy),
        row("40938", "DNS alias is busy", busy),
        row("41823", "in-memory quota of the database", busy),
        row("41840", "in-memory quota of the pool", busy),
        row("45153", "management service is away", busy),
        row("45156", "subscription is busy", busy),
        row("45157", "server is busy", busy),
        row("45161", "managed instance is busy", busy),
        row("45179", "operation timed out and was rolled back", busy),
        row("45182", "database is busy", busy),
        row("45319", "change of tier refused, busy", busy),
        row("45547", "create timed out", busy),
        row("49510", "managed instance is busy", busy),
        row("49918", "too few resources", busy),
        row("49919", "too many creates and updates", busy),
        row("49920", "too many operations", busy),
        row("49977", "pool is busy", busy),
        row("49983", "operation did not complete", busy),
        row("37202", "instance pool is busy", busy),
        row("37327", "limit of enclave checks", busy),
        row("39108", "limit of external scripts", busy),
        row("39110", "limit of external scripts", busy),
        row("25738", "event session is busy", busy),
        row("25740", "event session is busy", busy),
        row("14355", "directory service is busy", busy),
        row("1404", "mirror is busy", busy),

        // Inside the service.
        row("40143", "service error", service),
        row("40197", "service error, often a failover",
            {.cause = unavailable,
             .reactions = K | T | A,
             .rule = "few",
             .remedies = find_primary,
             .why = "The service is moved; the connection dies, a COMMIT under way stays open."}),
        row("40540", "service error", service),
        row("16528", "background task", service),
        row("16554", "background task", service),
        row("16555", "background task", service),
        row("22225", "background task", service),
        row("22226", "background task", service),
        row("22353", "background task", service),
        row("22358", "background task", service),
        row("22427", "background task", service),
        row("22491", "synchronization link", service),
        row("22493", "synchronization link", service),
        row("22498", "synchronization link is busy",
            {.cause = internal,
             .reactions = T,
             .rule = "busy-database",
             .why = "Busy inside the service; wait for seconds."}),
        row("22754", "synchronization link", service),
        row("22758", "synchronization link", service),
        row("22759", "synchronization link", service),
        row("22760", "synchronization link", service),
        row("22984", "background task", service),
        row("14817", "stretched table", service),
        row("14868", "stretched table", service),
        row("14906", "stretched table", service),
        row("18858", "replication", service),
        row("21503", "replication", service),
        row("25003", "replication", service),
        row("19413", "availability group", service),
        row("19416", "availability group", service),
        row("19494", "availability group", service),
        row("39025", "external runtime", service),
        row("39151", "external runtime", service),
        row("39152", "external runtime", service),
        row("1413", "mirroring", service),
        row("1421", "mirroring", service),
        row("1438", "mirroring", service),
        row("47132", "contained group", service),
        row("47137", "contained group", service),
        row("47139", "contained group", service),

        // Not in EF Core's list.
        final("-2", "command timeout", timeout),
        final("258", "wait timed out", timeout),
        final("3902", "COMMIT without a transaction",
              {.cause = internal,
               .reactions = A,
               .why = "A procedure may have committed it before, or a trigger rolled it back."}),
        final("3930", "transaction can only be rolled back", batch_ended),
        final("3998", "transaction that cannot be committed was rolled back", batch_ended),
        final("3906", "database is read-only",
              {.cause = stale_route,
               .reactions = K | T,
               .rule = "failover",
               .remedies = find_primary,
               .why = "A secondary or a demoted server; the primary is looked for again."}),
        final("102", "syntax error", rejected),
        final("156", "syntax error", rejected),
        final("207", "column does not exist", rejected),
        final("208", "table does not exist", rejected),
        final("229", "permission missing", refused),
        final("241", "text cannot be read as a date", rejected),
        final("245", "text cannot be read as the type", rejected),
        final("262", "permission missing", refused),
        final("515", "null in a column that must have a value", violated),
        final("547", "foreign key or check violation", violated),
        final("911", "database does not exist", {.cause = not_found, .why = "It is not there."}),
        final("916", "login may not use the database", refused),
        final("1105", "file group is full", full),
        final("2601", "unique index violation", duplicate),
        final("2627", "unique or primary key violation", duplicate),
        final("2628", "text too long for its column", rejected),
        final("2714", "object exists already", rejected),
        final("2812", "procedure does not exist", rejected),
        final("3903", "ROLLBACK without a transaction", rejected),
        final("4064", "default database cannot be opened", refused),
        final("8114", "types do not match", rejected),
        final("8115", "number out of range", rejected),
        final("8134", "division by zero", rejected),
        final("8144", "too many arguments", rejected),
        final("8152", "text too long for its column", rejected),
        final("9002", "transaction log is full", full),
        final("18452", "login refused: domain not trusted", refused),
        final("18456", "login refused", refused),
        final("18470", "login is disabled", refused),
        final("18487", "password has expired", refused),
        final("18488", "password has to be changed", refused),
        final("40544", "size quota of the database reached", full),
        final("40549", "transaction ran for too long", session_ended),
        final("40550", "transaction took too many locks", session_ended),
        final("40551", "transaction used too much of tempdb", session_ended),
        final("40552", "transaction used too much log", session_ended),
        final("40553", "session used too much memory", session_ended),
        final("50000", "raised by the application", rejected),
    }),
    ef_core);
static_assert(is_table(rows));

}  // namespace sqlserver_table
}  // namespace

std::span<const ErrorRow> sqlserver_rows() noexcept { return sqlserver_table::rows; }

}  // namespace sql
}  // namespace v0
}  // namespace perdure
