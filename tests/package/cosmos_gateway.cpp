// SPDX-License-Identifier: Apache-2.0
//
// perdure::cosmos_gateway: a Cosmos DB account in memory, with two regions.
#include <cstdio>

#include <perdure/chaos/cosmos/gateway.hpp>

using namespace perdure;

int main() {
    const auto account = chaos::CosmosGateway::start({.regions = {{"East US"}, {"West US"}}});
    if (!account) return std::puts(to_string(account.error()).c_str()), 1;
    std::printf("connect to %s\n", (*account)->endpoint().c_str());
    const auto killed = (*account)->set("East US", chaos::RegionState::refusing);
    return killed && !(*account)->endpoint("West US").empty() ? 0 : 1;
}
