// SPDX-License-Identifier: Apache-2.0
//
// What should break, as people write it? In a TOML file, or in a flag of one word.
//
//     const PlanReading reading = read_plan(text);
//     for (const Problem& problem : reading.problems) …       // all of them, with line and column
//     const Result<chaos::Rule> rule = rule_from_flag("reset-after:5%");
//
// docs/reference/chaos.md describes both. Plain values, pure functions.
#pragma once

#include <string_view>

#include "perdure/chaos/plan.hpp"
#include "perdure/result.hpp"
#include "sim/scenario_file_tree.hpp"

namespace tool {

using namespace perdure;

struct PlanReading {
    chaos::Plan plan{};
    Problems problems{};  // empty: the plan is sound
};
PlanReading read_plan(std::string_view text);

// A fault's name, then in any order what it needs, with colons between: "delay:200ms:10%".
Result<chaos::Rule> rule_from_flag(std::string_view text);

}  // namespace tool
