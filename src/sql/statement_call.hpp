// SPDX-License-Identifier: Apache-2.0
//
// How is one statement by itself carried through its attempts? What the blocking calls of a database
// and their asynchronous forms have in common.
#pragma once

#include <optional>

#include "inside.hpp"
#include "keywords.hpp"
#include "perdure/call/function_ref.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

using OnRow = FunctionRef<Result<void>(const Row&)>;

// One logical call: R is Result<Done> or Result<Rows>. Used by one thread at a time. What it is made
// from outlives it.
template <class R>
class StatementCall {
public:
    // With a function for the rows it is a stream.
    StatementCall(Database::Inside& inside, const StatementOptions& options,
                  const Statement& statement, OnRow on_row = {}) noexcept
        : inside_{inside}, options_{options}, statement_{statement}, on_row_{on_row} {}
    StatementCall(const StatementCall&) = delete;
    StatementCall& operator=(const StatementCall&) = delete;

    // What is wrong with it before anybody is asked.
    [[nodiscard]] std::optional<Failure> refused() const;
    // Refers to this call.
    [[nodiscard]] Operation operation() const;
    [[nodiscard]] R attempt(const Attempt& attempt);

    [[nodiscard]] const StatementOptions& options() const noexcept { return options_; }
    [[nodiscard]] Database::Inside& inside() noexcept { return inside_; }

private:
    [[nodiscard]] R run(Session& session, const Bounds& bounds);
    [[nodiscard]] Safety safety() const noexcept;
    void judge(Failure& failure) const;

    // A failure the user wants repeated; never after rows were handed out.
    struct Also {
        const StatementCall& call;
        bool operator()(const Failure& failure) const {
            return !call.handed_out_ &&
                   call.inside_.also_repeats(failure, call.options_.also_repeat);
        }
    };

    Database::Inside& inside_;
    const StatementOptions& options_;
    const Statement statement_;
    const Nature nature_ = nature_of(statement_.text);
    const OnRow on_row_;
    bool handed_out_ = false;
    Also also_{*this};
};

extern template class StatementCall<Result<Done>>;
extern template class StatementCall<Result<Rows>>;

}  // namespace sql
}  // namespace v0
}  // namespace perdure
