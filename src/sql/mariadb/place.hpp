// SPDX-License-Identifier: Apache-2.0
//
// Where is the server, and as whom do we come? Read from a URL, the environment and an option file,
// in this order. Pure but for reading the file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/sql/mariadb.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace mariadb_inside {

inline constexpr std::uint16_t usual_port = 3306;

struct Host {
    std::string name{};
    std::uint16_t port = 0;
    friend bool operator==(const Host&, const Host&) = default;
};

struct Place {
    std::vector<Host> hosts{};  // empty: the socket
    std::string socket{};
    std::string user{};
    std::string password{};
    std::string database{};
    MariadbTls tls = MariadbTls::by_host;
    std::string tls_ca{};
    std::string defaults_file{};
    std::optional<SessionLock> session_lock{};
};

// Names and values, as in the environment.
using Settings = std::map<std::string, std::string, std::less<>>;

// What the URL alone says; ports that are not said are 0.
[[nodiscard]] Result<Place> read_url(std::string_view url);
// The groups [client], [client-server] and [client-mariadb] of an option file; later lines win.
[[nodiscard]] Settings read_option_text(std::string_view text);
[[nodiscard]] Result<Settings> read_option_file(const std::string& path);
// The variables of the process that matter here.
[[nodiscard]] Settings environment();
// Fills in what the URL left open.
[[nodiscard]] Result<Place> complete(Place place, const Settings& environment,
                                     const Settings& option_file);
// How the server that the user called `host` is spoken to. What the name resolves to does not matter: a
// DNS answer must not be able to switch TLS off.
[[nodiscard]] MariadbTls tls_for(const Place& place, std::string_view host) noexcept;
// "mariadb db.internal:3306/bank"
[[nodiscard]] std::string name_of(const Place& place);

}  // namespace mariadb_inside
}  // namespace sql
}  // namespace v0
}  // namespace perdure
