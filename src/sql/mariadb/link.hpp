// SPDX-License-Identifier: Apache-2.0
//
// What is one connection to a server? The library's handle, opened, asked and closed so that no wait
// outlasts its bounds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mysql.h>

#include "perdure/net/address.hpp"
#include "phrases.hpp"
#include "place.hpp"
#include "trouble.hpp"
#include "watch.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace mariadb_inside {

// Where exactly, after the name was looked up.
struct Target {
    std::optional<net::Address> address{};  // none: the socket
    std::string host{};                     // the name the certificate must be for
    MariadbTls tls = MariadbTls::off;       // never by_host
};

using Texts = std::vector<std::optional<std::string>>;

// What a batch of statements did, up to the first that failed.
struct Batch {
    std::size_t done = 0;           // how many went well
    std::vector<Texts> first_rows;  // of each of them; empty where it gives no rows
    std::int64_t affected = 0;      // by the last of them
    Trouble trouble{};
};

// Used by one thread at a time; every call that may wait stands in the scope of a Watch.
class Link {
public:
    Link();
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    ~Link();

    [[nodiscard]] Trouble open(const Place& place, const Target& target, Duration dead_after,
                               const Watch& watch);
    // Statements with semicolons between them, in one round trip.
    [[nodiscard]] Batch ask(std::string_view text, const Watch& watch);
    [[nodiscard]] Trouble trouble(const Watch& watch) const;

    [[nodiscard]] MYSQL* handle() const noexcept { return mysql_; }
    [[nodiscard]] Dialect dialect() const noexcept;
    // Whether nothing between us and the server answers in its place: the id of the connection that the
    // handshake named is the one the server itself knows.
    [[nodiscard]] bool is_direct(std::string_view id_by_server) const noexcept;
    // By the last answer that was no error; stale after one.
    [[nodiscard]] bool in_transaction() const noexcept;
    // Nothing has come while nobody asked.
    [[nodiscard]] bool quiet() const noexcept;
    // Says goodbye, if that can be done without waiting. Prepared statements are cut loose by both.
    void close() noexcept;
    // Ends it without a further word to the server.
    void drop() noexcept;

private:
    MYSQL* mysql_;
};

}  // namespace mariadb_inside
}  // namespace sql
}  // namespace v0
}  // namespace perdure
