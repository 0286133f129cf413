// SPDX-License-Identifier: Apache-2.0
//
// What can go wrong with Cosmos DB? The rows of perdure/cosmos/wire/classify.hpp, what happens without an
// answer, and how long the rules of perdure/cosmos/plans.hpp wait.
#pragma once

#include "explain/explain.hpp"

namespace tool {

Service cosmos_service();

}  // namespace tool
