// SPDX-License-Identifier: Apache-2.0
//
// How do I use a database from coroutines? The same calls, awaited; no thread of yours waits.
//
//     auto call = sql::start_transact(bank, {.name = "transfer"},
//         [=](sql::AsyncTransaction& tx) -> Task<Result<Receipt>> {
//             auto taking = tx.execute("update account set cents = cents - ? where id = ?", cents, from);
//             if (auto taken = co_await taking; !taken) co_return taken.take_failure();
//             …
//         });
//     const auto receipt = co_await call;         // two statements: see call/task.hpp
//
// A body that overruns its attempt is no longer waited for, and can no longer commit. It then keeps
// its own copies alive: capture by value.
#pragma once

#include "perdure/cxx20.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "perdure/call/start.hpp"
#include "perdure/sql/statement_copy.hpp"
#include "perdure/sql/transact.hpp"
#include "perdure/sql/workers.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

// One attempt of a transaction, on the executor's thread. Made by start_transact.
class AsyncTransaction {
public:
    AsyncTransaction(Workers& workers, Executor& executor, Unit& unit) noexcept
        : workers_{workers}, executor_{executor}, unit_{unit} {}
    AsyncTransaction(const AsyncTransaction&) = delete;
    AsyncTransaction& operator=(const AsyncTransaction&) = delete;

    // The values are copied before this returns.
    template <class... P>
    Task<Result<Done>> execute(std::string_view text, const P&... values) {
        return execute_with(StatementCopy{text, values...});
    }
    template <class... P>
    Task<Result<Rows>> query(std::string_view text, const P&... values) {
        return query_with(StatementCopy{text, values...});
    }
    Task<Result<Done>> execute_with(StatementCopy statement);
    Task<Result<Rows>> query_with(StatementCopy statement);

    [[nodiscard]] const Attempt& attempt() noexcept {
        lent_ = true;
        return unit_.transaction().attempt();
    }
    // Whether this attempt may have done something that is not undone with its transaction: a call on
    // another dependency, a statement that commits by itself.
    [[nodiscard]] bool lent() const noexcept { return lent_; }

private:
    void note(StatementCopy& statement) noexcept;

    Workers& workers_;
    Executor& executor_;
    Unit& unit_;
    bool lent_ = false;
};

// One statement or query by itself; see Database.
Pending<Result<Done>> start_execute(Database& database, const StatementOptions& options,
                                    StatementCopy statement);
Pending<Result<Rows>> start_query(Database& database, const StatementOptions& options,
                                  StatementCopy statement);

namespace detail {

// Where to wait: those who hold a session never queue behind those who wait for one.
enum class Holding : std::uint8_t { nothing, session, doubt };
Workers& workers_of(Database::Inside& inside, Holding holding);
Executor& executor_of(Database::Inside& inside);

// Whether an attempt may still send its COMMIT. Whoever is no longer waited for must not: its
// successor may be under way.
enum class Going : std::uint8_t { on, committing, revoked };

template <class T>
struct AsyncAttempt {
    AsyncAttempt(Database::Inside& inside, const TransactOptions& options)
        : unit{inside, options} {}
    Unit unit;
    std::optional<AsyncTransaction> transaction{};  // once it has begun
    Kept<T> kept{};
    // On the executor's thread.
    bool ended = false;
    bool asked_about = false;  // then the value is the resolver's to give
    bool committed = false;
    bool in_doubt = false;  // the body itself said that nobody knows
    std::atomic<Going> going{Going::on};

    void follow(AsyncAttempt& earlier) {
        unit.follow(earlier.unit);
        kept = std::move(earlier.kept);
    }
    [[nodiscard]] bool may_commit() noexcept {
        Going expected = Going::on;
        return going.compare_exchange_strong(expected, Going::committing);
    }
    [[nodiscard]] bool revoke() noexcept {
        Going expected = Going::on;
        return going.compare_exchange_strong(expected, Going::revoked) ||
               expected == Going::revoked;
    }
};

// What the attempts of one call share. On the executor's thread, but for what the unit does.
template <class T, class Body>
struct AsyncUnit {
    AsyncUnit(Database& where, const TransactOptions& how, Body what)
        : inside{where.hold()},
          options{how},
          name{how.name},
          body{std::move(what)},
          first{where, options} {
        options.name = name;
        if (first.leaves_token() && !options.token) options.token = Token::make();
    }
    std::shared_ptr<Database::Inside> inside;
    TransactOptions options;
    std::string name;
    Body body;
    Unit first;  // makes the operation; attempts have units of their own
    std::shared_ptr<AsyncAttempt<T>> latest{};
};

Failure overrun();

template <class T, class Body>
Task<Result<T>> attempt_async(std::shared_ptr<AsyncUnit<T, Body>> whole, const Attempt& attempt) {
    auto mine = std::make_shared<AsyncAttempt<T>>(*whole->inside, whole->options);
    if (whole->latest && whole->latest->ended) mine->follow(*whole->latest);
    whole->latest = mine;
    struct End {
        ~End() { attempt.ended = true; }
        AsyncAttempt<T>& attempt;
    } const at_the_end{*mine};
    Workers& workers = workers_of(*whole->inside, Holding::session);
    Executor& executor = executor_of(*whole->inside);
    Unit& unit = mine->unit;

    Offload beginning{workers_of(*whole->inside, Holding::nothing), executor,
                      [&] { return unit.begin(attempt); }};
    auto begun = co_await beginning;
    if (!begun) co_return begun.take_failure();
    if (*begun == Beginnings::token_taken) co_return mine->kept.taken(unit);

    AsyncTransaction& transaction = mine->transaction.emplace(workers, executor, unit);
    auto running = whole->body(transaction);
    Result<T> result = co_await running;
    mine->in_doubt = !result && result.error().effect != Effect::none;
    const bool may = !result || mine->may_commit();
    if (!result || !may) {
        Failure failure = result ? overrun() : std::move(result.error());
        Offload leaving{workers, executor, [&] { return unit.abandon(std::move(failure)); }};
        Failure left = co_await leaving;
        if (unit.found_token()) co_return mine->kept.taken(unit);
        co_return fail(std::move(left));
    }
    mine->kept.keep(std::move(result));
    Offload committing{workers, executor, [&] { return unit.commit(); }};
    auto committed = co_await committing;
    if (!committed && unit.found_token()) co_return mine->kept.taken(unit);
    if (!committed) co_return committed.take_failure();
    mine->committed = true;
    if (mine->asked_about) co_return fail(overrun());  // nobody waits for this any more
    co_return mine->kept.give();
}

template <class T, class Body>
Task<Result<Landed<T>>> resolve_async(std::shared_ptr<AsyncUnit<T, Body>> whole,
                                      const Attempt& attempt) {
    auto asked = whole->latest;
    if (!asked) co_return Landed<T>::unknown();
    // One that was cut off before its COMMIT will never send it; but what else it has done, through
    // calls on other dependencies, nobody here knows.
    if (asked->revoke()) {
        const bool lent = asked->transaction && asked->transaction->lent();
        const bool alone = !asked->ended && !asked->in_doubt && !lent;
        co_return alone ? Landed<T>::no() : Landed<T>::unknown();
    }
    asked->asked_about = true;
    // Its COMMIT is still under way here, and ends by its bounds: then we know more.
    if (!asked->ended) co_return Landed<T>::pending(20ms);
    if (asked->committed) co_return asked->kept.landed(Landed<void>::yes(), asked->unit);
    Offload asking{workers_of(*whole->inside, Holding::doubt), executor_of(*whole->inside),
                   [&] { return asked->unit.resolve(attempt); }};
    auto verdict = co_await asking;
    if (!verdict) co_return verdict.take_failure();
    co_return asked->kept.landed(*verdict, asked->unit);
}

template <class Body>
auto start_carrying_out(Database& database, const TransactOptions& options, Body body) {
    using R = typename std::invoke_result_t<Body&, AsyncTransaction&>::value_type;
    using T = typename R::value_type;
    using Whole = AsyncUnit<T, Body>;
    auto whole = std::make_shared<Whole>(database, options, std::move(body));
    const auto work = [whole](const Attempt& attempt) -> Task<R> {
        return attempt_async<T, Body>(whole, attempt);
    };
    const auto resolve = [whole](const Attempt& attempt) -> Task<Result<Landed<T>>> {
        return resolve_async<T, Body>(whole, attempt);
    };
    if (!whole->first.can_resolve())
        return options.attempt
                   ? start(database.caller(), *options.attempt, whole->first.operation(), work)
                   : start(database.caller(), whole->first.operation(), work);
    return options.attempt
               ? start(database.caller(), *options.attempt, whole->first.operation(), work, resolve)
               : start(database.caller(), whole->first.operation(), work, resolve);
}

template <class Body>
concept starts_transactions = requires(Body& body, AsyncTransaction& tx) {
    requires perdure::detail::is_result<typename decltype(body(tx))::value_type>;
};

}  // namespace detail

// Task<Result<T>>(AsyncTransaction&). Everything the options refer to must outlive the call.
template <class Body>
auto start_transact(Database& database, const TransactOptions& options, Body body) {
    static_assert(detail::starts_transactions<Body>,
                  "start_transact() takes a coroutine: the body must be callable with "
                  "(sql::AsyncTransaction&) and return perdure::Task<perdure::Result<T>>; a body "
                  "that blocks goes to perdure::sql::transact()");
    if constexpr (detail::starts_transactions<Body>)
        return detail::start_carrying_out(database, options, std::move(body));
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
