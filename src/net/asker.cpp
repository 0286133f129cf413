// SPDX-License-Identifier: Apache-2.0
#include "net/asker.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>

#include <netinet/in.h>
#include <sys/socket.h>

#include "net/dns_failures.hpp"
#include "perdure/net/failures.hpp"
#include "perdure/net/socket.hpp"

namespace perdure {
inline namespace v0 {
namespace net {
namespace {

// How long addresses of one family wait for those of the other (RFC 8305, 3). There are name servers
// that never answer when asked for IPv6.
constexpr Duration wait_for_other_family = 50ms;

// Whether this machine has a route and an address of its own to get there; nothing is sent.
bool is_usable(const Address& address) {
    const int domain = address.family() == Family::v4 ? AF_INET : AF_INET6;
    const Socket probe{::socket(domain, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_UDP)};
    std::array<std::byte, Address::longest> bytes{};
    const unsigned length = address.with_port(9).write(bytes);
    return probe &&
           ::connect(probe.fd(), reinterpret_cast<const sockaddr*>(bytes.data()), length) == 0;
}

// IPv6 first where it can be used at all.
Addresses in_order(const DnsPart& v4, const DnsPart& v6) {
    const bool v6_leads = !v6.addresses.empty() && is_usable(v6.addresses.front());
    Addresses all = v6_leads ? v6.addresses : v4.addresses;
    const Addresses& rest = v6_leads ? v4.addresses : v6.addresses;
    all.insert(all.end(), rest.begin(), rest.end());
    all = interleaved(all);
    constexpr std::size_t most_addresses = 32;
    if (all.size() > most_addresses) all.erase(all.begin() + most_addresses, all.end());
    return all;
}

}  // namespace

NameAnswer join(const DnsPart& v4, const DnsPart& v6, std::string_view name) {
    if (!v4.addresses.empty() || !v6.addresses.empty()) {
        Duration ttl = never;
        for (const DnsPart* const part : {&v4, &v6}) {
            if (!part->addresses.empty()) ttl = std::min(ttl, part->ttl);
        }
        return {.answer = {.addresses = std::make_shared<const Addresses>(in_order(v4, v6))},
                .memory = Memory::for_its_ttl,
                .ttl = ttl};
    }
    // "There is no such name" holds only if both say so.
    for (const DnsPart* const part : {&v4, &v6}) {
        if (!part->failure || part->memory != Memory::none) continue;
        return {.answer = {.failure = std::make_shared<const Failure>(*part->failure)}};
    }
    if (!v4.failure || !v6.failure) {
        return {.answer = {.failure = std::make_shared<const Failure>(dns_timeout(name))}};
    }
    return {.answer = {.failure = std::make_shared<const Failure>(*v4.failure)},
            .memory = Memory::negative};
}

void Asker::ask(const std::shared_ptr<Question>& question) {
    auto inquiry =
        std::make_shared<Inquiry>(Inquiry{.question = question, .due = question->give_up_at()});
    // Questions that were given up are still with c-ares, which cannot drop a single one.
    constexpr std::size_t per_name = 8;
    if (channel_ &&
        channel_->pending() > per_name * std::max<std::size_t>(options_.most_names, 1)) {
        inquiry->v4.failure = failure_of(EAGAIN, Doing::opening);
        return settle(*inquiry);
    }
    open_.push_back(inquiry);
    if (!channel_) channel_.emplace(options_);
    for (const Family family : {Family::v4, Family::v6}) {
        channel_->ask(question->name(), family, [this, inquiry, family](DnsPart part) {
            told(inquiry, family, std::move(part));
        });
    }
}

void Asker::told(const std::shared_ptr<Inquiry>& inquiry, Family family, DnsPart part) {
    DnsPart& place = family == Family::v4 ? inquiry->v4 : inquiry->v6;
    place = std::move(part);
    --inquiry->missing;
    if (inquiry->missing == 0) return settle(*inquiry);
    if (inquiry->settled || place.addresses.empty()) return;
    inquiry->due = std::min(inquiry->due, after(clock_.now(), wait_for_other_family));
}

void Asker::settle(Inquiry& inquiry) {
    inquiry.settled = true;
    settle_(inquiry.question, join(inquiry.v4, inquiry.v6, inquiry.question->name()));
}

void Asker::look() {
    if (channel_) channel_->process(polled_);
    const TimePoint now = clock_.now();
    for (const auto& inquiry : open_) {
        if (!inquiry->settled && now >= inquiry->due) settle(*inquiry);
    }
    std::erase_if(open_, [](const auto& inquiry) { return inquiry->settled; });
    if (channel_ && channel_->pending() == 0) channel_.reset();
}

Duration Asker::patience() const {
    Duration patience = channel_ ? channel_->patience() : never;
    if (open_.empty()) return patience;
    const TimePoint now = clock_.now();
    for (const auto& inquiry : open_) {
        patience = std::min(patience, Deadline{inquiry->due}.left(now));
    }
    return patience;
}

void Asker::wait(int nudge) {
    polled_.clear();
    if (channel_) polled_ = channel_->sockets();
    polled_.push_back({nudge, POLLIN, 0});
    int wait = -1;
    if (const Duration patience = this->patience(); patience != never) {
        const auto most = std::chrono::milliseconds{std::numeric_limits<int>::max()};
        const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(patience);
        wait = static_cast<int>(std::min(rounded, most).count());
    }
    (void)::poll(polled_.data(), polled_.size(), wait);
    polled_.pop_back();
}

}  // namespace net
}  // namespace v0
}  // namespace perdure
