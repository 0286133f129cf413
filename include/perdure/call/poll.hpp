// SPDX-License-Identifier: Apache-2.0
//
// How do I wait until something has become true elsewhere? Asking again is not a failure, so it
// costs no retry tokens; a failed question is one, and does.
//
//     const auto table = perdure::poll_until(tables, {.every = 2s}, [&]() -> Result<std::optional<Table>> {
//         const auto now = describe("orders");
//         if (!now) return fail(now.error());      // a failure
//         return now->active ? std::optional{*now} : std::nullopt;   // there, or not yet
//     });
//
// Ends with Stop::deadline and code "not-yet" when the plan's deadline comes first.
#pragma once

#include <optional>
#include <string_view>

#include "perdure/call/caller.hpp"

namespace perdure {
inline namespace v0 {

struct PollOptions {
    std::string_view name = "poll";
    Duration every = 1s;     // the first pause
    double factor = 1;       // 2: pauses double
    Duration longest = 30s;  // pause
    std::stop_token stop{};
};

// The caller's plan with the rule that serves "not yet"; what poll_until runs under.
Plan polling_plan(const Plan& plan, const PollOptions& options);

template <class Ask>
auto poll_until(Caller& caller, const PollOptions& options, Ask&& ask)
    -> Result<typename detail::work_result<Ask>::value_type::value_type> {
    using T = typename detail::work_result<Ask>::value_type::value_type;
    Plan plan = polling_plan(caller.plan(), options);
    plan.shared_budget = {std::shared_ptr<void>{}, &caller.budget()};  // pays from the caller's own
    Caller polling{std::move(plan), caller.environment()};
    return polling.run(
        {.name = options.name, .safety = Safety::read, .stop = options.stop},
        [&](const Attempt& attempt) -> Result<T> {
            auto seen = detail::invoke_work(ask, attempt);
            if (!seen) return seen.take_failure();
            if (!*seen)
                return fail({.cause = Cause::contended, .rule = "not-yet", .code = "not-yet"});
            return **std::move(seen);
        });
}

}  // namespace v0
}  // namespace perdure
