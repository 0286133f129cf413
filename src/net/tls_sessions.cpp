// SPDX-License-Identifier: Apache-2.0
#include "net/tls_sessions.hpp"

#include <algorithm>
#include <utility>

namespace perdure {
inline namespace v0 {
namespace net {

void TlsSessions::put(std::string_view peer, SslSession session) {
    if (most_ == 0) return;
    const bool renewable = SSL_SESSION_get_protocol_version(session.get()) < TLS1_3_VERSION;
    const std::size_t most_here = renewable ? 1 : most_per_peer;
    const auto of_peer = [peer](const Kept& kept) { return kept.peer == peer; };

    const std::scoped_lock lock{mutex_};
    const auto here = static_cast<std::size_t>(std::ranges::count_if(kept_, of_peer));
    if (here >= most_here) kept_.erase(std::ranges::find_if(kept_, of_peer));
    else if (kept_.size() >= most_) kept_.pop_front();
    kept_.push_back({std::string{peer}, std::move(session)});
}

SslSession TlsSessions::take(std::string_view peer) {
    const std::scoped_lock lock{mutex_};
    const auto found = std::find_if(kept_.rbegin(), kept_.rend(),
                                    [peer](const Kept& kept) { return kept.peer == peer; });
    if (found == kept_.rend()) return nullptr;
    SSL_SESSION* const session = found->session.get();
    if (SSL_SESSION_get_protocol_version(session) < TLS1_3_VERSION) {
        // Servers of 1.2 seldom renew a ticket: it serves until it is refused.
        return SslSession{SSL_SESSION_dup(session)};
    }
    SslSession taken = std::move(found->session);
    kept_.erase(std::next(found).base());
    return taken;
}

std::size_t TlsSessions::count() const {
    const std::scoped_lock lock{mutex_};
    return kept_.size();
}

}  // namespace net
}  // namespace v0
}  // namespace perdure
