// SPDX-License-Identifier: Apache-2.0
//
// Sockets of this machine for tests, and a wait for what a state machine wants.
#pragma once

#include <array>
#include <vector>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <gtest/gtest.h>

#include "perdure/net/socket.hpp"
#include "perdure/net/wants.hpp"

namespace perdure::net {

inline Address loopback_v4(std::uint8_t last, std::uint16_t port = 0) {
    return Address::v4({127, 0, 0, last}, port);
}

inline void bind_to(int fd, const Address& address) {
    std::array<std::byte, Address::longest> bytes{};
    const unsigned length = address.write(bytes);
    ASSERT_EQ(0, ::bind(fd, reinterpret_cast<const sockaddr*>(bytes.data()), length))
        << address.to_string();
}

inline std::uint16_t port_of(int fd) {
    sockaddr_storage own{};
    socklen_t length = sizeof own;
    EXPECT_EQ(0, getsockname(fd, reinterpret_cast<sockaddr*>(&own), &length));
    // The port has the same place in both families.
    return ntohs(reinterpret_cast<const sockaddr_in*>(&own)->sin_port);
}

inline void listen_at(int fd, const Address& address, int backlog = 8) {
    // Connections that have ended hold their ports for a minute, and a test run has many of them.
    const int on = 1;
    EXPECT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
    bind_to(fd, address);
    EXPECT_EQ(0, ::listen(fd, backlog));
}

// At one address of the machine only, so that others with the same port refuse.
class Listener {
public:
    explicit Listener(const Address& address, int backlog = 8) {
        auto opened = Socket::open(address.family());
        EXPECT_TRUE(opened.has_value());
        socket_ = std::move(*opened);
        listen_at(socket_.fd(), address, backlog);
        address_ = address.with_port(port_of(socket_.fd()));
    }

    [[nodiscard]] Socket accept() const {
        pollfd each{socket_.fd(), POLLIN, 0};
        EXPECT_EQ(1, ::poll(&each, 1, 2000));
        return Socket{::accept4(socket_.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    }
    [[nodiscard]] const Address& address() const { return address_; }
    [[nodiscard]] std::uint16_t port() const { return address_.port(); }

private:
    Socket socket_;
    Address address_ = loopback_v4(1);
};

// Until one of the sockets is ready; false after two seconds.
inline bool wait_for(const Wants& wants) {
    std::vector<pollfd> sockets;
    for (const Want& want : wants.sockets()) {
        const bool read = want.for_what != Ready::write;
        sockets.push_back({want.fd, static_cast<short>(read ? POLLIN : POLLOUT), 0});
    }
    return ::poll(sockets.data(), sockets.size(), 2000) > 0;
}

inline bool wait_for(const Socket& socket, Ready ready) {
    Wants wants;
    wants.add(socket.fd(), ready);
    return wait_for(wants);
}

inline Socket connected_to(const Listener& listener) {
    auto socket = Socket::open(listener.address().family());
    EXPECT_TRUE(socket.has_value());
    if (socket->connect(listener.address()).kind == IoKind::would_block) {
        EXPECT_TRUE(wait_for(*socket, Ready::write));
        EXPECT_EQ(IoKind::done, socket->finish_connect().kind);
    }
    return std::move(*socket);
}

}  // namespace perdure::net
