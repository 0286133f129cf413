// SPDX-License-Identifier: Apache-2.0
//
// The Cosmos DB emulator that others wrote, on the loopback: a second opinion on JSON, SQL and statuses.
//
//     CosmosServer server;                                    // ask missing() first
//     run({node(), "--no-warnings", script, server.url()});
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "live/support/process.hpp"
#include "live/support/temp_dir.hpp"

namespace perdure::live {

// Used by the thread that made it, which must live as long: the system ends the server with it.
class CosmosServer {
public:
    // Why there is none to be had here; empty if there is.
    static std::string missing();

    // Runs, and holds nothing. Ends the test program with a message if it does not come up.
    CosmosServer();
    CosmosServer(const CosmosServer&) = delete;
    CosmosServer& operator=(const CosmosServer&) = delete;
    ~CosmosServer() = default;

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] std::string url() const {
        return "http://127.0.0.1:" + std::to_string(port_) + "/";
    }

private:
    TempDir home_;
    std::uint16_t port_ = free_port();
    std::unique_ptr<Process> process_;
};

}  // namespace perdure::live
