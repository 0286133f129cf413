// SPDX-License-Identifier: Apache-2.0
//
// A listening TCP socket, and those who do nothing more than that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perdure/net/socket.hpp"

namespace perdure::live {

// On a free port; never blocks. Used by one thread at a time.
class Listener {
public:
    explicit Listener(const std::string& host = "127.0.0.1", int backlog = 1024);

    // Not connected (false) if nobody is waiting.
    [[nodiscard]] net::Socket accept() noexcept;
    [[nodiscard]] int fd() const noexcept { return socket_.fd(); }
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] net::Address address() const noexcept {
        return net::Address::v4({127, 0, 0, 1}, port_);
    }

private:
    net::Socket socket_;
    std::uint16_t port_ = 0;
};

// Connections are accepted by the system, and nobody ever reads from them: a server that hangs, for
// TLS a handshake that stalls.
class SilentTcp : public Listener {};

// A server whose queue is full: whoever else connects hears nothing.
class FullBacklog {
public:
    FullBacklog();
    [[nodiscard]] std::uint16_t port() const noexcept { return listener_.port(); }
    [[nodiscard]] net::Address address() const noexcept { return listener_.address(); }

private:
    Listener listener_{"127.0.0.1", 0};
    std::vector<net::Socket> in_the_queue_;
};

// A name server that takes every question and answers none.
class SilentDns {
public:
    SilentDns();
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    // How many questions have come since the last time.
    [[nodiscard]] int questions() noexcept;

private:
    net::Socket socket_;
    std::uint16_t port_ = 0;
};

}  // namespace perdure::live
