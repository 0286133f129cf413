// SPDX-License-Identifier: Apache-2.0
#include "live/support/listener.hpp"

#include <array>
#include <cstdlib>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace perdure::live {
namespace {

net::Socket bound(int type, const std::string& host) {
    net::Socket socket{::socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    sockaddr_in name{};
    name.sin_family = AF_INET;
    ::inet_pton(AF_INET, host.c_str(), &name.sin_addr);
    if (::bind(socket.fd(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0)
        std::abort();
    return socket;
}

std::uint16_t port_of(const net::Socket& socket) {
    sockaddr_in name{};
    socklen_t length = sizeof name;
    ::getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&name), &length);
    return ntohs(name.sin_port);
}

}  // namespace

Listener::Listener(const std::string& host, int backlog)
    : socket_{bound(SOCK_STREAM, host)}, port_{port_of(socket_)} {
    if (::listen(socket_.fd(), backlog) != 0) std::abort();
}

net::Socket Listener::accept() noexcept {
    return net::Socket{::accept4(socket_.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
}

FullBacklog::FullBacklog() {
    // A queue of length 0 takes one; the rest make sure of it.
    for (int i = 0; i < 4; ++i) {
        auto socket = net::Socket::open(net::Family::v4);
        if (!socket) std::abort();
        (void)socket->connect(address());
        in_the_queue_.push_back(std::move(*socket));
    }
}

SilentDns::SilentDns() : socket_{bound(SOCK_DGRAM, "127.0.0.1")}, port_{port_of(socket_)} {}

int SilentDns::questions() noexcept {
    int count = 0;
    for (std::array<char, 2000> question{}; socket_.read(question).kind == net::IoKind::done;)
        ++count;
    return count;
}

}  // namespace perdure::live
