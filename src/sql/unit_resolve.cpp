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

Result<Landed<void>> Unit::resolve(const Attempt& attempt) {
    // Another session of the pool may be as dead as the one that was lost.
    auto lease = std::make_unique<Lease>(database_.inside().lender(Role::primary));
    const Bounds bounds = bounds_of(attempt);
    auto taken = lease->take(
        Freshness::fresh, {.role = Role::primary, .remedies = attempt.remedies, .bounds = bounds});
    if (!taken) return fail(database_.inside().seen(std::move(taken.error())));
    auto verdict = ask(lease->session(), attempt, bounds);
    lease->clean(look_again_after);
    if (!verdict) return fail(database_.inside().seen(std::move(verdict.error())));
    return verdict;
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

// The row itself is the proof; a zombie that holds it is ended only when it does not end by itself.
Result<Landed<void>> Unit::probe(Session& session, const Attempt& attempt, const Bounds& bounds) {
    const Database::Inside& inside = database_.inside();
    const Duration wait = std::max(std::min(patience, attempt.time_left() / 3),
                                   inside.driver->traits().shortest_lock_wait);
    auto found = session.probe(*token_, inside.options.tokens.table, wait, bounds);
    if (!found || found->verdict() != Verdict::pending) return found;
    (void)session.end_old(doubt_, bounds);
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
    Transaction look{session, attempt, database_.options().most_bytes};
    auto there = options_.landed(look);
    if (!there) return there.take_failure();
    if (*there) return Landed<void>::yes();
    if (*remains == Remains::gone) return Landed<void>::no();
    return Landed<void>::pending(look_again_after);
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
