// SPDX-License-Identifier: Apache-2.0
//
// What does the caller want done, once? Its name, how safe it is to repeat, and what this one
// operation knows better than the table.
//
//     caller.run({.name = "load-profile", .safety = Safety::read}, load);
//
// Holds views and function references, no strings: what they refer to must outlive the call.
#pragma once

#include <stop_token>
#include <string_view>

#include "perdure/call/attempt.hpp"
#include "perdure/call/function_ref.hpp"
#include "perdure/result.hpp"
#include "perdure/safety.hpp"

namespace perdure {
inline namespace v0 {

class Breaker;
class Diagnostics;
class Limiter;
class Places;

// Failures the table calls final but this operation wants repeated: eventual consistency, a custom
// strategy. Delays follow the default rule.
struct AlsoRepeat {
    FunctionRef<bool(const Failure&)> when{};
    int attempts = 0;  // of these failures, the first included; 0: as the default rule
};

// What passing an Attempt into a call means. One retrying layer unless lifted on purpose.
enum class Nested : std::uint8_t { one_attempt, own_retries };

// Whether copies may be sent where the plan hedges. `none`: there is nowhere else to send one, or the
// service has asked for it.
enum class Copies : std::uint8_t { as_planned, none };

struct Operation {
    std::string_view name = "call";
    Safety safety = Safety::once;
    Nested nested = Nested::one_attempt;
    Copies copies = Copies::as_planned;
    Deadline deadline{};         // the tighter of this and the plan's counts
    Duration attempt_timeout{};  // the same for each attempt; zero: the plan's
    std::stop_token stop{};
    // The room's way to apply remedies before the next attempt; its failure counts as an attempt's.
    FunctionRef<Result<void>(RemedySet, const Attempt&)> prepare{};
    AlsoRepeat also_repeat{};
    // May change the request after a final failure and answer true for "try it so"; asked only
    // while the effect is none.
    FunctionRef<bool(const Failure&)> amend{};
    Breaker* breaker = nullptr;  // a handle from Caller::breaker(key); null: the plan's one breaker
    Limiter* limiter = nullptr;  // a handle from Caller::limiter(key); null: the plan's one limiter
    Places* places =
        nullptr;  // where its attempts can go; null: there is one place (policy/place.hpp)
    Diagnostics* diagnostics = nullptr;  // filled for successes too
};

}  // namespace v0
}  // namespace perdure
