// SPDX-License-Identifier: Apache-2.0
#include "perdure/net/dial.hpp"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <utility>

#include "perdure/net/failures.hpp"

namespace perdure {
inline namespace v0 {
namespace net {
namespace {

// How much an error says about why nobody could be reached.
constexpr int no_route = 1;
constexpr int from_there = 2;
constexpr int ran_out = 3;

int weight_of(int error, Family family) noexcept {
    switch (error) {
        case ENETUNREACH:
        case EAFNOSUPPORT: return no_route;
        // Of IPv6 it mostly says that this machine has no such address itself; of IPv4, that its
        // ports have run out.
        case EADDRNOTAVAIL: return family == Family::v6 ? no_route : ran_out;
        case EAGAIN:
        case ENOBUFS:
        case ENOMEM: return ran_out;
        default: return from_there;
    }
}

}  // namespace

Dial::Dial(std::shared_ptr<const Addresses> addresses, std::uint16_t port, DialOptions options)
    : addresses_{std::move(addresses)}, port_{port}, options_{options} {
    assert(addresses_);
    options_.most_at_once = std::clamp(options_.most_at_once, 1, static_cast<int>(most));
}

Dial::State Dial::turn(TimePoint now, Wants& wants) {
    if (state_ == State::under_way) look_at_tries(now);
    if (state_ == State::under_way) start_tries(now);
    if (state_ != State::under_way) return state_;
    if (count_ == 0) return state_ = State::failed;

    for (std::size_t i = 0; i < count_; ++i) wants.add(tries_[i].socket.fd(), Ready::write);
    if (may_start()) wants.until(next_at_);
    return state_;
}

bool Dial::may_start() const noexcept {
    return next_ < addresses_->size() && count_ < static_cast<std::size_t>(options_.most_at_once);
}

void Dial::look_at_tries(TimePoint now) {
    const auto going = std::exchange(count_, 0);
    for (std::size_t i = 0; i < going; ++i) {
        Try each = std::move(tries_[i]);
        const Io io = each.socket.finish_connect();
        if (io.kind == IoKind::done) return keep(std::move(each));
        if (io.kind == IoKind::would_block) {
            tries_[count_++] = std::move(each);
            continue;
        }
        next_at_ = now;  // nobody waits for an address that has said no
        note(failure_of(io.error, Doing::connecting),
             weight_of(io.error, (*addresses_)[each.which].family()), each.which);
    }
}

void Dial::start_tries(TimePoint now) {
    while (state_ == State::under_way && may_start() && (count_ == 0 || now >= next_at_)) {
        const auto before = count_;
        start(next_++);
        if (count_ > before) next_at_ = after(now, options_.stagger);
    }
}

void Dial::start(std::size_t which) {
    const Address address = (*addresses_)[which].with_port(port_);
    auto socket = Socket::open(address.family());
    if (!socket) {
        const bool out = socket.error().cause == Cause::exhausted;
        // The next address would not find a descriptor either.
        if (out) next_ = addresses_->size();
        return note(std::move(socket).error(), out ? ran_out : no_route, which);
    }
    const Io io = socket->connect(address);
    if (io.kind == IoKind::done) return keep({std::move(*socket), which});
    if (io.kind == IoKind::would_block) {
        tries_[count_++] = {std::move(*socket), which};
        return;
    }
    note(failure_of(io.error, Doing::connecting), weight_of(io.error, address.family()), which);
}

void Dial::keep(Try winner) {
    for (Try& other : tries_) other.socket.close();
    tries_[0] = std::move(winner);
    count_ = 1;
    state_ = State::connected;
}

void Dial::note(Failure failure, int weight, std::size_t which) {
    if (failure_ && weight < weight_) return;
    failure.message += " (" + (*addresses_)[which].with_port(port_).to_string() + ")";
    failure_ = std::make_unique<Failure>(std::move(failure));
    weight_ = weight;
}

Socket Dial::take() {
    assert(state_ == State::connected && tries_[0].socket);
    return std::move(tries_[0].socket);
}

Address Dial::peer() const {
    assert(state_ == State::connected);
    return (*addresses_)[tries_[0].which].with_port(port_);
}

Failure Dial::failure() const {
    assert(state_ == State::failed);
    if (failure_) return *failure_;
    return {.cause = Cause::unavailable,
            .effect = Effect::none,
            .origin = Origin::network,
            .code = "no-address",
            .message = "there is no address to connect to"};
}

}  // namespace net
}  // namespace v0
}  // namespace perdure
