// SPDX-License-Identifier: Apache-2.0
//
// A real MariaDB server on a port of the loopback, with its data in a directory of its own, an empty
// database `test`, and `root` without a password.
//
//     Mariadb server{{.settings = {"innodb-lock-wait-timeout=1"}}};
//     server.sql("CREATE TABLE account(id int primary key)");
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "live/support/sql_server.hpp"

namespace perdure::live {

struct MariadbOptions {
    std::vector<std::string> settings{};  // "max-connections=10", as on its command line
    Durable durable = Durable::against_a_kill;
    std::string preload{};  // a library for LD_PRELOAD
};

// Used by the thread that made it, which must live as long: the system ends the server with it.
class Mariadb {
public:
    // Why there is none to be had here; empty if there is.
    static std::string missing();

    // Ends the test program with a message if the server does not come up.
    explicit Mariadb(const MariadbOptions& options = {});
    Mariadb(const Mariadb&) = delete;
    Mariadb& operator=(const Mariadb&) = delete;
    ~Mariadb() { kill9(); }

    // Returns when sessions are let in. Nothing happens if it runs. Each start has a number, from 1 on,
    // which statements can read as @@report_port: the variable has no other use here.
    void start();
    void stop();
    void kill9();
    void restart() {
        stop();
        start();
    }

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] pid_t pid() const noexcept { return process_ ? process_->pid() : -1; }
    [[nodiscard]] std::string url(const std::string& user = "root",
                                  const std::string& database = "test") const;
    [[nodiscard]] const std::string& home() const noexcept { return home_.path(); }
    [[nodiscard]] std::string log() const { return read_file(home_.file("mariadb.log")); }
    [[nodiscard]] std::string socket() const { return home_.file("socket"); }

    // As root in a session of its own: rows as lines, columns with tabs between. A statement that
    // fails fails the test.
    std::string sql(const std::string& text, const std::string& database = "test") const;

private:
    TempDir home_;
    MariadbOptions options_;
    std::string data_ = home_.file("data");
    std::uint16_t port_ = quiet_port();
    int starts_ = 0;
    std::unique_ptr<Process> process_;
};

}  // namespace perdure::live
