// SPDX-License-Identifier: Apache-2.0
//
// What became of the COMMIT that was not answered? Asked in the order of how sure the answers are.
#include <algorithm>

#include "inside.hpp"
#include "perdure/sql/unit.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {

// How long a probe waits for the old transaction before that is ended by force.
constexpr Duration patience = 300ms;
constexpr Duration look_again_after = 50ms;

}  // namespace

// One that hangs must leave time for the next, which may reach another server. `resolve_within` is
// long enough for the database to answer.
Attempt Unit::question(const Attempt& attempt) const {
    const Plan& plan = inside_.caller.plan();
    const Duration longest = std::max(attempt_timeout_of(plan), plan.resolve_within);
    Attempt question = attempt;
    question.deadline = attempt.deadline.tighter(Deadline::in(longest, attempt.clock->now()));
    return question;
}

// A question that failed says nothing about the COMMIT: it is asked again, also if the table or the
// user's codes would not repeat a transaction after such a failure. Only a cause that stays ends it.
Failure Unit::unanswered(Failure failure) {
    const bool passes = is_repeatable(failure.cause) || also_(failure);
    failure = inside_.seen(std::move(failure));
    if (!passes) return failure;
    // Its effect and remedies stay: they are those of the question.
    if (!is_repeatable(failure.cause)) failure.cause = FailureCause{Cause::unavailable};
    if (failure.retry_after == never) failure.retry_after.reset();
    return failure;
}

Result<Landed<void>> Unit::resolve(const Attempt& whole) {
    // What is unknown then is not ours to find out: a call on another dependency, or a statement that
    // ended the transaction behind our back.
    if (!committing_ && !(cut_ && token_)) return Landed<void>::unknown();
    const Attempt attempt = question(whole);
    const Bounds bounds = bounds_of(attempt);
    const Connecting how{.role = Role::primary, .remedies = attempt.remedies, .bounds = bounds};
    if (auto fresh = take_fresh(how); !fresh) return fail(unanswered(std::move(fresh.error())));
    found_.reset();
    auto verdict = ask(lease_->session(), attempt, bounds);
    // Our row is there without our COMMIT: a part was committed, and nobody knows which.
    const bool anothers = found_ && found_->attempt_id && found_->attempt_id != attempt_id_;
    if (!committing_ && !anothers && verdict && verdict->verdict() == Verdict::yes)
        verdict = Landed<void>::unknown();
    lease_->clean(look_again_after);
    lease_->drop_session();
    if (!verdict) return fail(unanswered(std::move(verdict.error())));
    return verdict;
}

// Another session of the pool may be as dead as the one that was lost. In the place that was kept, if
// there is one: a lease without a place must not connect.
Result<void> Unit::take_fresh(const Connecting& how) {
    if (lease_) return lease_->renew(how);
    auto lease = std::make_unique<Lease>(inside_.lender(Role::primary));
    auto taken = lease->take(Freshness::fresh, how);
    if (taken) lease_ = std::move(lease);
    return taken;
}

Result<Landed<void>> Unit::ask(Session& session, const Attempt& attempt, const Bounds& bounds) {
    if (token_) return probe(session, attempt, bounds);
    if (!doubt_.transaction.empty()) {
        auto word = session.outcome_of(doubt_, bounds);
        if (!word || word->verdict() == Verdict::yes || word->verdict() == Verdict::no) return word;
        if (word->verdict() == Verdict::pending) {
            (void)session.end_old(doubt_, bounds);
            return Landed<void>::pending(look_again_after);
        }
    }
    if (options_.landed) return ask_caller(session, attempt, bounds);
    return Landed<void>::unknown();
}

// The row itself is the proof. A zombie that holds it gets some time to end by itself; how much of that
// the database waits for us depends on how finely it counts.
Result<Landed<void>> Unit::probe(Session& session, const Attempt& attempt, const Bounds& bounds) {
    if (!asked_) asked_ = attempt.clock->now();
    const Duration wait = std::max(std::min(patience, attempt.time_left() / 3),
                                   inside_.driver->traits().shortest_lock_wait);
    auto found = session.probe(*token_, inside_.options.tokens.table, wait, bounds);
    if (!found) return found.take_failure();
    if (found->verdict() == Verdict::yes) found_ = found->value();
    if (found->verdict() != Verdict::pending) return verdict_of(*found);
    if (attempt.clock->now() - *asked_ >= wait) (void)session.end_old(doubt_, bounds);
    return Landed<void>::pending(look_again_after);
}

// "It is there" is always believed. "It is not there" says something only when nobody can bring it any
// more.
Result<Landed<void>> Unit::ask_caller(Session& session, const Attempt& attempt,
                                      const Bounds& bounds) {
    auto remains = session.end_old(doubt_, bounds);
    if (!remains) return remains.take_failure();
    auto begun = session.begin({.access = Access::read_only}, bounds);
    if (!begun) return begun.take_failure();
    Transaction look{session, attempt, inside_.options.most_bytes,
                     inside_.driver->traits().product};
    auto there = options_.landed(look);
    if (!there) return there.take_failure();
    if (*there) return Landed<void>::yes();
    if (*remains == Remains::gone) return Landed<void>::no();
    return Landed<void>::pending(look_again_after);
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
