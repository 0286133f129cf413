// SPDX-License-Identifier: Apache-2.0
//
// A server that can be asked afterwards what it did: how often each request, told apart by its
// X-Request-Id, took effect.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "live/support/tcp_server.hpp"

namespace perdure::live {

// Answers 200 with the request's id as the body. A request takes effect when the whole of it has
// arrived; one with an Idempotency-Key that was seen before gets the first one's answer and takes no
// effect. Any thread.
class CountingServer {
public:
    explicit CountingServer(const std::string& host = "127.0.0.1");
    [[nodiscard]] std::uint16_t port() const noexcept { return server_.port(); }
    [[nodiscard]] net::Address address() const noexcept { return server_.address(); }

    // How often the request took effect; requests without an id are counted under "".
    [[nodiscard]] int effects(std::string_view id) const;
    // How often it arrived, effect or not.
    [[nodiscard]] int arrivals(std::string_view id) const;
    [[nodiscard]] int requests() const;
    [[nodiscard]] int connections() const { return server_.accepted(); }

    // Returns when everything that had arrived at its sockets before is read.
    void settle();
    // As servers do after a minute: closes connections on which nothing is under way. When it
    // returns, they are closed.
    void close_idle();

private:
    struct Count {
        int arrivals = 0;
        int effects = 0;
    };

    void read(Peer& peer);
    [[nodiscard]] std::string answer(std::string_view id, std::string_view key);
    [[nodiscard]] Count count(std::string_view id) const;

    mutable std::mutex mutex_;
    std::map<std::string, Count, std::less<>> counts_;
    std::map<std::string, std::string, std::less<>> answered_;  // by key
    int requests_ = 0;
    TcpServer server_;  // last: it ends before what it uses
};

}  // namespace perdure::live
