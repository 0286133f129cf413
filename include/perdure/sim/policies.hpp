// SPDX-License-Identifier: Apache-2.0
//
// Under which plan would somebody else's fleet have gone through this? A catalogue of plans by name:
// the library's own defaults, the habits people have, and what the peers ship.
//
//     scenario.plan = policy_named("aws-2026")->plan;
//
// Each is a complete plan without a deadline; a study gives all of them the same attempt timeout.
// Plain values, pure functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/call/plan.hpp"

namespace perdure {
inline namespace v0 {
namespace sim {

struct NamedPolicy {
    std::string name{};
    std::string text{};  // one line for people
    Plan plan{};
};

const std::vector<NamedPolicy>& policies();

std::optional<NamedPolicy> policy_named(std::string_view name);

// Above this share of its capacity a service can be pushed by some trigger into a state from which
// these clients do not let it come back: one through the attempts a call can cause for long.
double safe_utilisation(const Plan& plan);

}  // namespace sim
}  // namespace v0
}  // namespace perdure
