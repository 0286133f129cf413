// SPDX-License-Identifier: Apache-2.0
//
// How is a MariaDB or MySQL server reached? By Connector/C, over TCP or a unix socket.
//
//     sql::Database bank{*sql::mariadb("mariadb://app:secret@db.internal/bank")};
//     sql::mariadb("mysql://app@a:3306,b:3306/bank?tls=required");          // the first that writes
//     sql::mariadb("mariadb:///bank?socket=/run/mysqld/mysqld.sock");
//
// What the URL does not say is taken from MYSQL_HOST, MYSQL_TCP_PORT, MYSQL_UNIX_PORT and MYSQL_PWD,
// then from the option file. Parts of a URL are percent-encoded where they need it. "localhost" is
// TCP here, as every other name. Parameters: socket, tls (verified, required, off), tls-ca,
// defaults-file, session-lock (if-direct, always, never).
//
// Connector/C switches SIGPIPE off for the whole process when it is first used.
#pragma once

#include "perdure/cxx20.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "perdure/sql/driver.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

enum class MariadbTls : std::uint8_t {
    by_host,   // verified; off if the URL says a unix socket, localhost or a loopback address
    verified,  // the certificate must be good and be for the host's name
    required,  // encrypted, whoever it is
    off
};

// Messages of the server that quote what stands in rows and parameters.
enum class MariadbMessages : std::uint8_t { redacted, whole };

// Whether a session takes a named lock (GET_LOCK). After its connection was lost, a new session ends the
// old one by that lock, or proves that the old one has ended. Through a proxy the lock is not cheap:
// ProxySQL and RDS Proxy then keep the server's connection for this session alone.
enum class SessionLock : std::uint8_t { if_direct, always, never };

struct MariadbOptions {
    MariadbTls tls = MariadbTls::by_host;  // unless the URL says
    std::string tls_ca{};         // a file with certificates to believe; empty: the system's
    std::string defaults_file{};  // my.cnf; its groups [client] and [client-mariadb]
    std::size_t prepared_statements = 64;  // kept ready in each session
    // When to take a silent link for dead. Bounds of calls are kept without it; it is for the server's
    // sake and for links that die while idle.
    Duration link_dead_after = 30s;
    MariadbMessages messages = MariadbMessages::redacted;
    SessionLock session_lock = SessionLock::if_direct;  // unless the URL says
};

// Fails with `invalid` for a URL or an option file that cannot be read; connects only when asked to.
[[nodiscard]] Result<std::shared_ptr<Driver>> mariadb(std::string_view url,
                                                      MariadbOptions options = {});

}  // namespace sql
}  // namespace v0
}  // namespace perdure
