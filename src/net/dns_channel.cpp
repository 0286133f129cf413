// SPDX-License-Identifier: Apache-2.0
#include "net/dns_channel.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include <ares.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "net/dns_failures.hpp"

namespace perdure {
inline namespace v0 {
namespace net {
namespace {

constexpr std::size_t most_addresses = 32;
// A question is sent three times, each time with twice the patience: together seven times the first.
constexpr int tries = 3;
constexpr int patiences = 7;

using Found = std::unique_ptr<ares_addrinfo, decltype(&ares_freeaddrinfo)>;

void start_library() {
    static const int started = ares_library_init(ARES_LIB_INIT_ALL);
    (void)started;
}

std::optional<Address> address_of(const ares_addrinfo_node& node) {
    if (node.ai_family == AF_INET && node.ai_addrlen >= sizeof(sockaddr_in)) {
        sockaddr_in from;
        std::memcpy(&from, node.ai_addr, sizeof from);
        std::array<std::uint8_t, 4> bytes;
        std::memcpy(bytes.data(), &from.sin_addr, bytes.size());
        return Address::v4(bytes, 0);
    }
    if (node.ai_family == AF_INET6 && node.ai_addrlen >= sizeof(sockaddr_in6)) {
        sockaddr_in6 from;
        std::memcpy(&from, node.ai_addr, sizeof from);
        std::array<std::uint8_t, 16> bytes;
        std::memcpy(bytes.data(), &from.sin6_addr, bytes.size());
        return Address::v6(bytes, 0, from.sin6_scope_id);
    }
    return std::nullopt;
}

// The smallest time to live on the way: of the aliases as well as of the addresses.
DnsPart part_of(const ares_addrinfo& found) {
    DnsPart part{.memory = Memory::for_its_ttl};
    int ttl = std::numeric_limits<int>::max();
    for (const auto* alias = found.cnames; alias; alias = alias->next) {
        ttl = std::min(ttl, alias->ttl);
    }
    for (const auto* node = found.nodes; node; node = node->ai_next) {
        ttl = std::min(ttl, node->ai_ttl);
        const auto address = address_of(*node);
        if (address && part.addresses.size() < most_addresses) part.addresses.push_back(*address);
    }
    part.ttl = std::chrono::seconds{ttl};
    return part;
}

DnsPart part_of(int status, const std::string& name) {
    return {.failure = dns_failure_of(status, name), .memory = memory_of(status)};
}

std::string joined(const std::vector<std::string>& servers) {
    std::string all;
    for (const auto& server : servers) all.append(all.empty() ? "" : ",").append(server);
    return all;
}

}  // namespace

struct DnsChannel::Asked {
    DnsChannel& channel;
    std::string name;
    Told told;
};

DnsChannel::DnsChannel(const ResolverOptions& options) : trouble_{open(options)} {}

DnsChannel::~DnsChannel() {
    if (channel_) ares_destroy(channel_);
}

int DnsChannel::open(const ResolverOptions& options) {
    start_library();
    const auto first =
        std::chrono::ceil<std::chrono::milliseconds>(options.give_up_after / patiences);
    ares_options settings{};
    settings.flags = options.servers.empty() ? 0 : ARES_FLAG_NOSEARCH;
    settings.timeout = static_cast<int>(std::clamp(first, 10ms, 60'000ms).count());
    settings.tries = tries;
    settings.sock_state_cb = &DnsChannel::on_socket;
    settings.sock_state_cb_data = this;
    const int status = ares_init_options(&channel_, &settings,
                                         ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES |
                                             ARES_OPT_SOCK_STATE_CB);
    if (status != ARES_SUCCESS) channel_ = nullptr;
    if (status != ARES_SUCCESS || options.servers.empty()) return status;
    return ares_set_servers_ports_csv(channel_, joined(options.servers).c_str());
}

void DnsChannel::ask(const std::string& name, Family family, Told told) {
    if (trouble_ != ARES_SUCCESS) return told(part_of(trouble_, name));
    ares_addrinfo_hints hints{};
    hints.ai_family = family == Family::v4 ? AF_INET : AF_INET6;
    hints.ai_socktype = SOCK_STREAM;
    ++pending_;
    auto asked = std::make_unique<Asked>(Asked{*this, name, std::move(told)});
    // c-ares hands it back to on_answer, surely and once.
    ares_getaddrinfo(channel_, name.c_str(), nullptr, &hints, &DnsChannel::on_answer,
                     asked.release());
}

void DnsChannel::on_answer(void* asked, int status, int, ares_addrinfo* found) {
    const std::unique_ptr<Asked> each{static_cast<Asked*>(asked)};
    const Found owned{found, &ares_freeaddrinfo};
    --each->channel.pending_;
    if (status == ARES_SUCCESS && owned && owned->nodes) return each->told(part_of(*owned));
    each->told(part_of(status == ARES_SUCCESS ? ARES_ENODATA : status, each->name));
}

void DnsChannel::on_socket(void* self, int fd, int readable, int writable) {
    auto& sockets = static_cast<DnsChannel*>(self)->sockets_;
    std::erase_if(sockets, [&](const pollfd& each) { return each.fd == fd; });
    const int events = (readable ? POLLIN : 0) | (writable ? POLLOUT : 0);
    if (events != 0) sockets.push_back({fd, static_cast<short>(events), 0});
}

Duration DnsChannel::patience() const {
    timeval room{};
    const timeval* const left = channel_ ? ares_timeout(channel_, nullptr, &room) : nullptr;
    if (!left) return never;
    return std::chrono::seconds{left->tv_sec} + std::chrono::microseconds{left->tv_usec};
}

void DnsChannel::process(const std::vector<pollfd>& polled) {
    if (!channel_) return;
    const auto if_any = [](const pollfd& each, int events) {
        return (each.revents & events) != 0 ? each.fd : ARES_SOCKET_BAD;
    };
    for (const pollfd& each : polled) {
        ares_process_fd(channel_, if_any(each, POLLIN | POLLERR | POLLHUP), if_any(each, POLLOUT));
    }
    ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);  // what has run out of time
}

}  // namespace net
}  // namespace v0
}  // namespace perdure
