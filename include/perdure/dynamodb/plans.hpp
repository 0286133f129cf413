// SPDX-License-Identifier: Apache-2.0
//
// How does a DynamoDB client repeat? AWS's timing and prices of 2026 with Perdure's deadline and budget,
// or as one of AWS's own SDKs does it.
//
//     Plan orders = plan_for(Retries::perdure, "orders");
//     Client client{{.region = "eu-west-1", .plan = orders}};
//
// The classifier names rules, the plan has them: throttled, contended, transaction-in-progress,
// limit-exceeded, clock_skew, credentials. docs/reference/dynamodb-plans.md has them as a table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "perdure/call/plan.hpp"
#include "perdure/dynamodb/settings.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

enum class Retries : std::uint8_t {
    perdure,  // 4 attempts, 25 ms, throttled 1 s; contention is repeated; budget by own traffic
    // The SDKs' standard mode since November 2026, but for LimitExceededException: they repeat it whatever
    // the operation, here it is final for operations on items.
    aws_2026,
    aws_2020,  // their standard mode before
    legacy,  // the C++ SDK's old DynamoDB plan: 11 attempts, no jitter, no budget; to compare with
    fail_fast,  // one attempt
};

std::string_view to_string(Retries retries) noexcept;

// Pure; any thread. In the modes named after AWS contention, cancelled transactions and expired tokens
// are not repeated, as in the SDKs; what an error means (classify.hpp) is the same in all of them.
Plan plan_for(Retries retries = Retries::perdure, std::string name = "dynamodb");

// What AWS_RETRY_MODE and AWS_MAX_ATTEMPTS ask for: `legacy` is the legacy plan, `adaptive` adds the
// limiter, `standard` is what the plan is. Attempts are all of a call, the first included, whatever the
// failures; the one after fresh credentials may come on top.
Plan with_settings(Plan plan, std::optional<RetryMode> mode, std::optional<int> max_attempts);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
