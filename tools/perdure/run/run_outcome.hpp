// SPDX-License-Identifier: Apache-2.0
//
// What does a command's end mean? The classifier of `perdure run`: an exit status has no more to
// say than a number, so the flags say what the numbers mean.
//
//     const Result<void> outcome = classify(end, {.retry_on = {75}}, command);
#pragma once

#include <set>
#include <string>

#include "perdure/result_void.hpp"
#include "run/process_group.hpp"

namespace tool {

// Numbers as perdure would exit with them: 124 for a timeout, 128 + n for a signal.
struct Meaning {
    std::set<int> retry_on;  // empty: every failure
    std::set<int> stop_on;
    std::set<int> unchanged_on;  // the command's word that it has changed nothing: exits only
};

Result<void> classify(const End& end, const Meaning& meaning, const std::string& command);

// What to exit with when this is how it all ended.
int exit_status_of(const Result<void>& result, int ended_by);

}  // namespace tool
