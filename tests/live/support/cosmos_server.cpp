// SPDX-License-Identifier: Apache-2.0
#include "live/support/cosmos_server.hpp"

#include <cstdlib>
#include <iostream>

#include "live/support/npm.hpp"

namespace perdure::live {

std::string CosmosServer::missing() {
    const std::string why = npm_missing("@vercel/cosmosdb-server");
    return why.empty() ? node_missing() : why;
}

CosmosServer::CosmosServer() {
    // Somebody else may have taken the port in between.
    for (int attempt = 0; attempt < 3; ++attempt) {
        process_ = std::make_unique<Process>(
            std::vector<std::string>{node(), PERDURE_COSMOS_TESTS "/emulator.mjs", npm_path(""),
                                     std::to_string(port_)},
            home_.file("server.log"));
        if (wait_for_port(port_, 10s) == Answers::yes && process_->running()) return;
        std::cerr << process_->log();
        port_ = free_port();
    }
    std::cerr << "the emulator for Cosmos DB's tests does not come up\n";
    std::abort();
}

}  // namespace perdure::live
