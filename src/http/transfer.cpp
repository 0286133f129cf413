// SPDX-License-Identifier: Apache-2.0
//
// Getting a connection. What is done with it is in transfer_exchange.cpp.
#include "transfer.hpp"

#include <algorithm>
#include <utility>

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

// Bytes of a proxy's answer between two looks at the clock.
constexpr int most_of_a_tunnel = 4096;

std::string tunnel_request(const Route& route) {
    const std::string& host = route.url.host;
    const std::string authority = (host.find(':') == std::string::npos ? host : "[" + host + "]") +
                                  ":" + std::to_string(route.url.port);
    std::string bytes = "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n";
    const std::string& authorization = route.options.proxy->authorization;
    if (!authorization.empty()) bytes += "Proxy-Authorization: " + authorization + "\r\n";
    return bytes += "\r\n";
}

}  // namespace

Conversation::~Conversation() = default;
Result<Duration> Conversation::ready(const Attempt&, TimePoint) { return Duration::zero(); }
std::string Conversation::place(const Attempt&) const { return {}; }
GzipBody Conversation::gzip_body(int) const noexcept { return GzipBody::keep; }
void Conversation::ended(const Attempt&, Failure*, TimePoint) {}
Landed<void> Conversation::landed(Response&, Duration) { return Landed<void>::unknown(); }

Transfer::Transfer(Route& route, Conversation* talk, const Attempt& attempt,
                   const TransferTimes& times, net::Waker& waker)
    : route_{route},
      talk_{talk},
      waker_{waker},
      attempt_{attempt},
      times_{times},
      phase_began_{times.started},
      place_{route.pool, waker},
      parser_{route.options.limits} {}

Transfer::~Transfer() {
    if (!connection_) return;
    // One that was only to connect has done so.
    if (stage_ != Stage::ended) connection_->cut();
    else place_.give_back(std::move(connection_), connected_at_);
}

bool Transfer::turn(TimePoint now, net::Wants& wants) {
    while (advance(now, wants)) {}
    if (stage_ == Stage::ended) return true;
    if (now >= limit()) {
        time_out(now);
        return true;
    }
    wants.until(limit());
    return false;
}

bool Transfer::advance(TimePoint now, net::Wants& wants) {
    switch (stage_) {
        case Stage::fresh:
            place_.ask(now);
            stage_ = Stage::queued;
            return true;
        case Stage::queued: return wait_for_place(now, wants);
        case Stage::waiting_to_dial: return wait_to_dial(now, wants);
        case Stage::resolving: return resolve(now, wants);
        case Stage::dialling: return dial(now, wants);
        case Stage::tunnelling: return tunnel(now, wants);
        case Stage::handshaking: return handshake(now, wants);
        case Stage::exchanging: return exchange(now, wants);
        case Stage::unpacking: return unpack_rest(now, wants);
        case Stage::ended: return false;
    }
    return false;
}

TimePoint Transfer::limit() const noexcept {
    return stage_ >= Stage::exchanging ? until_ : std::min(times_.set_up_until, times_.end);
}

bool Transfer::wait_for_place(TimePoint now, net::Wants& wants) {
    if (!place_.granted()) {
        wants.add_others();
        return false;
    }
    std::unique_ptr<net::Pooled> pooled = place_.take();
    // After a misdirected request, say: an old connection would lead to the same place.
    if (attempt_.remedies.has(Remedy::fresh_connection)) pooled.reset();
    if (pooled) reuse(std::move(pooled), now);
    else stage_ = Stage::waiting_to_dial;
    return true;
}

void Transfer::reuse(std::unique_ptr<net::Pooled> pooled, TimePoint now) {
    connection_.reset(static_cast<Connection*>(pooled.release()));
    phases_.reused = true;
    connected(now);
}

// Where nobody gets through, one tries for all.
bool Transfer::wait_to_dial(TimePoint now, net::Wants& wants) {
    using Accepts = net::Pool::Place::Accepts;
    if (auto handed = place_.take_handed()) return reuse(std::move(handed), now), true;
    const bool fresh = attempt_.remedies.has(Remedy::fresh_connection);
    if (!place_.may_dial(now, fresh ? Accepts::new_only : Accepts::any)) {
        if (phases_.reached != Phase::connect) enter(Phase::connect, now);
        wants.add_others();
        wants.until(place_.dial_at());
        return false;
    }
    enter(Phase::dns, now);
    lookup_ = route_.resolver.look_up(route_.dialled_host(), waker_);
    stage_ = Stage::resolving;
    return true;
}

bool Transfer::resolve(TimePoint now, net::Wants& wants) {
    if (!lookup_.done()) {
        wants.add_others();
        return false;
    }
    auto addresses = lookup_.take();
    if (!addresses) return not_resolved(std::move(addresses.error()), now), true;
    enter(Phase::connect, now);
    dial_ = std::make_unique<net::Dial>(*std::move(addresses), route_.dialled_port());
    stage_ = Stage::dialling;
    return true;
}

bool Transfer::dial(TimePoint now, net::Wants& wants) {
    switch (dial_->turn(now, wants)) {
        case net::Dial::State::under_way: return false;
        case net::Dial::State::failed: return not_connected(dial_->failure(), now), true;
        case net::Dial::State::connected: break;
    }
    use(dial_->take(), now);
    return true;
}

void Transfer::not_resolved(Failure failure, TimePoint now) {
    if (failure.rule == "connect") place_.dialled(&failure, now);
    fail_with(std::move(failure), now);
}

// Nothing was sent: Plan::connect says how it is repeated. Our own lack of descriptors is another matter.
void Transfer::not_connected(Failure failure, TimePoint now) {
    if (failure.cause == Cause::unavailable || failure.cause == Cause::timed_out)
        failure.rule = "connect";
    place_.dialled(&failure, now);
    fail_with(std::move(failure), now);
}

// Whoever waited for another's news says what that one was told.
void Transfer::not_connected_in_time(Failure failure, TimePoint now) {
    if (stage_ != Stage::waiting_to_dial) return not_connected(std::move(failure), now);
    const auto told = place_.dial_failure();
    if (told) failure = *told;
    failure.rule = "connect";
    fail_with(std::move(failure), now);
}

void Transfer::use(net::Socket socket, TimePoint now) {
    dial_.reset();
    place_.dialled(nullptr, now);
    raw_ = std::move(socket);
    if (!route_.tunnelled()) return talk_over_it(now);
    bytes_ = tunnel_request(route_);
    parser_.expect(Answering::connect);
    stage_ = Stage::tunnelling;
}

// The proxy's part of setting up: nothing of the caller's request is in it.
bool Transfer::tunnel(TimePoint now, net::Wants& wants) {
    while (sent_ < bytes_.size()) {
        const net::Io io = raw_.write(std::string_view{bytes_}.substr(sent_));
        if (io.kind == net::IoKind::would_block)
            return wants.add(raw_.fd(), net::Ready::write), false;
        if (io.kind != net::IoKind::done) return refused_by_proxy({}, io.error, now), true;
        sent_ += io.bytes;
    }
    // Byte by byte: what comes after the answer belongs to TLS.
    for (int bytes = 0;; ++bytes) {
        if (bytes == most_of_a_tunnel) return wants.until(now), false;
        char byte = 0;
        const net::Io io = raw_.read({&byte, 1});
        if (io.kind == net::IoKind::would_block)
            return wants.add(raw_.fd(), net::Ready::read), false;
        if (io.kind != net::IoKind::done) return refused_by_proxy({}, io.error, now), true;
        std::size_t used = 0;
        const Parsed parsed = parser_.feed({&byte, 1}, used);
        if (parsed == Parsed::more && !parser_.head_complete()) continue;
        if (parsed == Parsed::broken || parser_.status() / 100 != 2)
            return refused_by_proxy(parser_.problem(), 0, now), true;
        if (parsed == Parsed::complete) return talk_over_it(now), true;
    }
}

void Transfer::refused_by_proxy(std::string_view problem, int error, TimePoint now) {
    const int status = parser_.head_complete() ? parser_.status() : 0;
    Failure failure{.cause = status == 407 ? Cause::forbidden : Cause::unavailable,
                    .effect = Effect::none,
                    .origin = Origin::network,
                    .status = status,
                    .code = "proxy-refused",
                    .message = "the proxy did not open a tunnel"};
    if (!problem.empty()) failure.message += ": " + std::string{problem};
    if (error != 0) failure.code = net::failure_of(error, net::Doing::connecting).code;
    fail_with(std::move(failure), now);
}

// From here on the socket belongs to a stream.
void Transfer::talk_over_it(TimePoint now) {
    if (!route_.tls) {
        connection_ = std::make_unique<Connection>(net::plain_stream(std::move(raw_)));
        return connected(now);
    }
    enter(Phase::tls, now);
    connection_ = std::make_unique<Connection>(
        route_.tls->over(std::move(raw_), route_.url.host, route_.url.port));
    stage_ = Stage::handshaking;
}

bool Transfer::handshake(TimePoint now, net::Wants& wants) {
    net::Stream& stream = *connection_->stream;
    const net::Io io = stream.handshake();
    if (io.kind == net::IoKind::would_block)
        return wants.add(stream.fd(), stream.blocked_on()), false;
    if (io.kind == net::IoKind::done) return connected(now), true;
    Failure failure = net::tls_failure(stream, io, net::Doing::handshaking);
    failure.effect = Effect::none;
    return fail_with(std::move(failure), now), true;
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
