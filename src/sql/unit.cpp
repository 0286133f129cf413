// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/unit.hpp"

#include <algorithm>

#include "inside.hpp"
#include "limits.hpp"
#include "purge.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {

// A rollback that is not answered at once is not worth waiting for: dropping the session rolls back.
constexpr Duration rollback_within = 200ms;
// Less than a statement's: it fails first, and says why.
constexpr double share_for_a_lock = 0.80;

}  // namespace

Unit::Unit(Database::Inside& inside, const TransactOptions& options)
    : inside_{inside}, options_{options}, token_{options.token} {}

Unit::~Unit() {
    // Also the way out for an exception that the body threw.
    transaction_.reset();
    if (lease_) lease_->clean(rollback_within);
}

bool Unit::Also::operator()(const Failure& failure) const {
    return unit.inside_.also_repeats(failure, unit.options_.also_repeat);
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
            Deadline::in(options_.deadline, inside_.caller.environment().clock.now());
    return operation;
}

bool Unit::leaves_token() const noexcept {
    return options_.access == Access::read_write &&
           (options_.token || inside_.options.tokens.use != TokenUse::off);
}

bool Unit::can_resolve() const noexcept {
    return options_.access == Access::read_write &&
           (leaves_token() || options_.landed || inside_.driver->traits().notes_transactions);
}

Result<Beginnings> Unit::begin(const Attempt& attempt) {
    transaction_.reset();
    lease_.reset();
    committing_ = false;
    cut_ = false;
    found_.reset();
    if (options_.token && options_.access == Access::read_only)
        return fail({.cause = Cause::invalid,
                     .origin = Origin::application,
                     .code = "token",
                     .message = "a read-only transaction cannot leave a token"});
    auto lease = inside_.lease(options_.role, attempt);
    if (!lease) return fail(inside_.seen(std::move(lease.error())));
    lease_ = *std::move(lease);
    auto begun = begin_in(lease_->session(), attempt);
    if (!begun) return fail(abandon(std::move(begun.error())));
    if (*begun == Beginnings::begun)
        transaction_.emplace(lease_->session(), attempt, inside_.options.most_bytes,
                             inside_.driver->traits().product);
    return begun;
}

// What the server is told in the round trip of BEGIN.
Beginning Unit::beginning(const Attempt& attempt) {
    const Traits& traits = inside_.driver->traits();
    const bool writes = options_.access == Access::read_write;
    const bool tokens = leaves_token();
    // The same for all attempts: should an earlier one have been committed against all evidence, this
    // insert finds out.
    if (tokens && !token_) token_ = Token::make();
    if (tokens) attempt_id_ = Token::make();
    const Duration left = attempt.time_left();
    const Duration statement_limit = share(left, share_for_a_statement);
    statement_until_ = after(attempt.clock->now(), statement_limit);
    return {.isolation = options_.isolation,
            .access = options_.access,
            .token = tokens ? &*token_ : nullptr,
            .attempt_id = tokens ? &*attempt_id_ : nullptr,
            .token_table = inside_.options.tokens.table,
            .noting = writes && !tokens && traits.notes_transactions ? Noting::transaction
                                                                     : Noting::nothing,
            .statement_limit = statement_limit,
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
        auto ready = inside_.ready_for_tokens(session, bounds);
        if (!ready) {
            // Whatever became of the table: of the transaction nothing was sent yet.
            ready.error().effect = Effect::none;
            return ready.take_failure();
        }
        inside_.purge->start();
    }
    auto begun = session.begin(how, bounds);
    if (!begun) {
        // The table may have been dropped meanwhile: the next transaction looks again.
        if (how.token && begun.error().cause == Cause::invalid) inside_.tokens_ready = false;
        return begun.take_failure();
    }
    if (begun->what == Beginnings::token_taken) found_ = begun->taken;
    doubt_ = std::move(begun->doubt);
    asked_.reset();
    return begun->what;
}

Result<void> Unit::commit() {
    Session& session = lease_->session();
    committed_id_ = attempt_id_;
    ++commits_;
    // A body that went on after the transaction had failed must not look like a success.
    if (transaction_->failure()) return fail(abandon(*transaction_->failure()));
    auto noted = session.note(doubt_, bounds_of(transaction_->attempt()));
    if (!noted) return fail(abandon(std::move(noted.error())));
    committing_ = true;
    auto committed = session.commit(bounds_of(transaction_->attempt()));
    if (committed) {
        transaction_.reset();
        lease_.reset();
        return {};
    }
    return fail(abandon(std::move(committed.error())));
}

Failure Unit::abandon(Failure failure) {
    // The server cut the statement off by the limit that this attempt gave it: a timeout as any other,
    // and nobody's wish that it be not repeated.
    if (transaction_ && failure.cause == Cause::timed_out && failure.retry_after == never &&
        transaction_->attempt().clock->now() >= statement_until_)
        failure.retry_after.reset();
    // A procedure that failed may have committed a part before; only the token can tell.
    const AttemptLink* const link = transaction_ ? transaction_->attempt().link : nullptr;
    const bool alone = !link || link->nested() == Effect::none;
    cut_ = transaction_ && transaction_->may_be_cut() && failure.effect == Effect::none && alone;
    if (cut_) failure.effect = Effect::unknown;
    transaction_.reset();
    if (committing_ && failure.effect == Effect::unknown && !token_ && !doubt_.missing.empty())
        failure.message += "; this server cannot be asked what became of it: " + doubt_.missing +
                           ". Tokens make up for that (docs/guide/sql.md)";
    if (lease_) {
        if (const TokenRow* const row = lease_->session().found_token()) found_ = *row;
        lost_ = lease_->session().state() == State::broken && !doubt_.session.empty();
        lease_->clean(rollback_within);
        // Whoever must find out about a COMMIT does not queue for a session with the others.
        if ((committing_ || cut_) && failure.effect == Effect::unknown) lease_->drop_session();
        else lease_.reset();
    }
    return inside_.seen(std::move(failure));
}

Failure Unit::token_taken() const {
    std::string message =
        "a transaction with this token was committed by another call: " + to_string(*token_);
    if (found_ && !found_->attempt_id)
        message =
            "a transaction with this token was committed: " + to_string(*token_) +
            "; the table does not say by which call (this role may not read it, or an earlier "
            "version wrote the row)";
    return {.cause = Cause::conflict,
            .effect = Effect::applied,
            .settles_earlier = true,
            .code = "token-taken",
            .message = std::move(message)};
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
