// SPDX-License-Identifier: Apache-2.0
#include "live/support/tcp_server.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <future>
#include <utility>

#include <poll.h>
#include <sys/socket.h>

#include "perdure/time/clock.hpp"

namespace perdure::live {
namespace {

enum class Line : std::uint8_t { open, gone };

Line read_all(Peer& peer) {
    std::array<char, 16384> buffer{};
    for (;;) {
        const net::Io io = peer.socket.read(buffer);
        if (io.kind == net::IoKind::would_block) return Line::open;
        if (io.kind != net::IoKind::done) return Line::gone;
        peer.in.append(buffer.data(), io.bytes);
    }
}

Line write_all(Peer& peer) {
    while (!peer.out.empty()) {
        const net::Io io = peer.socket.write(peer.out);
        if (io.kind == net::IoKind::would_block) return Line::open;
        if (io.kind != net::IoKind::done) return Line::gone;
        peer.out.erase(0, io.bytes);
    }
    if (peer.then == Peer::Then::reset) peer.socket.reset();
    return peer.then == Peer::Then::stay ? Line::open : Line::gone;
}

}  // namespace

TcpServer::TcpServer(TcpServerOptions options)
    : options_{std::move(options)}, listener_{options_.host} {
    std::array<int, 2> pair{-1, -1};
    (void)::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data());
    waker_ = net::Socket{pair[0]};
    sleeper_ = net::Socket{pair[1]};
    thread_ = std::jthread{[this](const std::stop_token& stop) { serve(stop); }};
}

TcpServer::~TcpServer() {
    thread_.request_stop();
    (void)waker_.write("!");
    thread_.join();
}

void TcpServer::for_each(std::function<void(Peer&)> what) {
    std::promise<void> done;
    {
        const std::scoped_lock lock{mutex_};
        errands_.emplace_back([&] {
            std::ranges::for_each(peers_, what);
            done.set_value();
        });
    }
    (void)waker_.write("!");
    done.get_future().wait();
}

int TcpServer::accepted() const {
    const std::scoped_lock lock{mutex_};
    return accepted_;
}

void TcpServer::serve(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        wait();
        run_errands();
        turn();
    }
}

void TcpServer::wait() {
    std::vector<pollfd> sockets{{sleeper_.fd(), POLLIN, 0}, {listener_.fd(), POLLIN, 0}};
    TimePoint until = TimePoint::max();
    for (const Peer& peer : peers_) {
        const int writes = peer.out.empty() ? 0 : POLLOUT;
        sockets.push_back({peer.socket.fd(), static_cast<short>(POLLIN | writes), 0});
        until = std::min(until, peer.due);
    }
    int milliseconds = -1;
    if (until != TimePoint::max()) {
        const Duration left = std::max(until - system_clock().now(), Duration{});
        milliseconds = static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
    }
    ::poll(sockets.data(), sockets.size(), milliseconds);
    std::array<char, 64> wakes{};
    while (sleeper_.read(wakes).kind == net::IoKind::done) {}
}

void TcpServer::run_errands() {
    std::vector<std::function<void()>> errands;
    {
        const std::scoped_lock lock{mutex_};
        errands.swap(errands_);
    }
    for (const auto& errand : errands) errand();
}

void TcpServer::turn() {
    const TimePoint now = system_clock().now();
    for (net::Socket socket = listener_.accept(); socket; socket = listener_.accept()) {
        peers_.push_back({.socket = std::move(socket)});
        const std::scoped_lock lock{mutex_};
        ++accepted_;
    }
    for (Peer& peer : peers_) serve_peer(peer, now);
    std::erase_if(peers_, [](const Peer& peer) { return !peer.socket; });
}

void TcpServer::serve_peer(Peer& peer, TimePoint now) const {
    const std::size_t before = peer.in.size();
    const Line reads = read_all(peer);
    // Whoever sends and goes at once is still heard.
    if (peer.in.size() > before && options_.on_bytes) options_.on_bytes(peer, now);
    if (peer.due <= now) {
        peer.due = TimePoint::max();
        if (options_.on_due) options_.on_due(peer, now);
    }
    const Line writes = write_all(peer);
    if (reads == Line::gone || writes == Line::gone) peer.socket.close();
}

}  // namespace perdure::live
