// SPDX-License-Identifier: Apache-2.0
//
// What do bytes travel through once a socket is connected? The socket itself, or TLS over it; the
// layers above do not know which.
//
//     const Io read = stream.read(buffer);
//     if (read.kind == IoKind::would_block) wants.add(stream.fd(), stream.blocked_on());
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "perdure/net/socket.hpp"
#include "perdure/net/wants.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

// Used by one thread at a time. A stream that has failed or was closed stays so.
class Stream {
public:
    Stream() = default;
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    virtual ~Stream();

    // done: ready for data. Plain streams are at once.
    [[nodiscard]] virtual Io handshake() = 0;
    [[nodiscard]] virtual Io read(std::span<char> into) = 0;
    [[nodiscard]] virtual Io write(std::string_view bytes) = 0;
    // What the last would_block waits for: TLS may have to read in order to write.
    [[nodiscard]] virtual Ready blocked_on() const noexcept = 0;
    // See Socket::quiet. Session tickets that arrive late are not noise.
    [[nodiscard]] virtual bool quiet() = 0;
    // Why handshake, read or write failed, for people: "certificate has expired".
    [[nodiscard]] virtual std::string_view trouble() const noexcept = 0;
    [[nodiscard]] virtual int fd() const noexcept = 0;
    virtual void reset() noexcept = 0;
};

std::unique_ptr<Stream> plain_stream(Socket socket);

}  // namespace net
}  // namespace v0
}  // namespace perdure
