// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/manual.hpp"

#include <cassert>

#include "inside.hpp"
#include "keywords.hpp"
#include "row_calls.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {

constexpr Duration manual_rollback_within = 1s;

Failure begun_by_hand(std::string_view name) {
    std::string message{"begin() on a database that retries ("};
    message.append(name).append(
        "): what it begins cannot be repeated as a whole. Run it as sql::transact(database, …), or "
        "say that nothing shall be repeated: sql::WithoutRetries plain{database}; plain.begin()");
    return {.cause = Cause::invalid,
            .origin = Origin::application,
            .code = "use-transact",
            .message = std::move(message)};
}

}  // namespace

struct ManualTransaction::Inside {
    Database::Inside& database;
    std::unique_ptr<Lease> lease;
    std::optional<Transaction> transaction{};

    void end() {
        if (transaction) transaction->end();
        if (lease) lease->clean(manual_rollback_within);
        lease.reset();
    }
};

ManualTransaction::ManualTransaction(std::unique_ptr<Inside> inside) noexcept
    : inside_{std::move(inside)} {}
ManualTransaction::ManualTransaction(ManualTransaction&&) noexcept = default;
ManualTransaction& ManualTransaction::operator=(ManualTransaction&& other) noexcept {
    if (inside_) inside_->end();
    inside_ = std::move(other.inside_);
    return *this;
}
ManualTransaction::~ManualTransaction() {
    if (inside_) inside_->end();
}

Transaction* ManualTransaction::operator->() noexcept {
    assert(inside_);  // it was not moved away
    return &*inside_->transaction;
}

Result<void> ManualTransaction::commit() {
    assert(inside_);
    Result<void> committed{};
    if (inside_->transaction->failure()) committed = fail(*inside_->transaction->failure());
    else committed = inside_->lease->session().commit(bounds_of(inside_->transaction->attempt()));
    inside_->end();
    if (!committed) return fail(inside_->database.seen(std::move(committed.error())));
    return {};
}

void ManualTransaction::roll_back() {
    if (inside_) inside_->end();
}

Result<ManualTransaction> WithoutRetries::begin(Isolation isolation) {
    Database::Inside& inside = database_.inside();
    Clock& clock = inside.caller.environment().clock;
    const Deadline deadline = Deadline::in(inside.caller.plan().deadline, clock.now());
    const Attempt attempt{.deadline = deadline, .call_deadline = deadline, .clock = &clock};
    auto lease = inside.lease(Role::primary, attempt);
    if (!lease) return fail(inside.seen(std::move(lease.error())));
    auto begun = (*lease)->session().begin({.isolation = isolation}, bounds_of(attempt));
    if (!begun) return fail(inside.seen(std::move(begun.error())));
    std::unique_ptr<ManualTransaction::Inside> made{
        new ManualTransaction::Inside{.database = inside, .lease = *std::move(lease)}};
    made->transaction.emplace(made->lease->session(), attempt, inside.options.most_bytes,
                              inside.driver->traits().product);
    return ManualTransaction{std::move(made)};
}

Result<Done> WithoutRetries::execute_with(const Statement& statement) {
    NoRows rows;
    return run(statement, rows);
}

Result<Rows> WithoutRetries::query_with(const Statement& statement) {
    RowBuffer rows{database_.options().most_bytes};
    auto done = run(statement, rows);
    if (!done) return done.take_failure();
    return rows.take();
}

Result<Done> WithoutRetries::run(const Statement& statement, RowSink& rows) {
    if (auto fine = check(statement.text, statement.parameters); !fine) return fine.take_failure();
    const Nature nature = nature_of(statement.text);
    if (nature.controls_transactions) return fail(refused_alone(statement.text));
    Database::Inside& inside = database_.inside();
    Clock& clock = inside.caller.environment().clock;
    const Bounds bounds{.deadline = Deadline::in(inside.caller.plan().deadline, clock.now())};
    auto lease = inside.lease(Role::primary, bounds);
    if (!lease) return fail(inside.seen(std::move(lease.error())));
    if (nature.changes_session) (*lease)->session().spoil();
    auto done = (*lease)->session().run(statement, rows, bounds);
    if (!done) return fail(inside.seen(std::move(done.error())));
    return done;
}

Result<ManualTransaction> Database::begin(Isolation isolation) {
    if (inside_->retries()) return fail(begun_by_hand(inside_->driver->name()));
    return WithoutRetries{*this}.begin(isolation);
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
