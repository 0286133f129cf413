// SPDX-License-Identifier: Apache-2.0
//
// A server that takes its time: it answers byte by byte, or not at all.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "live/support/tcp_server.hpp"

namespace perdure::live {

struct DripperOptions {
    enum class What : std::uint8_t { head, body, nothing };

    What drips = What::body;  // what comes before it is sent at once; `nothing`: no answer at all
    Duration every = 1s;      // one byte
    int slow_requests = 1'000'000;  // later ones are answered at once, with "ok"
};

// Any thread.
class Dripper {
public:
    explicit Dripper(DripperOptions options = {});
    [[nodiscard]] std::uint16_t port() const noexcept { return server_.port(); }
    [[nodiscard]] net::Address address() const noexcept { return server_.address(); }
    // From now on every request is answered at once, with "ok".
    void mend() noexcept { mended_ = true; }

private:
    void answer(Peer& peer, TimePoint now);
    void drip(Peer& peer, TimePoint now) const;

    DripperOptions options_;
    int seen_ = 0;
    std::atomic<bool> mended_ = false;
    TcpServer server_;  // last: it ends before what it uses
};

}  // namespace perdure::live
