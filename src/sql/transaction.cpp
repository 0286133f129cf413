// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/transaction.hpp"

#include "inside.hpp"
#include "keywords.hpp"
#include "row_calls.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

Transaction::Transaction(Session& session, const Attempt& attempt, std::size_t most_bytes)
    : session_{session}, attempt_{attempt}, bounds_{bounds_of(attempt)}, most_bytes_{most_bytes} {}

void Transaction::fail_as(const Failure& failure) {
    if (!failure_) failure_ = failure;
}

Result<Done> Transaction::run(const Statement& statement, RowSink& rows) {
    if (failure_) return fail(*failure_);
    if (auto fine = check(statement.text, statement.parameters); !fine) return fine.take_failure();
    if (controls_transactions(statement.text)) return fail(refused_in_transact(statement.text));
    auto done = session_.run(statement, rows, bounds_);
    if (!done && session_.state() != State::open) fail_as(done.error());
    return done;
}

Result<Done> Transaction::execute_with(const Statement& statement) {
    NoRows rows;
    return run(statement, rows);
}

Result<Rows> Transaction::query_with(const Statement& statement) {
    RowBuffer rows{most_bytes_};
    auto done = run(statement, rows);
    if (!done) return done.take_failure();
    return rows.take();
}

Result<Done> Transaction::stream_with(FunctionRef<Result<void>(const Row&)> on_row,
                                      const Statement& statement) {
    RowCalls rows{on_row};
    return run(statement, rows);
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
