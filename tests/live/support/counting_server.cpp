// SPDX-License-Identifier: Apache-2.0
#include "live/support/counting_server.hpp"

#include "perdure/http/request_parser.hpp"
#include "perdure/http/response_writer.hpp"

namespace perdure::live {
namespace {

http::Response response(int status, std::string body) {
    http::Response made{.status = status, .reason = status == 200 ? "OK" : "Bad Request"};
    made.body = std::move(body);
    return made;
}

}  // namespace

CountingServer::CountingServer(const std::string& host)
    : server_{{.host = host, .on_bytes = [this](Peer& peer, TimePoint) { read(peer); }}} {}

void CountingServer::read(Peer& peer) {
    while (!peer.in.empty() && peer.then == Peer::Then::stay) {
        // Begins again with every piece, which is slow for large bodies and simple for small ones.
        http::RequestParser parser;
        std::size_t used = 0;
        const http::Parsed parsed = parser.feed(peer.in, used);
        if (parsed == http::Parsed::more) return;
        if (parsed == http::Parsed::broken) {
            http::append_response(peer.out, response(400, std::string{parser.problem()}));
            peer.then = Peer::Then::close;
            return;
        }
        const http::Headers& headers = parser.headers();
        http::append_response(peer.out,
                              response(200, answer(headers.find("x-request-id").value_or(""),
                                                   headers.find("idempotency-key").value_or(""))));
        if (!parser.keep_alive()) peer.then = Peer::Then::close;
        peer.in.erase(0, used);
    }
}

std::string CountingServer::answer(std::string_view id, std::string_view key) {
    const std::scoped_lock lock{mutex_};
    ++requests_;
    Count& count = counts_[std::string{id}];
    ++count.arrivals;
    if (key.empty()) {
        ++count.effects;
        return std::string{id};
    }
    const auto [found, is_new] = answered_.try_emplace(std::string{key}, id);
    if (is_new) ++count.effects;
    return found->second;
}

CountingServer::Count CountingServer::count(std::string_view id) const {
    const std::scoped_lock lock{mutex_};
    const auto found = counts_.find(id);
    return found == counts_.end() ? Count{} : found->second;
}

int CountingServer::effects(std::string_view id) const { return count(id).effects; }
int CountingServer::arrivals(std::string_view id) const { return count(id).arrivals; }

int CountingServer::requests() const {
    const std::scoped_lock lock{mutex_};
    return requests_;
}

void CountingServer::settle() {
    // A turn of the server reads all sockets; the second errand comes after the turn of the first.
    for (int turn = 0; turn < 2; ++turn) server_.for_each([](Peer&) {});
}

void CountingServer::close_idle() {
    server_.for_each([](Peer& peer) {
        if (peer.in.empty() && peer.out.empty()) peer.socket.close();
    });
}

}  // namespace perdure::live
