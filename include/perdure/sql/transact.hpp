// SPDX-License-Identifier: Apache-2.0
//
// How do several statements happen together, exactly once, whatever fails? As one transaction that is
// repeated as a whole, and whose COMMIT is never guessed about.
//
//     const auto receipt = sql::transact(bank, {.name = "transfer"},
//         [&](sql::Transaction& tx) -> Result<Receipt> {
//             PERDURE_TRY(tx.execute("update account set cents = cents - ? where id = ?", cents, from));
//             PERDURE_TRY(tx.execute("update account set cents = cents + ? where id = ?", cents, to));
//             return Receipt{id};
//         });
//
// The body may run several times: it starts from nothing each time, and its result leaves it only by
// its return value. When the answer to COMMIT is lost, the database is asked what became of it
// (docs/guide/sql.md); if that cannot be found out before the deadline, the failure's effect is
// `unknown`, and nothing has been run again.
#pragma once

#include "perdure/cxx20.hpp"

#include <optional>
#include <type_traits>
#include <utility>

#include "perdure/sql/database.hpp"
#include "perdure/sql/transaction.hpp"
#include "perdure/sql/unit.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace detail {

template <class Body>
auto carry_out(Database& database, const TransactOptions& options, Body& body) {
    using R = std::remove_cvref_t<std::invoke_result_t<Body&, Transaction&>>;
    using T = typename R::value_type;
    Unit unit{database, options};
    Kept<T> kept;

    const auto work = [&](const Attempt& attempt) -> R {
        auto begun = unit.begin(attempt);
        if (!begun) return begun.take_failure();
        if (*begun == Beginnings::token_taken) return kept.taken(unit);
        R result = body(unit.transaction());
        if (!result) {
            Failure failure = unit.abandon(std::move(result.error()));
            if (unit.found_token()) return kept.taken(unit);
            return fail(std::move(failure));
        }
        kept.keep(std::move(result));
        auto committed = unit.commit();
        if (committed) return kept.give();
        if (unit.found_token()) return kept.taken(unit);
        return committed.take_failure();
    };
    const auto resolve = [&](const Attempt& attempt) -> Result<Landed<T>> {
        auto verdict = unit.resolve(attempt);
        if (!verdict) return verdict.take_failure();
        return kept.landed(*verdict, unit);
    };
    const Operation operation = unit.operation();
    Caller& caller = database.caller();
    if (!unit.can_resolve())
        return options.attempt ? caller.run(*options.attempt, operation, work)
                               : caller.run(operation, work);
    return options.attempt ? caller.run(*options.attempt, operation, work, resolve)
                           : caller.run(operation, work, resolve);
}

}  // namespace detail

// Result<T>(Transaction&), run in the caller's thread.
template <class Body>
auto transact(Database& database, const TransactOptions& options, Body&& body) {
    if constexpr (detail::is_body<Body>()) return detail::carry_out(database, options, body);
    else return Result<void>{};
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
