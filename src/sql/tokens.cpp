// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "inside.hpp"
#include "perdure/sql/database.hpp"
#include "perdure/try.hpp"
#include "purge.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {

template <class Work>
auto with_session(Database& database, const Operation& operation, const Attempt* parent, Work work)
    -> std::invoke_result_t<Work&, Session&, const Bounds&> {
    using R = std::invoke_result_t<Work&, Session&, const Bounds&>;
    const auto attempted = [&](const Attempt& attempt) -> R {
        auto lease = database.inside().lease(Role::primary, attempt);
        if (!lease) return fail(database.inside().seen(std::move(lease.error())));
        R result = work((*lease)->session(), bounds_of(attempt));
        if (!result) return fail(database.inside().seen(std::move(result.error())));
        return result;
    };
    return parent ? database.caller().run(*parent, operation, attempted)
                  : database.caller().run(operation, attempted);
}

}  // namespace

Result<Landed<void>> landed(Database& database, const Token& token,
                            const StatementOptions& options) {
    const Duration wait = std::max<Duration>(database.driver().traits().shortest_lock_wait, 300ms);
    Operation operation{.name = options.name.empty() ? "landed" : options.name,
                        .safety = Safety::read,
                        .stop = options.stop,
                        .diagnostics = options.diagnostics};
    if (options.deadline > Duration::zero())
        operation.deadline =
            Deadline::in(options.deadline, database.caller().environment().clock.now());
    return with_session(
        database, operation, options.attempt,
        [&](Session& session, const Bounds& bounds) -> Result<Landed<void>> {
            PERDURE_TRY_VALUE(const auto found,
                              session.probe(token, database.options().tokens.table, wait, bounds));
            return verdict_of(found);
        });
}

Result<void> make_token_table(Database& database) {
    return with_session(database, {.name = "make-tokens", .safety = Safety::idempotent}, nullptr,
                        [&](Session& session, const Bounds& bounds) {
                            return session.make_tokens(database.options().tokens.table, bounds);
                        });
}

Result<std::int64_t> purge_tokens(Database& database) { return database.inside().purge->run({}); }

}  // namespace sql
}  // namespace v0
}  // namespace perdure
