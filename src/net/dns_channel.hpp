// SPDX-License-Identifier: Apache-2.0
//
// How are name servers asked? Through c-ares, which this class hides: names in, addresses out,
// descriptors and a time to wait for.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <poll.h>

#include "net/name_cache.hpp"

struct ares_addrinfo;
struct ares_channeldata;

namespace perdure {
inline namespace v0 {
namespace net {

// What was said about one family of a name's addresses.
struct DnsPart {
    Addresses addresses{};  // without ports; the best first, 32 at most
    Duration ttl = Duration::zero();
    std::optional<Failure> failure{};  // if there are no addresses
    Memory memory = Memory::none;
};

// Used by one thread. Made anew whenever there is something to ask after a pause: that is how
// changes of the system's settings are seen.
class DnsChannel {
public:
    using Told = std::function<void(DnsPart)>;

    explicit DnsChannel(const ResolverOptions& options);
    DnsChannel(const DnsChannel&) = delete;
    DnsChannel& operator=(const DnsChannel&) = delete;
    // Never waits: what was still asked for is told that it is cancelled.
    ~DnsChannel();

    // `told` is called once: within ask(), process() or the destructor.
    void ask(const std::string& name, Family family, Told told);
    [[nodiscard]] std::size_t pending() const noexcept { return pending_; }

    [[nodiscard]] const std::vector<pollfd>& sockets() const noexcept { return sockets_; }
    // At most this long may be waited until process() is due; `never` if only for the sockets.
    [[nodiscard]] Duration patience() const;
    void process(const std::vector<pollfd>& polled);

private:
    struct Asked;
    static void on_answer(void* asked, int status, int timeouts, ares_addrinfo* found);
    static void on_socket(void* self, int fd, int readable, int writable);
    int open(const ResolverOptions& options);

    ares_channeldata* channel_ = nullptr;
    std::size_t pending_ = 0;
    std::vector<pollfd> sockets_{};
    int trouble_ = 0;  // why nothing can be asked through it
};

}  // namespace net
}  // namespace v0
}  // namespace perdure
