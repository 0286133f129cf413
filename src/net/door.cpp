// SPDX-License-Identifier: Apache-2.0
#include "perdure/net/door.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "perdure/net/failures.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

namespace {

Fail cannot_listen(const Address& address, int error) {
    Failure failure = failure_of(error, Doing::opening);
    failure.message = "cannot listen on " + address.to_string() + ": " + failure.message;
    if (error == EADDRINUSE) failure.message += "; take another port, or 0 for a free one";
    return fail(std::move(failure));
}

Result<Socket> listening(const Address& address) {
    auto socket = Socket::open(address.family());
    if (!socket) return fail(socket.error());
    const int yes = 1;
    // Connections of the same port that are still closing must not keep us from opening it again.
    (void)setsockopt(socket->fd(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    std::array<std::byte, Address::longest> bytes{};
    const socklen_t length = address.write(bytes);
    if (::bind(socket->fd(), reinterpret_cast<const sockaddr*>(bytes.data()), length) != 0 ||
        ::listen(socket->fd(), SOMAXCONN) != 0)
        return cannot_listen(address, errno);
    return std::move(*socket);
}

std::uint16_t port_of(const Socket& socket) noexcept {
    sockaddr_storage name{};
    socklen_t length = sizeof name;
    if (getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&name), &length) != 0) return 0;
    // The port stands at the same place in both families.
    static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
    return ntohs(reinterpret_cast<const sockaddr_in&>(name).sin_port);
}

}  // namespace

Result<Address> address_from(std::string_view text, std::string_view option) {
    const auto wrong = [&] {
        // A whole URL may have a password in it.
        const bool may_be_shown = text.find_first_of("@/") == std::string_view::npos;
        return fail({.cause = Cause::invalid,
                     .origin = Origin::application,
                     .message = std::string{option} + ": " +
                                (may_be_shown ? "'" + std::string{text} + "' is" : "this is") +
                                " no address; write 127.0.0.1:8080, [::1]:8080 or "
                                "localhost:8080"});
    };
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return wrong();
    const std::string_view digits = text.substr(colon + 1);
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (error != std::errc{} || end != digits.data() + digits.size()) return wrong();
    const std::string_view host = text.substr(0, colon);
    // An IPv6 address without brackets would lose its last group to the port.
    if (host.find(':') != std::string_view::npos && !host.starts_with('[')) return wrong();
    const auto address = Address::parse(host == "localhost" ? "127.0.0.1" : host, port);
    if (!address) return wrong();
    return *address;
}

Result<Door> Door::open(const Address& address) {
    auto socket = listening(address);
    if (!socket) return fail(socket.error());
    const std::uint16_t port = port_of(*socket);
    return Door{std::move(*socket), address.with_port(port)};
}

bool Door::reopen() {
    if (is_open()) return true;
    auto socket = listening(address_);
    if (socket) socket_ = std::move(*socket);
    return is_open();
}

Door::Met Door::accept(Socket& into) noexcept {
    for (;;) {
        const int fd = ::accept4(socket_.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            const int yes = 1;
            (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
            into = Socket{fd};
            return Met::client;
        }
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
            return Met::no_room;
        if (errno != EINTR && errno != ECONNABORTED) return Met::nobody;
    }
}

}  // namespace net
}  // namespace v0
}  // namespace perdure
