// SPDX-License-Identifier: Apache-2.0
//
// How do programs in other languages control the gateway? By JSON on a port of its own.
//
//     POST /region {"name": "East US", "state": "refusing"}
//
// docs/reference/cosmos-gateway.md lists the paths.
#pragma once

#include "chaos/cosmos/account.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

// On the server's thread, without its lock.
Answer control(CosmosGateway& gateway, const Asked& asked);

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
