// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/database.hpp"

#include <utility>
#include <vector>

#include "inside.hpp"
#include "perdure/sql/manual.hpp"
#include "purge.hpp"
#include "statement_call.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {

// One statement under the strategy, on the caller's thread.
template <class R>
R run_statement(StatementCall<R>& call) {
    if (auto refused = call.refused()) return fail(*std::move(refused));
    const auto work = [&](const Attempt& attempt) { return call.attempt(attempt); };
    const Attempt* const parent = call.options().attempt;
    const Operation operation = call.operation();
    Caller& caller = call.inside().caller;
    return parent ? caller.run(*parent, operation, work) : caller.run(operation, work);
}

}  // namespace

Database::Database(std::shared_ptr<Driver> driver, DatabaseOptions options,
                   const Environment& environment)
    : inside_{std::make_shared<Inside>(std::move(driver), std::move(options), environment)} {
    inside_->purge = std::make_unique<Purge>(*inside_);
}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

Result<Done> Database::execute_with(const StatementOptions& options, const Statement& statement) {
    StatementCall<Result<Done>> call{*inside_, options, statement};
    return run_statement(call);
}

Result<Rows> Database::query_with(const StatementOptions& options, const Statement& statement) {
    StatementCall<Result<Rows>> call{*inside_, options, statement};
    return run_statement(call);
}

Result<Done> Database::stream_with(const StatementOptions& options,
                                   FunctionRef<Result<void>(const Row&)> on_row,
                                   const Statement& statement) {
    StatementCall<Result<Done>> call{*inside_, options, statement, on_row};
    return run_statement(call);
}

Result<void> Database::prewarm(int sessions) {
    if (sessions > inside_->options.pool.max_connections)
        return fail({.cause = Cause::invalid,
                     .origin = Origin::application,
                     .code = "prewarm",
                     .message = "more sessions than max_connections allows"});
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

PurgeCounts Database::purge_counts() const { return inside_->purge->counts(); }

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
