// SPDX-License-Identifier: Apache-2.0
#include "chaos/link.hpp"

#include <algorithm>
#include <utility>

#include <sys/socket.h>

namespace perdure {
inline namespace v0 {
namespace chaos {

namespace {

// A side that does not take what it gets stops the other one from being read.
constexpr std::size_t most_on_its_way = 262'144;
// One busy link must not keep the others waiting.
constexpr int most_rounds = 16;
constexpr Duration connect_within = 10s;
constexpr Duration linger_for = 1s;

}  // namespace

Link::Link(Surroundings& around, net::Socket client, TimePoint now) : around_{around}, now_{now} {
    at(Toward::client).socket = std::move(client);
    record_.connection = ++around_.connections;
    record_.accepted = now;
}

Link::~Link() { at(Toward::client).socket.reset(); }

void Link::close_account(TimePoint now) {
    record_.ended = now;
    record_.bytes_to_server = at(Toward::server).out.written();
    record_.bytes_to_client = at(Toward::client).out.written();
    around_.book.write(std::move(record_));
    around_.book.closed();
}

void Link::strike(const Rule& rule, When forwarding, Record& record) {
    around_.book.fault(rule.fault, forwarding);
    const bool shaping =
        rule.fault == Fault::delay || rule.fault == Fault::drip || rule.fault == Fault::rewrite;
    if (shaping && record.fault) return;
    record.fault = rule.fault;
    record.rule = name_of(rule);
}

// What the links do to their sockets.

void Link::connect() {
    Side& server = at(Toward::server);
    if (server.socket) return;
    auto opened = net::Socket::open(around_.to.family());
    if (!opened) return fail(Toward::server);
    server.socket = std::move(*opened);
    const net::Io io = server.socket.connect(around_.to);
    if (io.kind == net::IoKind::failed) return fail(Toward::server);
    server.connecting = io.kind == net::IoKind::would_block;
    if (server.connecting) server.give_up = now_ + connect_within;
}

void Link::finish_connecting() {
    Side& server = at(Toward::server);
    if (!server.connecting) return;
    const net::Io io = server.socket.finish_connect();
    if (io.kind == net::IoKind::would_block && now_ < server.give_up) return;
    server.connecting = false;
    server.give_up = TimePoint::max();
    if (io.kind != net::IoKind::done) fail(Toward::server);
}

void Link::send(Toward side, std::string_view bytes, const Pace& pace) {
    Pace known = pace;
    if (pace.due <= now_) known.due = {};
    at(side).out.push(bytes, known);
}

void Link::drop_server() noexcept {
    at(Toward::server).out.clear();
    at(Toward::server).socket.close();
    at(Toward::server).connecting = false;
}

void Link::reset_client() noexcept {
    at(Toward::client).socket.reset();
    drain();
}

void Link::drain() noexcept {
    if (state_ != State::over) state_ = State::draining;
}

void Link::fall_silent() noexcept { state_ = State::silent; }

void Link::abandon_server(TimePoint until) noexcept {
    at(Toward::client).socket.reset();
    at(Toward::client).out.clear();
    abandoned_until_ = until;
    state_ = State::abandoned;
}

void Link::leave() noexcept {
    drop_server();
    at(Toward::client).socket.close();
    state_ = State::over;
}

void Link::fail(Toward side) {
    if (state_ == State::draining) {
        // The other side may still be owed something.
        at(side).socket.close();
        at(side).connecting = false;
        return;
    }
    if (side == Toward::server) around_.book.count(&Counters::upstream_failed);
    broke(side);
    at(Toward::client).socket.reset();
    leave();
}

// One turn.

void Link::turn(TimePoint now) {
    now_ = now;
    if (state_ == State::silent) return look_after_silence();
    if (state_ == State::abandoned) return look_after_abandoned();
    finish_connecting();
    bool more = true;
    for (int round = 0; more && open() && round < most_rounds; ++round) {
        more = read(Toward::client);
        flush(Toward::server);
        if (open()) more |= read(Toward::server);
        flush(Toward::client);
    }
    if (state_ != State::draining) return;
    settle(Toward::server);
    settle(Toward::client);
    if (!at(Toward::server).socket && !at(Toward::client).socket) state_ = State::over;
}

bool Link::may_read(Toward side) const noexcept {
    return at(side).socket && !at(side).connecting && !at(side).ended &&
           at(other(side)).out.size() < most_on_its_way;
}

bool Link::read(Toward side) {
    if (!may_read(side)) return false;
    const net::Io io = at(side).socket.read(around_.buffer);
    switch (io.kind) {
        case net::IoKind::would_block: return false;
        case net::IoKind::failed: fail(side); return false;
        case net::IoKind::closed:
            at(side).ended = true;
            ended(side);
            return false;
        case net::IoKind::done: break;
    }
    received(side, {around_.buffer.data(), io.bytes});
    return true;
}

void Link::flush(Toward side) {
    Side& to = at(side);
    if (!to.socket || to.connecting || state_ == State::silent || state_ == State::over) return;
    const bool something = !to.out.empty();
    if (something) {
        if (to.out.last_write(now_)) last_write(side);
        if (to.out.flush(to.socket, now_) == net::IoKind::failed) return fail(side);
    }
    if (something && to.out.empty()) all_written(side);
    if (to.out.empty() && to.shut_wanted && to.socket && !std::exchange(to.was_shut, true))
        ::shutdown(to.socket.fd(), SHUT_WR);
}

void Link::settle(Toward side) {
    Side& one = at(side);
    flush(side);
    if (one.socket && one.out.empty() && !one.connecting && !lingers(one)) one.socket.close();
}

// Whether to wait for its own end. Closing at once would be a reset to a peer that is still sending,
// and a reset can overtake what we sent last.
bool Link::lingers(Side& side) const noexcept {
    if (side.give_up == TimePoint::max()) side.give_up = now_ + linger_for;
    if (!std::exchange(side.was_shut, true)) ::shutdown(side.socket.fd(), SHUT_WR);
    std::array<char, 4096> ignored;
    net::Io io{};
    while (!side.ended && (io = side.socket.read(ignored)).kind == net::IoKind::done) {}
    return !side.ended && io.kind == net::IoKind::would_block && now_ < side.give_up;
}

// Silent links are not read; poll() tells when the client has gone.
void Link::look_after_silence() noexcept {
    pollfd one{.fd = at(Toward::client).socket.fd(), .events = POLLRDHUP, .revents = 0};
    if (::poll(&one, 1, 0) > 0) leave();
}

// What the server says is not read, as it would not be by a client that has vanished.
void Link::look_after_abandoned() {
    finish_connecting();
    flush(Toward::server);
    if (over() || at(Toward::server).connecting) return;
    pollfd one{.fd = at(Toward::server).socket.fd(), .events = POLLRDHUP, .revents = 0};
    if (now_ >= abandoned_until_ || ::poll(&one, 1, 0) > 0) leave();
}

void Link::watch(std::vector<pollfd>& into) const {
    for (const Toward side : {Toward::client, Toward::server}) {
        const Side& one = at(side);
        if (!one.socket) continue;
        short events = 0;
        if (one.connecting) events = POLLOUT;
        else if (state_ == State::silent) events = side == Toward::client ? POLLRDHUP : 0;
        else if (state_ == State::abandoned)
            events = static_cast<short>(POLLRDHUP | (one.out.due() <= now_ ? POLLOUT : 0));
        else {
            const bool draining = state_ == State::draining;
            const bool reads = draining ? one.was_shut : may_read(side);
            if (reads) events |= POLLIN;
            if (one.out.due() <= now_) events |= POLLOUT;
        }
        if (events != 0) into.push_back({.fd = one.socket.fd(), .events = events, .revents = 0});
    }
}

TimePoint Link::due() const noexcept {
    if (state_ == State::silent) return TimePoint::max();
    TimePoint first = abandoned_until_;
    for (const Side& side : sides_) {
        if (!side.socket) continue;
        first = std::min(first, side.give_up);
        // What is due already waits for its socket.
        if (!side.connecting && side.out.due() > now_) first = std::min(first, side.out.due());
    }
    return first;
}

}  // namespace chaos
}  // namespace v0
}  // namespace perdure
