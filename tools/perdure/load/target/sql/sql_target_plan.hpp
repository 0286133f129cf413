// SPDX-License-Identifier: Apache-2.0
//
// How patient is a load? A person or a script waits for it, nobody for one of its transactions: so it
// waits long, and is bounded by time and by how many are under way, not by a count of attempts.
#pragma once

#include "perdure/call/plan.hpp"
#include "perdure/sql/error_table.hpp"

namespace tool::load {

[[nodiscard]] perdure::Plan plan_of(perdure::sql::Product product, perdure::Duration patience);

}  // namespace tool::load
