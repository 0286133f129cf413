// SPDX-License-Identifier: Apache-2.0
#include "promises/support/drill_server.hpp"

#include <utility>

#include "perdure/http/request_parser.hpp"
#include "perdure/http/response_writer.hpp"

namespace perdure::promises {
namespace {

constexpr Duration service_time = 50ms;

std::string header_of(const http::RequestParser& parser, std::string_view name) {
    return std::string{parser.headers().find(name).value_or("")};
}

}  // namespace

void DrillMemory::note_request(const std::string& way, Behaviour behaviour) {
    const std::scoped_lock lock{mutex_};
    ServerCounts& counts = counts_[way];
    ++counts.requests;
    if (behaviour != Behaviour::answers) ++counts.at_sick;
}

void DrillMemory::note_sick_answer(const std::string& way) {
    const std::scoped_lock lock{mutex_};
    ++counts_[way].at_sick;
}

void DrillMemory::note_connect(const std::string& way) {
    const std::scoped_lock lock{mutex_};
    ++counts_[way].connects;
}

void DrillMemory::take_effect(const std::string& way, std::int64_t call, std::string_view key) {
    const std::scoped_lock lock{mutex_};
    if (!key.empty() && !keys_.emplace(key).second) return;
    ++counts_[way].effects[call];
}

ServerCounts DrillMemory::counts_of(const std::string& way) const {
    const std::scoped_lock lock{mutex_};
    const auto found = counts_.find(way);
    return found == counts_.end() ? ServerCounts{} : found->second;
}

DrillPlace::DrillPlace(DrillMemory& memory, Effective effective)
    : memory_{memory},
      effective_{effective},
      server_{{.on_bytes = [this](live::Peer& peer, TimePoint now) { read(peer, now); },
               .on_due = [this](live::Peer& peer, TimePoint) { answer(peer); }}} {}

// One request at a time on a connection: clients do not pipeline.
void DrillPlace::read(live::Peer& peer, TimePoint now) {
    http::RequestParser parser;
    std::size_t used = 0;
    if (parser.feed(peer.in, used) != http::Parsed::complete) return;
    peer.in.erase(0, used);
    const Received request{.way = header_of(parser, "x-way"),
                           .call = std::stoll(header_of(parser, "x-call")),
                           .key = header_of(parser, "idempotency-key")};
    if (std::exchange(peer.mark, 1) == 0) memory_.note_connect(request.way);
    memory_.note_request(request.way, behaviour_.load());
    if (!well(peer)) return;
    if (effective_ == Effective::at_once) take_effect(request);
    received_[peer.socket.fd()] = request;
    peer.due = now + service_time;
}

void DrillPlace::answer(live::Peer& peer) {
    if (!well(peer)) return memory_.note_sick_answer(received_[peer.socket.fd()].way);
    if (effective_ == Effective::with_the_answer) take_effect(received_[peer.socket.fd()]);
    http::append_response(peer.out, {.status = 200, .reason = "OK"});
}

bool DrillPlace::well(live::Peer& peer) const {
    const Behaviour behaviour = behaviour_.load();
    if (behaviour == Behaviour::resets) peer.then = live::Peer::Then::reset;
    if (behaviour == Behaviour::says_503)
        http::append_response(peer.out, {.status = 503, .reason = "Service Unavailable"});
    return behaviour == Behaviour::answers;
}

void DrillPlace::take_effect(const Received& request) {
    memory_.take_effect(request.way, request.call, request.key);
}

}  // namespace perdure::promises
