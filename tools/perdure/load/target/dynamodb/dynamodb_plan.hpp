// SPDX-License-Identifier: Apache-2.0
//
// How long, and how often, is DynamoDB asked again while records are loaded?
#pragma once

#include "perdure/call/plan.hpp"
#include "perdure/dynamodb/wait.hpp"

namespace tool::load {

// As for SQL (sql_target_plan.cpp): everything that may pass is waited for, within the patience.
[[nodiscard]] perdure::Plan dynamodb_plan(perdure::Duration patience);

// How a table that is being made is waited for: local servers need no time at all, AWS seconds.
[[nodiscard]] inline perdure::dynamodb::WaitOptions while_it_is_made() {
    return {.every = std::chrono::milliseconds{50}};
}

}  // namespace tool::load
