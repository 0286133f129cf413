// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "perdure/try.hpp"
#include "session.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

namespace {

// In the schema of its table, so without its own. PostgreSQL cuts names to 63 characters.
std::string index_name(const std::string& table) {
    return table.substr(table.find('.') + 1).substr(0, 50) + "_created_at";
}

std::string with_schema_of(const std::string& table, const std::string& name) {
    const std::size_t dot = table.find('.');
    return dot == std::string::npos ? name : table.substr(0, dot + 1) + name;
}

std::string_view code_of(const Reply& reply) {
    return reply.error ? sqlstate(reply.error.get()) : std::string_view{};
}

// Two who create the same at once: one of them is told so in the words of the catalogue.
bool is_there(const Reply& reply) {
    const std::string_view code = code_of(reply);
    return code == "23505" || code == "42P07" || code == "42710";
}

}  // namespace

// Looked for first: a role that may not create tables may use one that is there.
Result<void> PostgresSession::make_tokens(std::string_view table, const Bounds& bounds) {
    PERDURE_TRY(ready(bounds));
    PERDURE_TRY(check_table(table));
    const std::string name{table};
    const Reply found = ask("SELECT EXISTS(SELECT 1 FROM pg_attribute WHERE attrelid=t.id AND "
                            "attname='attempt_id' AND NOT attisdropped) "
                            "FROM (SELECT to_regclass($1) AS id) t WHERE t.id IS NOT NULL",
                            {name.c_str()}, bounds);
    if (!found.good()) return failed(found, During::in_transaction);
    if (PQntuples(found.last.get()) == 1) {
        const std::string_view has_column = PQgetvalue(found.last.get(), 0, 0);
        return has_column == "t" ? Result<void>{} : add_attempt_id(name, bounds);
    }
    const std::string create = "CREATE TABLE IF NOT EXISTS " + name +
                               " (token uuid PRIMARY KEY, attempt_id uuid,"
                               " created_at timestamptz NOT NULL DEFAULT now())";
    const Reply made = link_.ask(create.c_str(), bounds);
    if (!made.good()) return is_there(made) ? Result<void>{} : failed(made, During::statement);
    const std::string index =
        "CREATE INDEX IF NOT EXISTS " + index_name(name) + " ON " + name + " (created_at)";
    const Reply indexed = link_.ask(index.c_str(), bounds);
    // Another role may have created the table meanwhile, and its index.
    if (indexed.good() || is_there(indexed) || code_of(indexed) == "42501") return {};
    return failed(indexed, During::statement);
}

// Its lock waits for every transaction that holds a token, and all later ones wait behind it: so not
// for long.
Result<void> PostgresSession::add_attempt_id(const std::string& table, const Bounds& bounds) {
    const std::string alter = "BEGIN;SET LOCAL lock_timeout=1000;ALTER TABLE " + table +
                              " ADD COLUMN IF NOT EXISTS attempt_id uuid;COMMIT";
    const Reply changed = link_.ask(alter.c_str(), bounds);
    if (changed.good()) return {};
    const bool forbidden = changed.error && sqlstate(changed.error.get()) == "42501";
    Fail failure = failed(changed, During::statement);
    if (forbidden)
        failure = fail(invalid(
            "42501", old_token_table(table) + " (" +
                         std::string{error_field(changed.error.get(), PG_DIAG_MESSAGE_PRIMARY)} +
                         ")"));
    roll_back(bounds);
    return failure;
}

// One process at a time: two that build the same index concurrently deadlock. An advisory lock belongs to a
// session, which a pooler in transaction mode does not keep; there the index is made by hand.
Result<void> PostgresSession::index_tokens(std::string_view table, const Bounds& bounds) {
    PERDURE_TRY(ready(bounds));
    PERDURE_TRY(check_table(table));
    if (common_->options.pooler == Pooler::transaction) return {};
    const std::string name{table};
    const char* const key = "(hashtextextended('perdure index ' || to_regclass($1)::oid, 0))";
    const Reply locked =
        ask((std::string{"SELECT pg_try_advisory_lock"} + key).c_str(), {name.c_str()}, bounds);
    if (!locked.good()) return failed(locked, During::in_transaction);
    if (std::string_view{PQgetvalue(locked.last.get(), 0, 0)} != "t") return {};
    auto made = build_index(name, bounds);
    const Reply freed =
        ask((std::string{"SELECT pg_advisory_unlock"} + key).c_str(), {name.c_str()}, bounds);
    if (!freed.good()) spoil();  // the lock ends with the session
    return made;
}

// Without a lock on the table that writers would wait for. An interrupted one leaves an index that is not
// valid: it is dropped and built again.
Result<void> PostgresSession::build_index(const std::string& name, const Bounds& bounds) {
    const Reply found = ask("SELECT bool_or(i.indisvalid) FROM pg_index i JOIN pg_attribute a ON "
                            "a.attrelid=i.indrelid AND a.attnum=i.indkey[0] WHERE "
                            "i.indrelid=to_regclass($1) AND a.attname='created_at'",
                            {name.c_str()}, bounds);
    if (!found.good()) return failed(found, During::in_transaction);
    if (std::string_view{PQgetvalue(found.last.get(), 0, 0)} == "t") return {};
    const bool interrupted = PQgetisnull(found.last.get(), 0, 0) == 0;
    if (interrupted) {
        const std::string drop =
            "DROP INDEX CONCURRENTLY IF EXISTS " + with_schema_of(name, index_name(name));
        const Reply dropped = link_.ask(drop.c_str(), bounds);
        if (!dropped.good()) return failed(dropped, During::statement);
    }
    const std::string create = "CREATE INDEX CONCURRENTLY IF NOT EXISTS " + index_name(name) +
                               " ON " + name + " (created_at)";
    const Reply made = link_.ask(create.c_str(), bounds);
    if (made.good() || is_there(made)) return {};
    return failed(made, During::statement);
}

// The end of the batch first, so that the DELETE is planned for a short range of the index. The OFFSET is
// a subquery because the planner then reckons with a tenth of the rows and walks the index in order;
// with the number itself, and without statistics, it sorts all old tokens for each batch.
Result<Purged> PostgresSession::purge_tokens(std::string_view table, const PurgeBatch& which,
                                             const Bounds& bounds) {
    PERDURE_TRY(ready(bounds));
    PERDURE_TRY(check_table(table));
    const std::string name{table};
    const std::string range = " WHERE created_at<now()-$1::int8*interval '1 ms' AND "
                              "created_at>=CASE WHEN $2='' THEN '-infinity'::timestamptz "
                              "ELSE 'epoch'::timestamptz+$2::int8*interval '1 us' END";
    const std::string age =
        std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(which.age).count());
    const std::string from{which.from};
    const std::string skipped = std::to_string(std::max(which.tokens, 1) - 1);
    const std::string look = "SELECT (extract(epoch FROM created_at)*1000000)::int8 FROM " + name +
                             range + " ORDER BY created_at LIMIT 1 OFFSET (SELECT $3::int8)";
    const Reply end = ask(look.c_str(), {age.c_str(), from.c_str(), skipped.c_str()}, bounds);
    if (!end.good()) return failed(end, During::in_transaction);
    const bool more = PQntuples(end.last.get()) == 1;
    Purged purged;
    if (more) purged.next = PQgetvalue(end.last.get(), 0, 0);
    std::string statement = "DELETE FROM " + name + range;
    if (more) statement += " AND created_at<='epoch'::timestamptz+$3::int8*interval '1 us'";
    const Reply reply =
        more ? ask(statement.c_str(), {age.c_str(), from.c_str(), purged.next.c_str()}, bounds)
             : ask(statement.c_str(), {age.c_str(), from.c_str()}, bounds);
    if (!reply.good()) return failed(reply, During::statement);
    const std::string_view count = PQcmdTuples(reply.last.get());
    std::from_chars(count.data(), count.data() + count.size(), purged.tokens);
    return purged;
}

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure
