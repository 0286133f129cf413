// SPDX-License-Identifier: Apache-2.0
//
// What would Entity Framework Core do? Its ExecuteInTransaction, step by step, for those who compare
// or move over: after a COMMIT without an answer it asks your `verify`, and without one it simply runs
// the transaction again.
//
//     sql::Database bank{driver, {.plan = sql::ef_core(sql::Product::postgres)}};
//     sql::transact_like_ef_core(bank, {.name = "transfer"}, body, verify);
//
// That default may apply a transaction twice (docs/guide/sql.md shows it happen). Use transact().
#pragma once

#include <optional>
#include <utility>

#include "perdure/call/callback.hpp"
#include "perdure/sql/transact.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace detail {

// Between the attempts of one call.
template <class T>
struct EfCoreState {
    Kept<T> kept;                             // the result of the operation whose COMMIT failed
    std::optional<Failure> commit_failure{};  // to be verified
};

// Verified as done: the value. Else the failure that counts as one more: that of `verify`, which will
// be asked again, or that of the COMMIT, after which the operation runs again.
template <class T>
Result<T> verify_like_ef_core(EfCoreState<T>& state, const Callback<Result<bool>()>& verify) {
    if (verify) {
        auto done = verify();
        if (!done) return done.take_failure();
        if (*done) return state.kept.give();
    }
    Failure failure = *std::move(state.commit_failure);
    state.commit_failure.reset();
    return fail(std::move(failure));
}

}  // namespace detail

// One thread. The database's plan is expected to be ef_core(product), its tokens off.
template <class Body>
auto transact_like_ef_core(Database& database, const TransactOptions& options, Body&& body,
                           const Callback<Result<bool>()>& verify = {})
    -> std::remove_cvref_t<std::invoke_result_t<Body&, Transaction&>> {
    using R = std::remove_cvref_t<std::invoke_result_t<Body&, Transaction&>>;
    using T = typename R::value_type;
    Unit unit{database, options};
    detail::EfCoreState<T> state;
    const auto work = [&](const Attempt& attempt) -> R {
        // The verification before had failed in its turn.
        if (state.commit_failure) return detail::verify_like_ef_core(state, verify);
        unit.leave_old();  // as there, where nobody fences
        auto begun = unit.begin(attempt);
        if (!begun) return begun.take_failure();
        R result = body(unit.transaction());
        if (!result) return fail(unit.abandon(std::move(result.error())));
        state.kept.keep(std::move(result));
        auto committed = unit.commit();
        if (committed) return state.kept.give();
        // As there, only a failure that would be repeated is verified.
        if (!is_repeatable(committed.error().cause) || committed.error().retry_after == never)
            return committed.take_failure();
        state.commit_failure = committed.error();
        return detail::verify_like_ef_core(state, verify);
    };
    // Repeating is taken to be harmless: that is the default this form exists to show.
    Operation operation = unit.operation();
    operation.safety = Safety::idempotent;
    return database.caller().run(operation, work);
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
