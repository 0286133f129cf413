// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/transaction.hpp"

#include "inside.hpp"
#include "keywords.hpp"
#include "perdure/try.hpp"
#include "row_calls.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {

// SQLite has no procedures, and PostgreSQL lets none commit inside a transaction.
bool lets_procedures_commit(Product product) noexcept {
    return product != Product::sqlite && product != Product::postgres;
}

Failure committed_midway() {
    return {.cause = Cause::invalid,
            .effect = Effect::unknown,
            .code = "implicit-commit",
            .message =
                "the procedure ended the transaction it was called in; a part of the work may "
                "have been committed. Call such procedures outside sql::transact()"};
}

}  // namespace

Transaction::Transaction(Session& session, const Attempt& attempt, std::size_t most_bytes,
                         Product product)
    : session_{session},
      attempt_{attempt},
      bounds_{bounds_of(attempt)},
      most_bytes_{most_bytes},
      product_{product} {}

// A savepoint does not survive the end of its transaction: that is how one is noticed.
Result<Done> Transaction::run_procedure(const Statement& statement, RowSink& rows) {
    NoRows none;
    if (product_ == Product::mariadb)
        PERDURE_TRY(session_.run({.text = "SAVEPOINT perdure_call"}, none, bounds_));
    auto done = session_.run(statement, rows, bounds_);
    if (!done) {
        may_be_cut_ = true;
        return done;
    }
    if (product_ != Product::mariadb) return done;
    auto released = session_.run({.text = "RELEASE SAVEPOINT perdure_call"}, none, bounds_);
    if (released) return done;
    may_be_cut_ = true;
    // "SAVEPOINT does not exist": a COMMIT has ended it. Any other failure is about this statement.
    if (released.error().code == "1305") return fail(committed_midway());
    return released;
}

void Transaction::fail_as(const Failure& failure) {
    if (!failure_) failure_ = failure;
}

// Whatever fails fails the whole: a body that goes on after an error gets the same result on every
// database, and that is not half a transaction.
Result<Done> Transaction::run(const Statement& statement, RowSink& rows) {
    if (failure_) return fail(*failure_);
    auto done = run_checked(statement, rows);
    if (!done) fail_as(done.error());
    return done;
}

Result<Done> Transaction::run_checked(const Statement& statement, RowSink& rows) {
    if (auto fine = check(statement.text, statement.parameters); !fine) return fine.take_failure();
    const Nature nature = nature_of(statement.text);
    if (nature.controls_transactions) return fail(refused_in_transact(statement.text));
    if (nature.changes_session) session_.spoil();
    if (nature.may_commit_midway && lets_procedures_commit(product_))
        return run_procedure(statement, rows);
    return session_.run(statement, rows, bounds_);
}

void Transaction::end() {
    fail_as({.cause = Cause::invalid,
             .origin = Origin::application,
             .code = "no-transaction",
             .message = "it was committed or rolled back before"});
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
