// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/async.hpp"

#include "inside.hpp"
#include "keywords.hpp"
#include "statement_call.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

// While it is under way, nobody knows what such a statement has committed.
void AsyncTransaction::note(StatementCopy& statement) noexcept {
    const std::string_view text = statement.view().text;
    if (nature_of(text).may_commit_midway || changes_schema(text)) lent_ = true;
}

Task<Result<Done>> AsyncTransaction::execute_with(StatementCopy statement) {
    note(statement);
    Offload asking{workers_, executor_,
                   [&] { return unit_.transaction().execute_with(statement.view()); }};
    co_return co_await asking;
}

Task<Result<Rows>> AsyncTransaction::query_with(StatementCopy statement) {
    note(statement);
    Offload asking{workers_, executor_,
                   [&] { return unit_.transaction().query_with(statement.view()); }};
    co_return co_await asking;
}

namespace {

// Keeps everything the attempts of one statement refer to, whoever still waits for them.
template <class R>
struct AsyncStatement {
    AsyncStatement(std::shared_ptr<Database::Inside> where, const StatementOptions& how,
                   StatementCopy what)
        : inside{std::move(where)}, options{how}, name{how.name}, copy{std::move(what)} {
        options.name = name;
    }
    std::shared_ptr<Database::Inside> inside;
    StatementOptions options;
    std::string name;
    StatementCopy copy;
    StatementCall<R> call{*inside, options, copy.view()};
};

template <class R>
Task<R> attempt_statement(std::shared_ptr<AsyncStatement<R>> whole, const Attempt& attempt) {
    Offload asking{detail::workers_of(*whole->inside, detail::Holding::nothing),
                   detail::executor_of(*whole->inside),
                   [&] { return whole->call.attempt(attempt); }};
    co_return co_await asking;
}

template <class R>
Task<R> start_statement(std::shared_ptr<AsyncStatement<R>> whole) {
    if (auto refused = whole->call.refused()) co_return fail(*std::move(refused));
    const auto work = [whole](const Attempt& attempt) -> Task<R> {
        return attempt_statement<R>(whole, attempt);
    };
    const Operation operation = whole->call.operation();
    const Attempt* const parent = whole->options.attempt;
    auto call = parent ? start(whole->inside->caller, *parent, operation, work)
                       : start(whole->inside->caller, operation, work);
    co_return co_await call;
}

}  // namespace

Pending<Result<Done>> start_execute(Database& database, const StatementOptions& options,
                                    StatementCopy statement) {
    return start_statement(std::make_shared<AsyncStatement<Result<Done>>>(database.hold(), options,
                                                                          std::move(statement)));
}

Pending<Result<Rows>> start_query(Database& database, const StatementOptions& options,
                                  StatementCopy statement) {
    return start_statement(std::make_shared<AsyncStatement<Result<Rows>>>(database.hold(), options,
                                                                          std::move(statement)));
}

namespace detail {

Workers& workers_of(Database::Inside& inside, Holding holding) {
    switch (holding) {
        case Holding::session: return inside.holders;
        case Holding::doubt: return inside.resolvers;
        case Holding::nothing: break;
    }
    return inside.arrivals;
}

Executor& executor_of(Database::Inside& inside) {
    Executor* const chosen = inside.caller.environment().executor;
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
