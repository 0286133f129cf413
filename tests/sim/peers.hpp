// SPDX-License-Identifier: Apache-2.0
//
// Whose defaults stand beside ours when a server restarts or a region is sick? All with the same
// deadline.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "perdure/policy/presets.hpp"
#include "perdure/sim/policies.hpp"

namespace perdure::testing {

struct Peer {
    std::string name;
    Plan plan;
};

// What people write by hand: four attempts with our back-off, and no budget, because that is what we
// are compared with.
inline Plan plain_loop() {
    Plan plan;
    plan.budget.kind = BudgetKind::none;
    plan.connect = plan.rule;
    plan.connect.counting = Counting::shared;
    return plan;
}

inline std::vector<Peer> peers() {
    return {{"plain loop", plain_loop()},
            {"AWS 2026", plan_from(presets::aws_standard_2026())},
            {"gRPC A6", plan_from(presets::grpc_a6())},
            {"Polly", plan_from(presets::polly_v8())}};
}

}  // namespace perdure::testing
