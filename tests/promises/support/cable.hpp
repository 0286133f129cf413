// SPDX-License-Identifier: Apache-2.0
//
// A way to a port of the loopback that leads through a network of its own, whose packets can be
// dropped. Needs root.
//
//     Cable cable{server.port()};
//     connect(cable.address());
//     cable.cut();                 // nothing arrives any more, in either direction, and nothing says so
//     cable.mend();                // TCP sends again what was lost
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "live/support/network_namespace.hpp"
#include "perdure/chaos/proxy.hpp"

namespace perdure::promises {

// Used by one thread.
class Cable {
public:
    explicit Cable(std::uint16_t server);

    // Why there is none; empty if there is.
    [[nodiscard]] const std::string& missing() const noexcept { return net_.missing(); }
    [[nodiscard]] std::string address() const { return net_.address(far_->port()).to_string(); }
    void cut() { net_.drop_packets(); }
    void mend() { net_.pass_packets(); }

private:
    live::NetworkNamespace net_;
    // From this end of the cable to the server, and from the other end to this one: what clients send
    // goes there and comes back.
    std::unique_ptr<chaos::Proxy> near_;
    std::unique_ptr<chaos::Proxy> far_;
};

}  // namespace perdure::promises
