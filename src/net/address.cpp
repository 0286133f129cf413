// SPDX-License-Identifier: Apache-2.0
#include "perdure/net/address.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>

namespace perdure {
inline namespace v0 {
namespace net {
namespace {

// The system reads texts that end in a zero byte.
using Text = std::array<char, 64>;

std::optional<Text> terminated(std::string_view text) {
    Text copy{};
    if (text.size() >= copy.size() || text.find('\0') != std::string_view::npos)
        return std::nullopt;
    std::ranges::copy(text, copy.begin());
    return copy;
}

// The number of a zone, given as one ("%2") or as an interface of this machine ("%eth0").
std::uint32_t zone_of(std::string_view text) {
    std::uint32_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec == std::errc{} && read.ptr == text.data() + text.size()) return number;
    const auto name = terminated(text);
    return name ? if_nametoindex(name->data()) : 0;
}

std::optional<Address> parse_v6(std::string_view host, std::uint16_t port) {
    std::uint32_t zone = 0;
    if (const auto percent = host.find('%'); percent != std::string_view::npos) {
        zone = zone_of(host.substr(percent + 1));
        if (zone == 0) return std::nullopt;
        host = host.substr(0, percent);
    }
    const auto text = terminated(host);
    std::array<std::uint8_t, 16> bytes{};
    if (!text || inet_pton(AF_INET6, text->data(), bytes.data()) != 1) return std::nullopt;
    return Address::v6(bytes, port, zone);
}

template <class Sockaddr>
unsigned put(const Sockaddr& from, std::array<std::byte, Address::longest>& into) noexcept {
    static_assert(sizeof from <= Address::longest);
    std::memcpy(into.data(), &from, sizeof from);
    return sizeof from;
}

}  // namespace

std::optional<Address> Address::parse(std::string_view host, std::uint16_t port) {
    if (host.starts_with('[') && host.ends_with(']')) {
        return parse_v6(host.substr(1, host.size() - 2), port);
    }
    if (host.find(':') != std::string_view::npos) return parse_v6(host, port);
    const auto text = terminated(host);
    std::array<std::uint8_t, 4> bytes{};
    if (!text || inet_pton(AF_INET, text->data(), bytes.data()) != 1) return std::nullopt;
    return v4(bytes, port);
}

Address Address::v4(std::array<std::uint8_t, 4> bytes, std::uint16_t port) noexcept {
    Address address;
    address.port_ = port;
    std::ranges::copy(bytes, address.bytes_.begin());
    return address;
}

Address Address::v6(std::array<std::uint8_t, 16> bytes, std::uint16_t port,
                    std::uint32_t zone) noexcept {
    Address address;
    address.family_ = Family::v6;
    address.port_ = port;
    address.zone_ = zone;
    address.bytes_ = bytes;
    return address;
}

Address Address::with_port(std::uint16_t port) const noexcept {
    Address address = *this;
    address.port_ = port;
    return address;
}

bool Address::loopback() const noexcept {
    if (family_ == Family::v4) return bytes_[0] == 127;
    in6_addr bytes;
    std::memcpy(&bytes, bytes_.data(), sizeof bytes);
    if (IN6_IS_ADDR_V4MAPPED(&bytes)) return bytes_[12] == 127;
    return IN6_IS_ADDR_LOOPBACK(&bytes);
}

std::string Address::host() const {
    Text text{};
    inet_ntop(family_ == Family::v4 ? AF_INET : AF_INET6, bytes_.data(), text.data(), text.size());
    std::string host = text.data();
    if (zone_ != 0) host.append("%").append(std::to_string(zone_));
    return host;
}

std::string Address::to_string() const {
    const std::string port = ":" + std::to_string(port_);
    return family_ == Family::v4 ? host() + port : "[" + host() + "]" + port;
}

unsigned Address::write(std::array<std::byte, longest>& into) const noexcept {
    if (family_ == Family::v4) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port_);
        std::memcpy(&address.sin_addr, bytes_.data(), sizeof address.sin_addr);
        return put(address, into);
    }
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port_);
    address.sin6_scope_id = zone_;
    std::memcpy(&address.sin6_addr, bytes_.data(), sizeof address.sin6_addr);
    return put(address, into);
}

}  // namespace net
}  // namespace v0
}  // namespace perdure
