// SPDX-License-Identifier: Apache-2.0
//
// Which addresses has a name? Asked of the system's name servers without blocking anybody, and
// remembered for as long as the answer says.
//
//     net::Lookup lookup = resolver.look_up("db.internal", waker);   // often done at once
//     if (lookup.done()) dial.emplace(*lookup.take(), 5432);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/duration.hpp"
#include "perdure/net/addresses.hpp"
#include "perdure/net/waker.hpp"
#include "perdure/result.hpp"
#include "perdure/time/clock.hpp"
#include "perdure/time/deadline.hpp"
#include "perdure/time/random.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

struct ResolverOptions {
    // "127.0.0.1:5353"; empty: the system's. Own servers are asked for a name as it stands, without
    // the system's search list.
    std::vector<std::string> servers{};
    Duration give_up_after = 5s;  // a question ends by then, whoever waits for it
    // How long an answer is believed: what it says itself, within these. Up to a tenth less, but not
    // less than `least_ttl`, so that processes which asked together do not ask together again.
    Duration least_ttl = 1s;
    Duration longest_ttl = 5min;
    Duration negative_for = 1s;  // how long "there is no such name" is believed; up to a tenth less
    // An answer that has run out is still given for this long while it is asked for anew: name
    // servers that are down must not stop a service whose addresses are known.
    Duration stale_for = 1min;
    std::size_t most_names = 1000;  // remembered; and as many may be asked for at a time
};

class Question;      // src/net
class ResolverDesk;  // src/net

// One name on its way to its addresses. Used by one thread at a time. Destroying it leaves the queue
// at once and without waiting; the waker is not touched afterwards. May outlive its resolver.
class Lookup {
public:
    Lookup() noexcept;  // of nothing; only to be assigned to
    Lookup(Lookup&& other) noexcept;
    Lookup& operator=(Lookup&& other) noexcept;
    ~Lookup();

    [[nodiscard]] bool done() const noexcept;
    // Only when done. The addresses are in the order to try them and have no ports yet. No such name
    // is cause `unavailable`, silent servers are `timed_out`, a name that cannot be one is
    // `invalid`; the effect is always none.
    [[nodiscard]] Result<std::shared_ptr<const Addresses>> take();

private:
    friend class ResolverDesk;
    explicit Lookup(std::shared_ptr<const Addresses> addresses) noexcept;
    explicit Lookup(std::shared_ptr<const Failure> failure) noexcept;
    Lookup(std::shared_ptr<Question> question, Waker& waker);
    void leave() noexcept;

    std::shared_ptr<const Addresses> addresses_{};
    std::shared_ptr<const Failure> failure_{};
    std::shared_ptr<Question> question_{};
    Waker* waker_ = nullptr;
};

// Shared by all threads. Has one thread of its own from the first name that must be asked for; the
// destructor ends it within milliseconds, however silent the servers are, and with it the lookups
// under way. After fork() the child has no such thread: make resolvers where they shall run.
class Resolver {
public:
    explicit Resolver(ResolverOptions options = {}, Clock& clock = system_clock(),
                      Random& random = system_random());
    Resolver(const Resolver&) = delete;
    Resolver& operator=(const Resolver&) = delete;
    ~Resolver();

    // Done at once for numeric addresses, for "localhost" and for names it remembers; for others the
    // waker is woken when it is. However many ask for a name, the servers are asked once.
    [[nodiscard]] Lookup look_up(std::string_view host, Waker& waker);
    // The same for those who can only block: the addresses with their port set. Waits by the
    // machine's clock; past the deadline it is `timed_out`, after a stop `cancelled`.
    [[nodiscard]] Result<Addresses> look_up_by(std::string_view host, std::uint16_t port,
                                               Deadline deadline, const std::stop_token& stop = {});
    // A remedy: what is remembered about this name may be wrong, so ask again next time.
    void forget(std::string_view host);

private:
    std::unique_ptr<ResolverDesk> desk_;
};

// The process's own, never destroyed.
Resolver& default_resolver();

// True for a loopback address in digits, for "localhost" and for names under it, none of which is ever
// asked of a name server. Decide by this, and never by what a name resolves to, whether a connection
// may do without TLS: a forged DNS answer may say 127.0.0.1.
[[nodiscard]] bool is_loopback_host(std::string_view host) noexcept;

}  // namespace net
}  // namespace v0
}  // namespace perdure
