// SPDX-License-Identifier: Apache-2.0
//
// How does a container get its keys? From an agent beside it, at an address told by the environment.
#pragma once

#include <memory>
#include <string_view>

#include "credentials_source.hpp"
#include "perdure/call/environment.hpp"
#include "perdure/dynamodb/settings.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// Whether the environment names such an agent.
bool has_container(const Surroundings& surroundings) noexcept;

// https goes anywhere, plain http only to this machine and to the agents' own addresses: keys and the
// token are in it. `agent` is where a relative URI leads.
Result<std::unique_ptr<KeySource>>
container_source(const Surroundings& surroundings, const Environment& environment,
                 std::string_view agent = "http://169.254.170.2");

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
