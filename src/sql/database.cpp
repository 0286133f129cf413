// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/database.hpp"

#include <utility>
#include <vector>

#include "inside.hpp"
#include "keywords.hpp"
#include "perdure/sql/manual.hpp"
#include "purge.hpp"
#include "row_calls.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {

// One statement under the strategy. `attempted` runs it in a session; rows are its business.
template <class Attempted>
auto run_statement(Database::Inside& inside, const StatementOptions& options, std::string_view name,
                   Safety safety, const Statement& statement, Attempted attempted)
    -> std::invoke_result_t<Attempted&, Session&, const Bounds&> {
    using R = std::invoke_result_t<Attempted&, Session&, const Bounds&>;
    if (auto fine = check(statement.text, statement.parameters); !fine) return fine.take_failure();
    if (controls_transactions(statement.text)) return fail(refused_alone(statement.text));
    const auto work = [&](const Attempt& attempt) -> R {
        auto lease = inside.lease(options.role, attempt);
        if (!lease) return fail(inside.seen(std::move(lease.error())));
        R result = attempted((*lease)->session(), bounds_of(attempt));
        if (!result) return fail(inside.seen(std::move(result.error())));
        return result;
    };
    const auto also = [&](const Failure& failure) {
        return also_repeats(inside.options.codes, failure);
    };
    Operation operation{.name = options.name.empty() ? name : options.name,
                        .safety = options.safety.value_or(safety),
                        .stop = options.stop,
                        .also_repeat = {.when = also},
                        .diagnostics = options.diagnostics};
    if (options.deadline > Duration::zero())
        operation.deadline =
            Deadline::in(options.deadline, inside.caller.environment().clock.now());
    return options.attempt ? inside.caller.run(*options.attempt, operation, work)
                           : inside.caller.run(operation, work);
}

}  // namespace

Database::Database(std::shared_ptr<Driver> driver, DatabaseOptions options,
                   const Environment& environment)
    : inside_{std::make_unique<Inside>(std::move(driver), std::move(options), environment)} {
    inside_->purge = std::make_unique<Purge>(*inside_);
}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

Result<Done> Database::execute_with(const StatementOptions& options, const Statement& statement) {
    return run_statement(*inside_, options, "execute", Safety::once, statement,
                         [&](Session& session, const Bounds& bounds) {
                             NoRows rows;
                             return session.run(statement, rows, bounds);
                         });
}

Result<Rows> Database::query_with(const StatementOptions& options, const Statement& statement) {
    return run_statement(*inside_, options, "query", Safety::read, statement,
                         [&](Session& session, const Bounds& bounds) -> Result<Rows> {
                             RowBuffer rows{inside_->options.most_bytes};
                             auto done = session.run(statement, rows, bounds);
                             if (!done) return done.take_failure();
                             return rows.take();
                         });
}

Result<Done> Database::stream_with(const StatementOptions& options,
                                   FunctionRef<Result<void>(const Row&)> on_row,
                                   const Statement& statement) {
    return run_statement(*inside_, options, "stream", Safety::read, statement,
                         [&](Session& session, const Bounds& bounds) {
                             RowCalls rows{on_row};
                             auto done = session.run(statement, rows, bounds);
                             if (!done && rows.handed_out()) {
                                 Failure& failure = done.error();
                                 failure.retry_after = never;
                                 failure.message +=
                                     " (rows had been handed out, so it is not repeated)";
                             }
                             return done;
                         });
}

Result<void> Database::prewarm(int sessions) {
    const Clock& clock = inside_->caller.environment().clock;
    const Bounds bounds{.deadline = Deadline::in(inside_->caller.plan().deadline, clock.now())};
    std::vector<std::unique_ptr<Lease>> leases;  // held until all are there
    for (int i = 0; i < sessions; ++i) {
        auto lease = inside_->lease(Role::primary, bounds);
        if (!lease) return fail(inside_->seen(std::move(lease.error())));
        leases.push_back(*std::move(lease));
    }
    return {};
}

void Database::clear() {
    for (net::Pool& pool : inside_->pools) pool.clear();
}

const Driver& Database::driver() const noexcept { return *inside_->driver; }
const DatabaseOptions& Database::options() const noexcept { return inside_->options; }
Caller& Database::caller() noexcept { return inside_->caller; }

net::PoolCounts Database::counts() const {
    net::PoolCounts sum;
    for (const net::Pool& pool : inside_->pools) {
        const net::PoolCounts counts = pool.counts();
        sum.in_use += counts.in_use;
        sum.idle += counts.idle;
        sum.waiting += counts.waiting;
    }
    return sum;
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
