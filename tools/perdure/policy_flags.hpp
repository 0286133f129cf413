// SPDX-License-Identifier: Apache-2.0
//
// Which flags do all commands share that make calls? Attempts, waits and limits, as one plan.
//
//     add_policy_flags(section, options->policy);
//     const Plan plan = plan_from(options->policy, "command");
//     if (const std::string why = problems_with(plan); !why.empty()) …
#pragma once

#include <optional>
#include <string>

#include "command_line.hpp"
#include "perdure/call/plan.hpp"

namespace tool {

struct PolicyFlags {
    int attempts = 4;  // 0: no limit but the deadline
    Duration base = 50ms;
    std::optional<Duration> cap{};      // 5 s, or the base where that is longer
    std::optional<Duration> timeout{};  // of one attempt
    std::optional<Duration> deadline{};
};

// What holds without the flags, as the help shows it.
struct PolicyPresets {
    const char* timeout = "none";
    const char* deadline = "none";
};

void add_policy_flags(Section& section, PolicyFlags& flags, PolicyPresets presets = {});

// Without a timeout an attempt may take as long as the call: a third of the deadline, a plan's own
// choice, suits a request and not a command.
Plan plan_from(const PolicyFlags& flags, std::string name);

// All of them, in the words of the flags; empty for a sound plan.
std::string problems_with(const Plan& plan);

}  // namespace tool
