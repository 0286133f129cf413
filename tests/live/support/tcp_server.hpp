// SPDX-License-Identifier: Apache-2.0
//
// A small TCP server on a thread of its own, inside the test: what it does with the bytes is said by
// whoever makes it.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "live/support/listener.hpp"
#include "perdure/duration.hpp"

namespace perdure::live {

// One connection, as its server sees it. Only the server's thread touches it.
struct Peer {
    enum class Then : std::uint8_t { stay, close, reset };

    net::Socket socket{};
    std::string in{};   // what came and was not taken yet
    std::string out{};  // what is to be sent as soon as it can be
    TimePoint due = TimePoint::max();
    Then then = Then::stay;  // once `out` is sent
    std::size_t mark = 0;    // for the use of whoever makes the server
};

struct TcpServerOptions {
    std::string host = "127.0.0.1";
    std::function<void(Peer&, TimePoint now)> on_bytes{};  // more in `in`
    std::function<void(Peer&, TimePoint now)> on_due{};    // `due` has come, and is reset
};

// Any thread, but the functions are called on the server's own.
class TcpServer {
public:
    explicit TcpServer(TcpServerOptions options);
    TcpServer(const TcpServer&) = delete;
    TcpServer& operator=(const TcpServer&) = delete;
    ~TcpServer();

    [[nodiscard]] std::uint16_t port() const noexcept { return listener_.port(); }
    [[nodiscard]] net::Address address() const noexcept { return listener_.address(); }
    // Runs it for every open connection, on the server's thread, and waits until that is done.
    void for_each(std::function<void(Peer&)> what);
    // How many connections it has accepted.
    [[nodiscard]] int accepted() const;

private:
    void serve(const std::stop_token& stop);
    void wait();
    void turn();
    void serve_peer(Peer& peer, TimePoint now) const;
    void run_errands();

    TcpServerOptions options_;
    Listener listener_;
    net::Socket waker_, sleeper_;  // a byte through this pair wakes the thread
    std::list<Peer> peers_;
    mutable std::mutex mutex_;
    std::vector<std::function<void()>> errands_;
    int accepted_ = 0;
    std::jthread thread_;
};

}  // namespace perdure::live
