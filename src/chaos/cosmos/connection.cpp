// SPDX-License-Identifier: Apache-2.0
#include "chaos/cosmos/connection.hpp"

#include <array>
#include <utility>

#include <sys/socket.h>

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

namespace {

http::Limits limits_of(const GatewayOptions& options) {
    http::Limits limits;
    limits.head = options.head_limit;
    limits.body = 8'388'608;
    return limits;
}

}  // namespace

Connection::Connection(Server& server, net::Socket socket, std::size_t where)
    : server_{server},
      socket_{std::move(socket)},
      where_{where},
      parser_{limits_of(server.account.options)} {}

void Connection::fall_silent() noexcept {
    silent_ = true;
    out_.clear();
    said_ = 0;
    due_ = TimePoint::max();
    waits_.reset();
}

void Connection::turn(TimePoint now) {
    if (due_ != TimePoint::max()) {
        if (now < due_) return;
        due_ = TimePoint::max();
        if (waits_) {
            const GatewayFault fault = *std::exchange(waits_, std::nullopt);
            const Asked request = asked(now);
            const std::lock_guard lock{server_.mutex};
            server_.account.begin(request);
            if (!unreachable(request)) apply(request, &fault);
        } else if (out_.empty() && then_ == Then::reset) {
            return reset();
        }
    }
    while (!over() && due_ == TimePoint::max())
        if (!(said_ < out_.size() ? say() : hear(now))) return;
}

// True: look again.
bool Connection::hear(TimePoint now) {
    std::array<char, 16'384> bytes;
    const net::Io io = socket_.read(bytes);
    if (io.kind == net::IoKind::would_block) return false;
    if (io.kind != net::IoKind::done) return socket_.close(), false;
    if (silent_) return true;
    in_.append(bytes.data(), io.bytes);
    take_in(now);
    // What was asked has been read whole; if there is more, poll says so.
    return said_ < out_.size() || io.bytes == bytes.size();
}

void Connection::take_in(TimePoint now) {
    std::size_t used = 0;
    const http::Parsed parsed = parser_.feed(in_, used);
    in_.erase(0, used);
    if (parsed == http::Parsed::broken) return refuse();
    if (parsed == http::Parsed::complete) {
        continued_ = false;
        return serve(now);
    }
    if (parser_.head_complete() && parser_.expects_continue() && !std::exchange(continued_, true))
        out_ += "HTTP/1.1 100 Continue\r\n\r\n";
}

// As front ends do it, without a word of JSON.
void Connection::refuse() {
    Answer answer;
    answer.status =
        parser_.kind() == http::Problem::too_large && parser_.head_complete() ? 413 : 400;
    answer.type = "text/html";
    answer.body = answer.status == 400 && parser_.kind() == http::Problem::too_large
                      ? "<html><head><title>Bad Request</title></head><body><h2>Bad Request - "
                        "Request Too Long</h2></body></html>"
                      : html_body(answer.status);
    answer.headers.add("Connection", "close");
    append_answer(out_, answer, server_.date());
    then_ = Then::close;
}

Asked Connection::asked(TimePoint now) const {
    return {.door = where_,
            .method = parser_.method(),
            .target = parser_.target(),
            .headers = parser_.headers(),
            .body = parser_.body(),
            .now = now,
            .wall = server_.clock.wall()};
}

// The global endpoint leads to the write region, except for the account document.
bool Connection::unreachable(const Asked& request) {
    if (where_ != global || request.target == "/") return false;
    const RegionState state = server_.state_of(server_.account.topology.hub);
    if (state == RegionState::black_hole) fall_silent();
    if (state == RegionState::refusing) reset();
    if (state != RegionState::black_hole && state != RegionState::refusing) return false;
    server_.account.note(request, nullptr, nullptr);
    return true;
}

void Connection::serve(TimePoint now) {
    const Asked request = asked(now);
    if (where_ == control_door) return send(server_.control_(request), FaultEnding::answer);
    const std::lock_guard lock{server_.mutex};
    server_.account.begin(request);
    if (unreachable(request)) return;
    auto fault = server_.account.strike(request);
    if (fault && fault->strikes == Strikes::before_applying && fault->delay > 0s) {
        due_ = after(now, fault->delay);
        waits_ = std::move(fault);
        return;
    }
    apply(request, fault ? &*fault : nullptr);
}

// Under the lock.
void Connection::apply(const Asked& request, const GatewayFault* fault) {
    Account& account = server_.account;
    const FaultEnding ending = fault ? fault->ending : FaultEnding::answer;
    const bool early = fault && fault->strikes == Strikes::before_applying;
    Answer answer;
    if (!early || (fault->status == 0 && ending == FaultEnding::answer))
        answer = account.serve(request);
    else if (fault->status == 0) answer.body = "{\"half\":\"an answer\"}";
    if (fault && fault->status != 0) answer = account.instead(*fault);
    const bool heard = ending == FaultEnding::answer;
    account.note(request, fault, heard ? &answer : nullptr);
    if (fault && !early && fault->delay > 0s) due_ = after(request.now, fault->delay);
    if (ending == FaultEnding::silence) return fall_silent();
    if (ending == FaultEnding::reset) {
        then_ = Then::reset;
        if (due_ == TimePoint::max()) reset();
        return;
    }
    send(answer, ending);
}

void Connection::send(const Answer& answer, FaultEnding ending) {
    append_answer(out_, answer, server_.date());
    if (ending == FaultEnding::half_answer) {
        const std::size_t lost =
            answer.body.empty() ? out_.size() / 2 : (answer.body.size() + 1) / 2;
        out_.resize(out_.size() - lost);
        then_ = Then::reset;
    } else if (!parser_.keep_alive()) {
        then_ = Then::close;
    }
    parser_.next();
}

bool Connection::say() {
    const net::Io io = socket_.write(std::string_view{out_}.substr(said_));
    if (io.kind == net::IoKind::would_block) return false;
    if (io.kind != net::IoKind::done) return socket_.close(), false;
    said_ += io.bytes;
    if (said_ < out_.size()) return true;
    out_.clear();
    said_ = 0;
    if (then_ == Then::close) {
        // A socket that is closed with unread bytes is reset, and our answer might be lost with it.
        (void)::shutdown(socket_.fd(), SHUT_WR);
        fall_silent();
        return true;
    }
    if (then_ == Then::reset) return socket_.reset(), false;
    if (in_.empty()) return false;
    take_in(server_.clock.now());
    return true;
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
