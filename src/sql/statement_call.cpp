// SPDX-License-Identifier: Apache-2.0
#include "statement_call.hpp"

#include <type_traits>
#include <utility>

#include "row_calls.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

template <class R>
std::optional<Failure> StatementCall<R>::refused() const {
    if (auto fine = check(statement_.text, statement_.parameters); !fine) return fine.error();
    if (nature_.controls_transactions) return refused_alone(statement_.text);
    return std::nullopt;
}

template <class R>
Safety StatementCall<R>::safety() const noexcept {
    const bool gives_rows = on_row_ || std::is_same_v<R, Result<Rows>>;
    return options_.safety.value_or(gives_rows ? Safety::read : Safety::once);
}

template <class R>
Operation StatementCall<R>::operation() const {
    const std::string_view kind = on_row_                           ? "stream"
                                  : std::is_same_v<R, Result<Rows>> ? "query"
                                                                    : "execute";
    Operation operation{.name = options_.name.empty() ? kind : options_.name,
                        .safety = safety(),
                        .stop = options_.stop,
                        .also_repeat = {.when = also_},
                        .diagnostics = options_.diagnostics};
    if (options_.deadline > Duration::zero())
        operation.deadline =
            Deadline::in(options_.deadline, inside_.caller.environment().clock.now());
    return operation;
}

template <class R>
R StatementCall<R>::attempt(const Attempt& attempt) {
    auto lease = inside_.lease(options_.role, attempt);
    if (!lease) return fail(inside_.seen(std::move(lease.error())));
    if (nature_.changes_session) (*lease)->session().spoil();
    Bounds bounds = bounds_of(attempt);
    // A stream takes as long as its reader: it has the time of the whole call.
    if (on_row_) bounds.deadline = attempt.call_deadline;
    R result = run((*lease)->session(), bounds);
    if (result) return result;
    judge(result.error());
    Failure failure = inside_.seen(std::move(result.error()));
    if (handed_out_) {
        failure.retry_after = never;
        failure.message += " (rows had been handed out, so it is not repeated)";
    }
    return fail(std::move(failure));
}

template <class R>
R StatementCall<R>::run(Session& session, const Bounds& bounds) {
    if constexpr (std::is_same_v<R, Result<Rows>>) {
        RowBuffer rows{inside_.options.most_bytes};
        auto done = session.run(statement_, rows, bounds);
        if (!done) return done.take_failure();
        return rows.take();
    } else if (on_row_) {
        RowCalls rows{on_row_};
        auto done = session.run(statement_, rows, bounds);
        handed_out_ = rows.handed_out();
        return done;
    } else {
        NoRows rows;
        return session.run(statement_, rows, bounds);
    }
}

// The effect is none only if the statement cannot have done a part of its work.
template <class R>
void StatementCall<R>::judge(Failure& failure) const {
    if (safety() == Safety::read) return;
    const bool refused_by_us =
        failure.origin == Origin::application && failure.cause == Cause::invalid;
    if (refused_by_us && !handed_out_) return;
    const Product product = inside_.driver->traits().product;
    const bool batches = product == Product::odbc || product == Product::sqlserver;
    // Rows that were given, or refused by us, belong to work that was done.
    if (handed_out_ || failure.code == "result-too-large" || nature_.may_commit_midway ||
        (batches && has_several(statement_.text)))
        failure.effect = join(failure.effect, Effect::unknown);
}

template class StatementCall<Result<Done>>;
template class StatementCall<Result<Rows>>;

}  // namespace sql
}  // namespace v0
}  // namespace perdure
