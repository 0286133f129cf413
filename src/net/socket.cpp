// SPDX-License-Identifier: Apache-2.0
#include "perdure/net/socket.hpp"

#include <array>
#include <cassert>
#include <cerrno>
#include <cstring>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "perdure/net/failures.hpp"

namespace perdure {
inline namespace v0 {
namespace net {
namespace {

// Again, if a signal came in between.
template <class Call>
auto uninterrupted(Call call) noexcept {
    for (;;) {
        const auto answer = call();
        if (answer >= 0 || errno != EINTR) return answer;
    }
}

Io refused(int error) noexcept {
    if (error == EAGAIN || error == EWOULDBLOCK) return {.kind = IoKind::would_block};
    return {.kind = IoKind::failed, .error = error};
}

void set(int fd, int level, int option, int value) noexcept {
    // A socket without one of these still works, only slower to notice.
    (void)setsockopt(fd, level, option, &value, sizeof value);
}

// Without Nagle's delay; a peer that vanished is noticed after 30 + 3 · 10 seconds of silence, as the
// SDKs of the big services have it.
void tune(int fd) noexcept {
    set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 30);
    set(fd, IPPROTO_TCP, TCP_KEEPINTVL, 10);
    set(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

struct Name {
    sockaddr_storage bytes{};
    socklen_t length = sizeof bytes;

    [[nodiscard]] sockaddr* address() noexcept { return reinterpret_cast<sockaddr*>(&bytes); }
};

// A connection to a free local port may by chance be given that same port, and then TCP connects the
// socket to itself: our requests would be answered by their own echo.
bool is_own_peer(int fd, const Name& peer) noexcept {
    Name own;
    if (getsockname(fd, own.address(), &own.length) != 0) return false;
    return own.length == peer.length && std::memcmp(&own.bytes, &peer.bytes, own.length) == 0;
}

}  // namespace

Result<Socket> Socket::open(Family family) {
    const int domain = family == Family::v4 ? AF_INET : AF_INET6;
    Socket socket{::socket(domain, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP)};
    if (!socket) return fail(failure_of(errno, Doing::opening));
    tune(socket.fd());
    return socket;
}

Io Socket::connect(const Address& address) noexcept {
    std::array<std::byte, Address::longest> bytes{};
    const unsigned length = address.write(bytes);
    if (::connect(fd_, reinterpret_cast<const sockaddr*>(bytes.data()), length) == 0) {
        return finish_connect();
    }
    // After a signal the connection goes on in the background, as if begun without waiting.
    if (errno == EINPROGRESS || errno == EINTR) return {.kind = IoKind::would_block};
    return {.kind = IoKind::failed, .error = errno};
}

// The descriptor stays the same, but what it stands for changes.
// NOLINTBEGIN(readability-make-member-function-const)
Io Socket::finish_connect() noexcept {
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &length) != 0) error = errno;
    if (error != 0) return {.kind = IoKind::failed, .error = error};
    // No error is also what a socket says that is still connecting; only a connected one has a peer.
    Name peer;
    if (getpeername(fd_, peer.address(), &peer.length) != 0) {
        if (errno == ENOTCONN) return {.kind = IoKind::would_block};
        return {.kind = IoKind::failed, .error = errno};
    }
    if (is_own_peer(fd_, peer)) return {.kind = IoKind::failed, .error = ECONNREFUSED};
    return {};
}

Io Socket::read(std::span<char> into) noexcept {
    assert(!into.empty());
    const auto got = uninterrupted([&] { return recv(fd_, into.data(), into.size(), 0); });
    if (got == 0) return {.kind = IoKind::closed};
    if (got < 0) return refused(errno);
    return {.bytes = static_cast<std::size_t>(got)};
}

Io Socket::write(std::string_view bytes) noexcept {
    assert(!bytes.empty());
    const auto sent =
        uninterrupted([&] { return send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL); });
    if (sent < 0) return refused(errno);
    return {.bytes = static_cast<std::size_t>(sent)};
}

// NOLINTEND(readability-make-member-function-const)

bool Socket::quiet() const noexcept {
    char byte = 0;
    const auto got = uninterrupted([&] { return recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT); });
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

void Socket::reset() noexcept {
    if (fd_ < 0) return;
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    (void)setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
}

void Socket::close() noexcept {
    // Not repeated after a signal: the descriptor is gone either way, and its number may be reused.
    if (fd_ >= 0) (void)::close(std::exchange(fd_, -1));
}

}  // namespace net
}  // namespace v0
}  // namespace perdure
