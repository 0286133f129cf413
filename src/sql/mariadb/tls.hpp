// SPDX-License-Identifier: Apache-2.0
//
// How is a link encrypted when the library is given a number and the certificate is for a name?
//
// Connector/C compares the certificate with the host it was told to connect to, does its TLS
// handshake on a blocking socket, and goes on in the clear when encryption is wanted and the server
// has none. All three are put right at the one place where it calls foreign code between the server's
// greeting and the handshake: an authentication plugin. Ours has the right name written in, makes the
// socket non-blocking, sends nothing of its own, and lets the server ask for the real method.
#pragma once

#include <string>

#include <mysql.h>

#include "perdure/sql/mariadb.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace mariadb_inside {

// While it lives, connecting on this thread is done its way.
class Encryption {
public:
    Encryption(MYSQL& mysql, MariadbTls tls, const std::string& host, const std::string& ca);
    Encryption(const Encryption&) = delete;
    Encryption& operator=(const Encryption&) = delete;
    ~Encryption();
};

}  // namespace mariadb_inside
}  // namespace sql
}  // namespace v0
}  // namespace perdure
