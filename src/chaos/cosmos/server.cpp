// SPDX-License-Identifier: Apache-2.0
#include "chaos/cosmos/server.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

#include <unistd.h>

#include "chaos/cosmos/connection.hpp"
#include "perdure/http/date.hpp"
#include "perdure/time/start_thread.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

namespace {

constexpr Duration try_again_in = 10ms;
constexpr int most_accepted_at_once = 64;

std::vector<std::uint16_t> ports_of(const std::vector<Listener>& listeners, std::size_t regions) {
    std::vector<std::uint16_t> ports(regions);
    for (const Listener& one : listeners)
        if (one.where < regions) ports[one.where] = one.door.address().port();
    return ports;
}

}  // namespace

Server::Server(const GatewayOptions& options, Clock& its_clock, std::vector<Listener> listeners,
               net::Socket waker)
    : account{options, ports_of(listeners, options.regions.size())},
      clock{its_clock},
      listeners_{std::move(listeners)},
      waker_{std::move(waker)} {}

Server::~Server() {
    stopping_ = true;
    wake();
    if (thread_.joinable()) thread_.join();
}

Result<void> Server::start(Control control) {
    control_ = std::move(control);
    PERDURE_TRY_VALUE(thread_, start_thread([this] { run(); }));
    return {};
}

void Server::wake() const noexcept {
    const std::uint64_t one = 1;
    (void)!::write(waker_.fd(), &one, sizeof one);
}

void Server::put_in_force() {
    // Whoever controls the gateway over HTTP is served by this very thread.
    if (std::this_thread::get_id() == thread_.get_id()) return mind_doors(clock.now());
    std::unique_lock lock{mutex};
    const std::uint64_t mine = ++wanted_;
    wake();
    in_force_.wait(lock, [&] { return reached_ >= mine; });
}

std::uint16_t Server::port_of(std::size_t where) const noexcept {
    for (const Listener& one : listeners_)
        if (one.where == where) return one.door.address().port();
    return 0;
}

RegionState Server::state_of(std::size_t where) const noexcept {
    if (where == control_door) return RegionState::up;
    return where == global ? account.global_state : account.regions[where].state;
}

const std::string& Server::date() {
    const WallTime wall = clock.wall();
    const auto second = std::chrono::floor<std::chrono::seconds>(wall).time_since_epoch().count();
    if (second != date_second_ || date_.empty()) {
        date_second_ = second;
        date_ = http::http_date(wall);
    }
    return date_;
}

void Server::hear() {
    std::uint64_t ignored = 0;
    (void)!::read(waker_.fd(), &ignored, sizeof ignored);
    std::uint64_t reaching = 0;
    {
        const std::lock_guard lock{mutex};
        reaching = wanted_;
    }
    mind_doors(clock.now());
    const std::lock_guard lock{mutex};
    reached_ = reaching;
    in_force_.notify_all();
}

void Server::mind_doors(TimePoint now) {
    const std::lock_guard lock{mutex};
    for (Listener& one : listeners_) {
        if (state_of(one.where) == RegionState::refusing) one.door.close();
        else if (!one.door.is_open() && now >= one.again && !one.door.reopen())
            one.again = now + try_again_in;
    }
    for (const auto& one : connections_) {
        const RegionState state = state_of(one->where());
        if (state == RegionState::refusing) one->reset();
        if (state == RegionState::black_hole) one->fall_silent();
    }
}

void Server::accept(Listener& listener, TimePoint now) {
    for (int i = 0; i < most_accepted_at_once; ++i) {
        if (connections_.size() >= account.options.connections) return;
        net::Socket client;
        const auto met =
            listener.door.is_open() ? listener.door.accept(client) : net::Door::Met::nobody;
        if (met == net::Door::Met::no_room) listener.again = now + try_again_in;
        if (met != net::Door::Met::client) return;
        auto made = std::make_unique<Connection>(*this, std::move(client), listener.where);
        {
            const std::lock_guard lock{mutex};
            if (state_of(listener.where) == RegionState::black_hole) made->fall_silent();
        }
        connections_.push_back(std::move(made));
    }
}

void Server::wait() {
    const TimePoint now = clock.now();
    TimePoint until = TimePoint::max();
    const bool full = connections_.size() >= account.options.connections;
    polled_.clear();
    polled_.push_back({.fd = waker_.fd(), .events = POLLIN, .revents = 0});
    for (const Listener& one : listeners_) {
        const bool listens = one.door.is_open() && now >= one.again && !full;
        polled_.push_back({.fd = listens ? one.door.fd() : -1, .events = POLLIN, .revents = 0});
        if (one.again > now) until = std::min(until, one.again);
    }
    for (const auto& one : connections_) {
        polled_.push_back({.fd = one->fd(), .events = one->events(), .revents = 0});
        until = std::min(until, one->due());
    }
    const Duration left = std::clamp<Duration>(until - now, 0s, 1h);
    const timespec time{.tv_sec = left / 1s, .tv_nsec = (left % 1s).count()};
    if (::ppoll(polled_.data(), polled_.size(), &time, nullptr) < 0)
        for (pollfd& one : polled_) one.revents = 0;
}

void Server::run() {
    sigset_t all;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, nullptr);
    while (!stopping_.load()) {
        wait();
        if (polled_[0].revents != 0) hear();
        const TimePoint now = clock.now();
        const std::size_t first = 1 + listeners_.size();
        for (std::size_t i = 0; i < connections_.size(); ++i)
            if (polled_[first + i].revents != 0 || connections_[i]->due() <= now)
                connections_[i]->turn(now);
        bool closed = false;
        for (std::size_t i = 0; i < listeners_.size(); ++i) {
            if (polled_[1 + i].revents != 0) accept(listeners_[i], now);
            closed = closed || (listeners_[i].again > TimePoint{} && !listeners_[i].door.is_open());
        }
        if (closed) mind_doors(now);
        std::erase_if(connections_, [](const auto& one) { return one->over(); });
    }
    for (const auto& one : connections_) one->reset();
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
