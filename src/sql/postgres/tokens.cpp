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
    const Reply found = ask("SELECT 1 WHERE to_regclass($1) IS NOT NULL", {name.c_str()}, bounds);
    if (!found.good()) return failed(found, During::in_transaction);
    if (PQntuples(found.last.get()) == 1) return {};
    const std::string create = "CREATE TABLE IF NOT EXISTS " + name +
                               " (token uuid PRIMARY KEY,"
                               " created_at timestamptz NOT NULL DEFAULT now())";
    const Reply made = link_.ask(create.c_str(), bounds);
    if (made.good()) return {};
    // Two who create it at once: one of them is told so in the words of the catalogue.
    const std::string_view code = made.error ? sqlstate(made.error.get()) : "";
    if (code == "23505" || code == "42P07" || code == "42710") return {};
    return failed(made, During::statement);
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
