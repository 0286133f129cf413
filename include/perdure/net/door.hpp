// SPDX-License-Identifier: Apache-2.0
//
// Where do clients come in? A listening socket that can be closed for a while, and then refuses.
//
//     auto door = net::Door::open(address);
//     while (door->accept(client) == net::Door::Met::client) …
#pragma once

#include <string>
#include <string_view>

#include "perdure/net/address.hpp"
#include "perdure/net/socket.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

// "127.0.0.1:80", "[::1]:80" or "localhost:80"; nothing is looked up.
Result<Address> address_from(std::string_view text, std::string_view option);

// Owned by one thread at a time.
class Door {
public:
    enum class Met : std::uint8_t { client, nobody, no_room };

    // Port 0 becomes a free one, which stays the same from then on.
    static Result<Door> open(const Address& address);

    void close() noexcept { socket_.close(); }
    // Whether it is open afterwards: somebody else may have taken the port.
    bool reopen();
    [[nodiscard]] bool is_open() const noexcept { return static_cast<bool>(socket_); }
    [[nodiscard]] int fd() const noexcept { return socket_.fd(); }
    [[nodiscard]] const Address& address() const noexcept { return address_; }

    // no_room: there is a client, and no descriptor for it.
    [[nodiscard]] Met accept(Socket& into) noexcept;

private:
    Door(Socket socket, Address address) noexcept : socket_{std::move(socket)}, address_{address} {}

    Socket socket_;
    Address address_;
};

}  // namespace net
}  // namespace v0
}  // namespace perdure
