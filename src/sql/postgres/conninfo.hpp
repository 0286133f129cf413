// SPDX-License-Identifier: Apache-2.0
//
// Which servers are meant, and with which settings? What the user wrote, filled in by libpq from the
// environment, the service file and its own defaults.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/duration.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

struct Host {
    std::string name{};     // empty or a path: a socket of this machine
    std::string address{};  // numeric, if one was given: then no name is looked up
    std::uint16_t port = 5432;

    [[nodiscard]] bool local() const noexcept {
        return address.empty() && (name.empty() || name.front() == '/' || name.front() == '@');
    }
    // By what the user wrote: a socket, localhost or a loopback address. Never by a DNS answer, which
    // must not be able to switch TLS off.
    [[nodiscard]] bool on_this_machine() const noexcept;
    // "db.internal:5432"
    [[nodiscard]] std::string shown() const;
};

using Settings = std::vector<std::pair<std::string, std::string>>;

// A plain value, made once. Holds the password, if there is one.
struct Target {
    std::vector<Host> hosts{};  // at least one
    Settings settings{};        // all but which host
    std::string user{};
    bool says_sslmode = false;
    Duration connect_timeout = never;  // for each address
    std::string name{};                // "postgres db1:5432,db2:5432/bank"
};

// Failures are `invalid`, name the field, and quote nothing that may be a secret.
[[nodiscard]] Result<Target> parse_target(std::string_view url_or_conninfo);

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure
