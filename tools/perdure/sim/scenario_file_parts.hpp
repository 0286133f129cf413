// SPDX-License-Identifier: Apache-2.0
//
// Which sources read which part of a scenario file? The fleet, the policies; scenario_file.cpp puts
// them together.
//
//     const Policies policies = read_policies(top, problems);
//     sim::Scenario scenario = read_fleet(top, policies, row, problems);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "perdure/sim/policies.hpp"
#include "perdure/sim/scenario.hpp"
#include "sim/scenario_file.hpp"
#include "sim/scenario_file_reader.hpp"

namespace tool {

// A value; those of the file in its order.
struct Policies {
    std::vector<sim::NamedPolicy> own{};
    sim::NamedPolicy call{};               // what [call] says: where a policy of the file begins
    std::vector<std::string> call_says{};  // the keys of [call]

    // From the file, else from the catalogue with the timeout and deadline of [call].
    [[nodiscard]] std::optional<sim::NamedPolicy> find(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> names() const;
};

Policies read_policies(Reader& top, Problems& problems);

// Who the handlers of services are when they call others: the policy of the row, unless they name
// one. `inner` replaces what they name, if it is not empty.
struct RowPolicies {
    std::string clients{};
    std::string inner{};
};

// Everything but the plan of the clients.
sim::Scenario read_fleet(Reader& top, const Policies& policies, const RowPolicies& row,
                         Problems& problems);

std::vector<Trigger> triggers_of(const sim::Scenario& scenario);

}  // namespace tool
