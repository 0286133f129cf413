// SPDX-License-Identifier: Apache-2.0
//
// What a network and a busy table do to requests, as rules for the fault proxy; and a server that
// leaves some of each batch undone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "live/support/process.hpp"
#include "live/support/temp_dir.hpp"
#include "perdure/chaos/plan.hpp"

namespace perdure::live {

// {"__type":"com.amazonaws.dynamodb.v20120810#…","message":"…"}
std::string error_json(const std::string& name, const std::string& message = "not now");
// The service's error in the server's place, which is not asked.
chaos::Rule refusing(const std::string& name, int status, chaos::Match match = {});
// Done by the server; the client is told something else.
chaos::Rule failing_after(int status, chaos::Match match = {});

// Ten of a hundred are done and answered with a 500, ten are done and their connection is reset, ten
// are throttled and not done: faults.toml of the evidence page.
std::vector<chaos::Rule> losing_answers();

// leftover_server.py before a server at that port. Used by the thread that made it.
class LeftoverServer {
public:
    explicit LeftoverServer(std::uint16_t to);
    [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
    // Entries it has not passed on so far.
    [[nodiscard]] int left() const;

private:
    TempDir home_;
    std::uint16_t port_ = free_port();
    Process process_;
};

}  // namespace perdure::live
