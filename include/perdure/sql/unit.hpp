// SPDX-License-Identifier: Apache-2.0
//
// How is one transaction carried through its attempts, and how is its fate found out? What transact()
// and its coroutine form have in common; include transact.hpp.
//
//     begin → the body → commit, or abandon; resolve after a COMMIT without an answer
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "perdure/call/callback.hpp"
#include "perdure/sql/database.hpp"
#include "perdure/sql/transaction.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

struct TransactOptions {
    std::string_view name = "transact";
    Isolation isolation = Isolation::server_default;
    Access access = Access::read_write;
    Duration deadline{};  // zero: the plan's
    std::stop_token stop{};
    const Attempt* attempt = nullptr;  // inside a call of another dependency: one attempt here
    // Your own token makes the transaction run once however often it is called, from any process:
    // a call that finds it taken, or learns after a lost COMMIT that another call's transaction was
    // the one committed, has effect `applied`, or is a success where there is no value.
    std::optional<Token> token{};
    // Did it land? Asked in a fresh session of the primary when COMMIT had no answer and there is
    // neither token nor server's word. `no` is believed only when the old session is surely gone.
    Callback<Result<bool>(Transaction&)> landed{};
    Role role = Role::primary;   // `any` is for read-only transactions
    ShouldRepeat also_repeat{};  // beside the database's; sees the body's own failures too
    Diagnostics* diagnostics = nullptr;
};

class Lease;  // src/sql

// One logical transaction; used by one thread at a time.
class Unit {
public:
    Unit(Database& database, const TransactOptions& options) : Unit{database.inside(), options} {}
    Unit(Database::Inside& inside, const TransactOptions& options);
    Unit(const Unit&) = delete;
    Unit& operator=(const Unit&) = delete;
    ~Unit();

    // Refers to this unit.
    [[nodiscard]] Operation operation() const;
    // Whether its transactions insert a token.
    [[nodiscard]] bool leaves_token() const noexcept;
    // Whether there is anybody to ask about a lost COMMIT. If not, no time is kept free for asking.
    [[nodiscard]] bool can_resolve() const noexcept;
    // The next attempt does not end what the last one may have left on the server.
    void leave_old() noexcept { lost_ = false; }
    // For a unit of one attempt: what an earlier one, which has ended, left on the server.
    void follow(const Unit& earlier) {
        committed_id_ = earlier.committed_id_;
        doubt_ = earlier.doubt_;
        lost_ = earlier.lost_;
    }

    // A session, BEGIN, the limits and the token. Ends what an earlier attempt left behind.
    [[nodiscard]] Result<Beginnings> begin(const Attempt& attempt);
    [[nodiscard]] Transaction& transaction() noexcept { return *transaction_; }
    [[nodiscard]] Result<void> commit();
    // Rolls back. What the attempt's failure is when the body gave this one.
    [[nodiscard]] Failure abandon(Failure failure);
    // `yes` if the transaction was committed, by this unit or, with a shared token, by another.
    [[nodiscard]] Result<Landed<void>> resolve(const Attempt& whole);

    // The token was found in the table. Whether by the COMMIT that was sent last: then the value of
    // that attempt is what was committed.
    [[nodiscard]] bool found_token() const noexcept { return found_.has_value(); }
    [[nodiscard]] bool found_own_commit() const noexcept {
        if (!found_) return false;
        // A role that may not read the row: nobody else has a token that was made here, and nobody
        // else's COMMIT can have left it if only one was sent.
        if (!found_->attempt_id) return !options_.token && commits_ == 1;
        return found_->attempt_id == committed_id_;
    }
    // What a caller is told whose own value was not committed.
    [[nodiscard]] Failure token_taken() const;

private:
    [[nodiscard]] Beginning beginning(const Attempt& attempt);
    [[nodiscard]] Result<void> take_fresh(const Connecting& how);
    [[nodiscard]] Attempt question(const Attempt& attempt) const;
    [[nodiscard]] Failure unanswered(Failure failure);
    [[nodiscard]] Result<Landed<void>> ask(Session& session, const Attempt& attempt,
                                           const Bounds& bounds);
    [[nodiscard]] Result<Landed<void>> probe(Session& session, const Attempt& attempt,
                                             const Bounds& bounds);
    [[nodiscard]] Result<Landed<void>> ask_caller(Session& session, const Attempt& attempt,
                                                  const Bounds& bounds);
    [[nodiscard]] Result<Beginnings> begin_in(Session& session, const Attempt& attempt);

    Database::Inside& inside_;
    const TransactOptions& options_;
    std::optional<Token> token_;
    std::optional<Token> attempt_id_{};    // of the latest attempt; each has its own
    std::optional<Token> committed_id_{};  // of the latest attempt that came to its COMMIT
    int commits_ = 0;                      // attempts that came to it
    std::optional<TokenRow> found_{};      // the token was found in the table
    std::unique_ptr<Lease> lease_;
    std::optional<Transaction> transaction_;
    Doubt doubt_;
    std::optional<TimePoint> asked_{};  // when the fate of this doubt was first asked for
    TimePoint statement_until_ =
        TimePoint::max();      // no statement is cut off by our own limit before
    bool committing_ = false;  // COMMIT was sent; without that there is nothing to find out
    bool cut_ = false;         // a procedure may have committed a part of it
    bool lost_ = false;        // the session of the last attempt broke and may linger on the server
    struct Also {
        const Unit& unit;
        bool operator()(const Failure& failure) const;
    } also_{*this};
};

namespace detail {

// The body's value, until it is known whether its COMMIT landed. Belongs to the attempt that came to
// its COMMIT last, and is given out only for that one.
template <class T>
class Kept {
public:
    void keep(Result<T>&& result) { value_.emplace(*std::move(result)); }
    Result<T> give() { return *std::move(value_); }
    // The unit found its token taken.
    Result<T> taken(const Unit& unit) {
        if (value_ && unit.found_own_commit()) return give();
        return fail(unit.token_taken());
    }
    Result<Landed<T>> landed(const Landed<void>& verdict, const Unit& unit) {
        switch (verdict.verdict()) {
            case Verdict::yes:
                if (unit.found_token() && !unit.found_own_commit()) return fail(unit.token_taken());
                if (!value_) return Landed<T>::unknown();
                return Landed<T>::yes(*std::move(value_));
            case Verdict::no: return Landed<T>::no();
            case Verdict::pending: return Landed<T>::pending(verdict.ask_again_after());
            case Verdict::unknown: break;
        }
        return Landed<T>::unknown();
    }

private:
    std::optional<T> value_;
};

// Without a value, to find the work done is as good as to have done it.
template <>
class Kept<void> {
public:
    void keep(Result<void>&&) noexcept {}
    Result<void> give() { return {}; }
    Result<void> taken(const Unit&) { return {}; }
    Result<Landed<void>> landed(const Landed<void>& verdict, const Unit&) { return verdict; }
};

}  // namespace detail

}  // namespace sql
}  // namespace v0
}  // namespace perdure
