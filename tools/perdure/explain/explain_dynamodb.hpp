// SPDX-License-Identifier: Apache-2.0
//
// What can go wrong with DynamoDB? The rows of perdure/dynamodb/classify.hpp, and how long the rules of
// perdure/dynamodb/plans.hpp wait.
#pragma once

#include "explain/explain.hpp"

namespace tool {

Service dynamodb_service();

}  // namespace tool
