// SPDX-License-Identifier: Apache-2.0
//
// Those who come to their senses when they are told to: until then a listener that nobody serves and
// a name server that answers nothing.
#pragma once

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "live/support/listener.hpp"

namespace perdure::live {

// Used by one thread at a time.
class LateServer {
public:
    // in: the system accepts connections, and nobody reads from them.
    // full: the queue is full, and whoever else connects hears nothing.
    enum class Queue : std::uint8_t { in, full };
    explicit LateServer(Queue queue);
    LateServer(const LateServer&) = delete;
    LateServer& operator=(const LateServer&) = delete;
    ~LateServer() = default;

    [[nodiscard]] std::uint16_t port() const noexcept { return listener_.port(); }
    // From now on every request is answered with 200 "ok".
    void begin();

private:
    Listener listener_;
    std::vector<net::Socket> in_the_queue_;
    std::jthread thread_;
};

// Used by one thread at a time.
class LateDns {
public:
    LateDns();
    LateDns(const LateDns&) = delete;
    LateDns& operator=(const LateDns&) = delete;
    ~LateDns() = default;

    [[nodiscard]] std::string where() const;
    // From now on every name is 127.0.0.1, also for those who asked before.
    void begin();

private:
    net::Socket socket_;
    std::jthread thread_;
};

}  // namespace perdure::live
