// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/unit.hpp"

#include <algorithm>

#include "inside.hpp"
#include "purge.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {

// A rollback that is not answered at once is not worth waiting for: dropping the session rolls back.
constexpr Duration rollback_within = 200ms;
// Before the client's own limit, so that the server's clear answer arrives and the session stays good.
constexpr double share_for_a_lock = 0.80;
constexpr double share_for_a_statement = 0.95;

Duration share(Duration left, double part) {
    if (left == never) return never;
    return Duration{static_cast<Duration::rep>(static_cast<double>(left.count()) * part)};
}

}  // namespace

Unit::Unit(Database& database, const TransactOptions& options)
    : database_{database},
      options_{options},
      token_{options.token},
      also_{database.options().codes} {}

Unit::~Unit() {
    // Also the way out for an exception that the body threw.
    transaction_.reset();
    if (lease_) lease_->clean(rollback_within);
}

Operation Unit::operation() const {
    Operation operation{.name = options_.name,
                        .safety =
                            options_.access == Access::read_only ? Safety::read : Safety::once,
                        .stop = options_.stop,
                        .also_repeat = {.when = also_},
                        .diagnostics = options_.diagnostics};
    if (options_.deadline > Duration::zero())
        operation.deadline =
            Deadline::in(options_.deadline, database_.caller().environment().clock.now());
    return operation;
}

bool Unit::leaves_token() const noexcept {
    return options_.access == Access::read_write &&
           (options_.token || database_.options().tokens.use != TokenUse::off);
}

Result<Beginnings> Unit::begin(const Attempt& attempt) {
    transaction_.reset();
    lease_.reset();
    if (options_.token && options_.access == Access::read_only)
        return fail({.cause = Cause::invalid,
                     .origin = Origin::application,
                     .code = "token",
                     .message = "a read-only transaction cannot leave a token"});
    auto lease = database_.inside().lease(options_.role, attempt);
    if (!lease) return fail(database_.inside().seen(std::move(lease.error())));
    lease_ = *std::move(lease);
    auto begun = begin_in(lease_->session(), attempt);
    if (!begun) return fail(abandon(std::move(begun.error())));
    if (*begun == Beginnings::begun)
        transaction_.emplace(lease_->session(), attempt, database_.options().most_bytes);
    return begun;
}

// What the server is told in the round trip of BEGIN.
Beginning Unit::beginning(const Attempt& attempt) {
    Database::Inside& inside = database_.inside();
    const Traits& traits = inside.driver->traits();
    const bool writes = options_.access == Access::read_write;
    const bool tokens = leaves_token();
    // The same for all attempts: should an earlier one have been committed against all evidence, this
    // insert finds out.
    if (tokens && !token_) token_ = Token::make();
    const Duration left = attempt.time_left();
    return {.isolation = options_.isolation,
            .access = options_.access,
            .token = tokens ? &*token_ : nullptr,
            .token_table = inside.options.tokens.table,
            .noting = writes && !tokens && traits.notes_transactions ? Noting::transaction
                                                                     : Noting::nothing,
            .statement_limit = share(left, share_for_a_statement),
            .lock_limit = std::max(share(left, share_for_a_lock), traits.shortest_lock_wait),
            .idle_limit = left};
}

Result<Beginnings> Unit::begin_in(Session& session, const Attempt& attempt) {
    const Bounds bounds = bounds_of(attempt);
    // A session that was lost in the middle may still stand on the server with all its locks.
    if (lost_) (void)session.end_old(doubt_, bounds);
    lost_ = false;
    const Beginning how = beginning(attempt);
    if (how.token) {
        auto ready = database_.inside().ready_for_tokens(session, bounds);
        if (!ready) return ready.take_failure();
        database_.inside().purge->start();
    }
    auto begun = session.begin(how, bounds);
    if (!begun) return begun.take_failure();
    doubt_ = std::move(begun->doubt);
    return begun->what;
}

Result<void> Unit::commit() {
    Session& session = lease_->session();
    // A body that went on after the transaction had failed must not look like a success.
    if (transaction_->failure()) return fail(abandon(*transaction_->failure()));
    auto committed = session.commit(bounds_of(transaction_->attempt()));
    if (committed) {
        transaction_.reset();
        lease_.reset();
        return {};
    }
    return fail(abandon(std::move(committed.error())));
}

Failure Unit::abandon(Failure failure) {
    transaction_.reset();
    if (lease_) {
        lost_ = lease_->session().state() == State::broken && !doubt_.session.empty();
        lease_->clean(rollback_within);
        lease_.reset();
    }
    return database_.inside().seen(std::move(failure));
}

Failure Unit::token_taken() const {
    return {.cause = Cause::conflict,
            .effect = Effect::applied,
            .code = "token-taken",
            .message = "a transaction with this token was committed before: " + to_string(*token_)};
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
