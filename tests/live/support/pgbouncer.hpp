// SPDX-License-Identifier: Apache-2.0
//
// PgBouncer in transaction mode before a PostgreSQL server: a session of the server's for as long as a
// transaction lasts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "live/support/sql_server.hpp"

namespace perdure::live {

struct PgbouncerOptions {
    int sessions = 4;  // with the server
    std::vector<std::string> users{"postgres"};
    std::vector<std::string> settings{};  // "query_wait_timeout = 1"
};

// Used by the thread that made it, which must live as long: the system ends the program with it.
class Pgbouncer {
public:
    // Why there is none to be had here; empty if there is.
    static std::string missing();

    // Before the server at that port of the loopback. Ends the test program if it does not come up.
    explicit Pgbouncer(std::uint16_t server, const PgbouncerOptions& options = {});

    // Returns when clients are let in. Nothing happens if it runs.
    void start();
    // Cuts off its clients at once.
    void stop() { process_->stop(); }

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] std::string url(const std::string& user = "postgres",
                                  const std::string& database = "postgres") const;

private:
    TempDir home_;
    std::uint16_t port_ = quiet_port();
    std::string settings_ = home_.file("pgbouncer.ini");
    std::unique_ptr<Process> process_;
};

}  // namespace perdure::live
