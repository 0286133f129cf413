// SPDX-License-Identifier: Apache-2.0
//
// A real PostgreSQL server on a port of the loopback, with its data in a directory of its own. Whoever
// comes from the loopback is let in without a password.
//
//     Postgres server;                              // runs; ask missing() first
//     server.sql("CREATE TABLE account(id int)");
//     server.kill9();
//     server.start();                               // recovers, on the same port
//     const auto standby = server.make_standby("second");
//     Postgres old{{.version = 12}};                // ask missing(12) first
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "live/support/sql_server.hpp"

namespace perdure::live {

inline std::string postgres_url(std::uint16_t port) {
    return "postgresql://postgres@127.0.0.1:" + std::to_string(port) + "/postgres";
}

enum class Stop : std::uint8_t { fast, immediate };

// Debian's newest, which every test has that does not ask for another one.
inline constexpr int newest_of_debian = 0;

struct PostgresOptions {
    int version = newest_of_debian;       // 12: Debian's, or npm's where Debian has none
    std::vector<std::string> settings{};  // "max_connections=10"
    Durable durable = Durable::against_a_kill;
};

// Used by the thread that made it, which must live as long: the system ends the server with it.
class Postgres {
public:
    // Why there is none to be had here; empty if there is.
    static std::string missing(int version = newest_of_debian);
    // The path of the server that is run.
    static std::string server_program(int version = newest_of_debian);

    // Ends the test program with a message if the server does not come up.
    explicit Postgres(const PostgresOptions& options = {});
    Postgres(const Postgres&) = delete;
    Postgres& operator=(const Postgres&) = delete;
    ~Postgres();

    // Returns when sessions are let in. Nothing happens if it runs.
    void start();
    void stop(Stop how = Stop::fast);
    // SIGKILL for the postmaster; returns when none of its processes is left.
    void kill9();
    void restart() {
        stop();
        start();
    }

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] pid_t pid() const noexcept { return process_ ? process_->pid() : -1; }
    [[nodiscard]] std::string url(const std::string& user = "postgres",
                                  const std::string& database = "postgres") const;
    // Everything of the server's; also the directory of its Unix socket.
    [[nodiscard]] const std::string& home() const noexcept { return home_.path(); }
    [[nodiscard]] const std::string& socket_directory() const noexcept { return home_.path(); }

    // As the superuser in a session of its own: rows as lines, columns with '|' between. A statement
    // that fails fails the test.
    std::string sql(const std::string& text, const std::string& database = "postgres") const;
    // Changes a setting and has it read again; returns when it is in force for new sessions, and for
    // `synchronous_standby_names` for all.
    void set(const std::string& name, const std::string& value);

    // A standby that follows this server, asynchronously unless the primary's
    // `synchronous_standby_names` has its name. It begins with the primary's settings. Of
    // Debian's versions only: npm's have no pg_basebackup.
    [[nodiscard]] std::unique_ptr<Postgres> make_standby(const std::string& name) const;
    // Makes a standby a primary; returns when it takes writes.
    void promote() const;

private:
    struct Standby {
        const Postgres& primary;
        const std::string& name;
    };
    explicit Postgres(const Standby& standby);
    void write_settings(const std::vector<std::string>& settings) const;
    bool come_up();

    int version_;
    TempDir home_;
    std::string data_ = home_.file("data");
    std::uint16_t port_ = quiet_port();
    std::unique_ptr<Process> process_;
};

}  // namespace perdure::live
