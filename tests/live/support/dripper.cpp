// SPDX-License-Identifier: Apache-2.0
#include "live/support/dripper.hpp"

#include <string_view>

namespace perdure::live {
namespace {

// Enough for a quarter of an hour at a byte a second.
const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";
const std::string text = head + std::string(1000, '.');

}  // namespace

Dripper::Dripper(DripperOptions options)
    : options_{options},
      server_{{.on_bytes = [this](Peer& peer, TimePoint now) { answer(peer, now); },
               .on_due = [this](Peer& peer, TimePoint now) { drip(peer, now); }}} {}

void Dripper::answer(Peer& peer, TimePoint now) {
    const std::size_t end = peer.in.find("\r\n\r\n");
    if (end == std::string::npos) return;
    peer.in.erase(0, end + 4);
    if (++seen_ > options_.slow_requests || mended_) {
        peer.out += "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
        return;
    }
    if (options_.drips == DripperOptions::What::nothing) return;
    if (options_.drips == DripperOptions::What::body) peer.out += head;
    peer.mark = peer.out.size();  // where in the text it is
    peer.due = now;
}

void Dripper::drip(Peer& peer, TimePoint now) const {
    if (peer.mark >= text.size()) return;
    peer.out += text[peer.mark++];
    peer.due = now + options_.every;
}

}  // namespace perdure::live
