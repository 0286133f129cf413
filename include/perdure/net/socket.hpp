// SPDX-License-Identifier: Apache-2.0
//
// What is a connection to the operating system? A descriptor that never blocks and never raises
// SIGPIPE.
//
//     auto socket = net::Socket::open(address.family());
//     const Io sent = socket->write(bytes);
//     if (sent.kind == IoKind::would_block) wants.add(socket->fd(), Ready::write);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "perdure/net/address.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

enum class IoKind : std::uint8_t { done, would_block, closed, failed };

struct Io {
    IoKind kind = IoKind::done;
    std::size_t bytes = 0;  // with `done`: how many; none from TLS that was busy with itself
    int error = 0;          // with `failed`: errno
};

// Owned by one place at a time; used by one thread at a time.
class Socket {
public:
    Socket() noexcept = default;
    explicit Socket(int fd) noexcept : fd_{fd} {}
    Socket(Socket&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
    Socket& operator=(Socket&& other) noexcept {
        close();
        fd_ = std::exchange(other.fd_, -1);
        return *this;
    }
    ~Socket() { close(); }

    // A stream socket: non-blocking, closed on exec, without Nagle's delay. Running out of
    // descriptors is cause `exhausted`.
    static Result<Socket> open(Family family);
    // done: connected at once; would_block: wait until it can be written, then ask finish_connect().
    [[nodiscard]] Io connect(const Address& address) noexcept;
    [[nodiscard]] Io finish_connect() noexcept;

    [[nodiscard]] Io read(std::span<char> into) noexcept;
    [[nodiscard]] Io write(std::string_view bytes) noexcept;
    // Whether an idle connection is still open and silent: no end of stream, no error, no bytes that
    // nobody asked for. One system call.
    [[nodiscard]] bool quiet() const noexcept;
    // The peer gets a reset instead of an orderly end.
    void reset() noexcept;
    void close() noexcept;

    [[nodiscard]] int fd() const noexcept { return fd_; }
    explicit operator bool() const noexcept { return fd_ >= 0; }

private:
    int fd_ = -1;
};

}  // namespace net
}  // namespace v0
}  // namespace perdure
