// SPDX-License-Identifier: Apache-2.0
//
// Under whose plan does a batch run? The client's, with the rule "batch" as its default if it has one, and
// its retries are paid from the client's budget, into which each entry that is done at its first send
// pays as a call of its own would. What each request asks for itself (limiter, breaker, spreading) is left out, or it would be asked
// for twice.
#pragma once

#include <string_view>

#include "perdure/call/caller.hpp"
#include "perdure/dynamodb/client.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// The plan's rule for what an answer leaves, and for a request that is throttled while others are not.
inline constexpr std::string_view leftovers_rule_name = "leftovers";

// For the Caller of one batch; the client must outlive it.
[[nodiscard]] Plan batch_plan(Client& client);
// For coroutines: they turn on the thread on which their requests do.
[[nodiscard]] Environment reactor_environment(Client& client);

// The deadline is fixed here, for all that the batch does.
[[nodiscard]] Operation batch_operation(std::string_view name, Safety safety,
                                        const CallOptions& options, const Caller& caller);
// Why an entry of an answer was not done. It falls under the plan's rule "leftovers", or else under one
// that is that for `throttled` with waits from 50 ms on.
[[nodiscard]] Failure left_over(std::string_view code);
// For a request inside a send of the batch.
[[nodiscard]] CallOptions inside(const Attempt& attempt);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
