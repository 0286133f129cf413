// SPDX-License-Identifier: Apache-2.0
//
// How long and how often does a load into Cosmos DB try?
#pragma once

#include "perdure/call/plan.hpp"

namespace tool::load {

// One request is tried for as long as the patience, everything included.
[[nodiscard]] perdure::Plan cosmos_plan(perdure::Duration patience);
// Of what goes round the requests of a batch: they are repeated by themselves, and not once more here.
[[nodiscard]] perdure::Plan cosmos_crew_plan();

}  // namespace tool::load
