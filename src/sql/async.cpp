// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/async.hpp"

#include "inside.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

Task<Result<Done>> AsyncTransaction::execute_with(StatementCopy statement) {
    Offload asking{workers_, executor_,
                   [&] { return unit_.transaction().execute_with(statement.view()); }};
    co_return co_await asking;
}

Task<Result<Rows>> AsyncTransaction::query_with(StatementCopy statement) {
    Offload asking{workers_, executor_,
                   [&] { return unit_.transaction().query_with(statement.view()); }};
    co_return co_await asking;
}

// The blocking call waits on the worker, its pauses included.
Task<Result<Done>> start_execute(Database& database, StatementOptions options,
                                 StatementCopy statement) {
    Offload asking{detail::workers_of(database, detail::Holding::nothing),
                   detail::executor_of(database),
                   [&] { return database.execute_with(options, statement.view()); }};
    co_return co_await asking;
}

Task<Result<Rows>> start_query(Database& database, StatementOptions options,
                               StatementCopy statement) {
    Offload asking{detail::workers_of(database, detail::Holding::nothing),
                   detail::executor_of(database),
                   [&] { return database.query_with(options, statement.view()); }};
    co_return co_await asking;
}

namespace detail {

Workers& workers_of(Database& database, Holding holding) {
    return holding == Holding::session ? database.inside().holders : database.inside().arrivals;
}

Executor& executor_of(Database& database) {
    Executor* const chosen = database.caller().environment().executor;
    return chosen ? *chosen : default_executor();
}

Failure overrun() {
    return {.cause = Cause::timed_out,
            .effect = Effect::none,
            .origin = Origin::application,
            .code = "overrun",
            .message = "the body ended after its attempt had been given up; it was rolled back"};
}

}  // namespace detail

}  // namespace sql
}  // namespace v0
}  // namespace perdure
