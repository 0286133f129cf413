// SPDX-License-Identifier: Apache-2.0
//
// How do the peers bound retries that are not paid for by successes? By requests, as Finagle does,
// or by what is under way, as Envoy does.
#pragma once

#include <memory>

#include "perdure/policy/budget.hpp"

namespace perdure {
inline namespace v0 {

std::unique_ptr<Budget> make_requests_budget(const BudgetOptions& options);
std::unique_ptr<Budget> make_in_flight_budget(const BudgetOptions& options);

}  // namespace v0
}  // namespace perdure
