// SPDX-License-Identifier: Apache-2.0
//
// How long does a rule wait, in words? From the plan itself.
#pragma once

#include <string>

#include "perdure/call/plan.hpp"

namespace tool {

using namespace perdure;

// "10 attempts, 5 ms · 2^n up to 500 ms, times 0 to 1 at random"
std::string waits_of(const Rule& rule);

// A section of a page: a row for each rule of the plan.
std::string rules_table(const Plan& plan);

}  // namespace tool
