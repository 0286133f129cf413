// SPDX-License-Identifier: Apache-2.0
//
// What does the body of a transaction work with? Statements in one session, all or nothing.
//
//     PERDURE_TRY(tx.execute("update account set cents = cents - ? where id = ?", cents, from));
//     PERDURE_TRY_VALUE(const auto rows, tx.query("select cents from account where id = ?", from));
//     PERDURE_TRY(mail.run(tx.attempt(), {.name = "notify"}, send));   // one attempt there, too
//
// After an error every further statement gives that same error, and nothing is committed even if the
// body ignores it: on every database the same, also where the server would have gone on.
#pragma once

#include <array>
#include <optional>
#include <type_traits>
#include <utility>

#include "perdure/call/attempt.hpp"
#include "perdure/call/function_ref.hpp"
#include "perdure/sql/error_table.hpp"
#include "perdure/sql/rows.hpp"
#include "perdure/sql/session.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

class Transaction;

namespace detail {

// True if the body of a transaction can be run. The rest does not compile, and says why.
template <class Body>
constexpr bool is_body() {
    constexpr bool callable = std::is_invocable_v<Body&, Transaction&>;
    static_assert(callable, "the body of a transaction must be callable with (sql::Transaction&); "
                            "a lambda whose returns differ in type needs -> Result<T>");
    if constexpr (callable) {
        using Given = std::remove_cvref_t<std::invoke_result_t<Body&, Transaction&>>;
        constexpr bool good = perdure::detail::is_result<Given>;
        constexpr bool failed = std::is_same_v<Given, Fail>;
        constexpr bool task = requires { typename Given::promise_type; };
        static_assert(!failed, "a lambda that returns fail(...) needs -> Result<T>");
        static_assert(!task, "transact() does not take a coroutine: use perdure::sql::"
                             "start_transact(database, options, body)");
        static_assert(good || failed || task,
                      "the body of a transaction must return perdure::Result<T>; "
                      "Result<void> where it has no value");
        return good;
    } else {
        return false;
    }
}

}  // namespace detail

// One attempt's; a new one is made for the next. Used by the thread that runs the body.
class Transaction {
public:
    Transaction(Session& session, const Attempt& attempt, std::size_t most_bytes, Product product);
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    template <class... P>
    Result<Done> execute(std::string_view text, const P&... values) {
        const std::array<Parameter, sizeof...(P)> parameters{Parameter{values}...};
        return execute_with({text, parameters});
    }
    template <class... P>
    Result<Rows> query(std::string_view text, const P&... values) {
        const std::array<Parameter, sizeof...(P)> parameters{Parameter{values}...};
        return query_with({text, parameters});
    }
    template <class... P>
    Result<Done> stream(FunctionRef<Result<void>(const Row&)> on_row, std::string_view text,
                        const P&... values) {
        const std::array<Parameter, sizeof...(P)> parameters{Parameter{values}...};
        return stream_with(on_row, {text, parameters});
    }
    Result<Done> execute_with(const Statement& statement);
    Result<Rows> query_with(const Statement& statement);
    Result<Done> stream_with(FunctionRef<Result<void>(const Row&)> on_row,
                             const Statement& statement);

    // Joins this transaction: for code that brings its own transaction when it has none. If the body
    // fails, so does the whole.
    template <class Body>
    auto transact(Body&& body) {
        if constexpr (detail::is_body<Body>()) {
            auto result = body(*this);
            if (!result) fail_as(result.error());
            return result;
        } else {
            return Result<void>{};
        }
    }

    // What to pass to calls on other dependencies: they then make one attempt, and their failure is
    // this transaction's. Not passing it keeps their own retries.
    [[nodiscard]] const Attempt& attempt() const noexcept { return attempt_; }
    // The failure that ended it, if one did.
    [[nodiscard]] const std::optional<Failure>& failure() const noexcept { return failure_; }

    // From now on every statement fails; the session is touched no more.
    void end();
    // Whether a procedure was called that may have committed in the middle and then failed.
    [[nodiscard]] bool may_be_cut() const noexcept { return may_be_cut_; }

private:
    Result<Done> run(const Statement& statement, RowSink& rows);
    Result<Done> run_checked(const Statement& statement, RowSink& rows);
    Result<Done> run_procedure(const Statement& statement, RowSink& rows);
    void fail_as(const Failure& failure);

    Session& session_;
    const Attempt attempt_;
    const Bounds bounds_;
    const std::size_t most_bytes_;
    const Product product_;
    bool may_be_cut_ = false;
    std::optional<Failure> failure_;
};

}  // namespace sql
}  // namespace v0
}  // namespace perdure
