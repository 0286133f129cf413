// SPDX-License-Identifier: Apache-2.0
//
// How are regions told to perdure gateway, and how does it say where they are?
//
//     region_from_flag("West US:20ms")
//     print(opening_text(gateway, options));
#pragma once

#include <string>
#include <string_view>

#include "perdure/chaos/cosmos/gateway.hpp"
#include "perdure/result.hpp"

namespace tool {

using namespace perdure;

// NAME, or NAME and how much later it has what others wrote.
Result<chaos::GatewayRegion> region_from_flag(std::string_view text);

std::string opening_text(const chaos::CosmosGateway& gateway, const chaos::GatewayOptions& options);
std::string opening_json(const chaos::CosmosGateway& gateway, const chaos::GatewayOptions& options);

}  // namespace tool
