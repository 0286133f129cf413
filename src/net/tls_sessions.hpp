// SPDX-License-Identifier: Apache-2.0
//
// Which sessions may be resumed? The newest ones, a bounded number of them.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

#include "net/tls_handles.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

// Any thread.
class TlsSessions {
public:
    explicit TlsSessions(std::size_t most) noexcept : most_{most} {}

    void put(std::string_view peer, SslSession session);
    // The newest one of that peer, or null. A TLS 1.3 ticket is given out once: whoever sees it a
    // second time on the wire would know that the same client came back.
    [[nodiscard]] SslSession take(std::string_view peer);
    [[nodiscard]] std::size_t count() const;

private:
    // A server gives two tickets to every connection; one peer must not push the others out.
    static constexpr std::size_t most_per_peer = 8;

    struct Kept {
        std::string peer{};
        SslSession session{};
    };

    mutable std::mutex mutex_;
    std::deque<Kept> kept_;  // the newest last; searched, because handshakes are rare and dear
    std::size_t most_;
};

}  // namespace net
}  // namespace v0
}  // namespace perdure
