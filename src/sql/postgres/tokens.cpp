// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "perdure/try.hpp"
#include "session.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

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
    if (made.good()) return {};
    // Two who create it at once: one of them is told so in the words of the catalogue.
    const std::string_view code = made.error ? sqlstate(made.error.get()) : "";
    if (code == "23505" || code == "42P07" || code == "42710") return {};
    return failed(made, During::statement);
}

// Its lock waits for every transaction that holds a token, and all later ones wait behind it: so not
// for long.
Result<void> PostgresSession::add_attempt_id(const std::string& table, const Bounds& bounds) {
    const std::string alter = "BEGIN;SET LOCAL lock_timeout=1000;ALTER TABLE " + table +
                              " ADD COLUMN IF NOT EXISTS attempt_id uuid;COMMIT";
    const Reply changed = link_.ask(alter.c_str(), bounds);
    if (changed.good()) return {};
    const bool forbidden = changed.error && sqlstate(changed.error.get()) == "42501";
    Fail failure = forbidden ? fail(invalid("42501", old_token_table(table)))
                             : failed(changed, During::statement);
    roll_back(bounds);
    return failure;
}

// The oldest rows lie at the front of the table, so that no index is needed to find them.
Result<std::int64_t> PostgresSession::purge_tokens(std::string_view table, Duration age, int batch,
                                                   const Bounds& bounds) {
    PERDURE_TRY(ready(bounds));
    PERDURE_TRY(check_table(table));
    const std::string name{table};
    const std::string statement =
        "DELETE FROM " + name + " WHERE ctid=ANY(ARRAY(SELECT ctid FROM " + name +
        " WHERE created_at<now()-$1::int8*interval '1 ms' LIMIT $2::int))";
    const std::string old =
        std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(age).count());
    const std::string most = std::to_string(batch);
    const Reply reply = ask(statement.c_str(), {old.c_str(), most.c_str()}, bounds);
    if (!reply.good()) return failed(reply, During::statement);
    const std::string_view count = PQcmdTuples(reply.last.get());
    std::int64_t purged = 0;
    std::from_chars(count.data(), count.data() + count.size(), purged);
    return purged;
}

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure
