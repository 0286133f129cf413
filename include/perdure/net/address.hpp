// SPDX-License-Identifier: Apache-2.0
//
// Where exactly? One numeric address with its port, as the system wants it.
//
//     const auto address = net::Address::parse("127.0.0.1", 8080);
//     log(address->to_string());                  // "127.0.0.1:8080", "[::1]:8080"
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace perdure {
inline namespace v0 {
namespace net {

enum class Family : std::uint8_t { v4, v6 };

// A plain value.
class Address {
public:
    // Nothing for what is not a numeric IPv4 or IPv6 address; brackets around IPv6 are allowed, a
    // zone ("fe80::1%eth0") too.
    static std::optional<Address> parse(std::string_view host, std::uint16_t port);
    static Address v4(std::array<std::uint8_t, 4> bytes, std::uint16_t port) noexcept;
    static Address v6(std::array<std::uint8_t, 16> bytes, std::uint16_t port,
                      std::uint32_t zone = 0) noexcept;

    [[nodiscard]] Family family() const noexcept { return family_; }
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] Address with_port(std::uint16_t port) const noexcept;
    [[nodiscard]] bool loopback() const noexcept;
    // The address alone, without brackets, as libpq's hostaddr wants it.
    [[nodiscard]] std::string host() const;
    [[nodiscard]] std::string to_string() const;

    // Writes a sockaddr_in or sockaddr_in6 into the given room and says how long it is.
    static constexpr std::size_t longest = 28;
    unsigned write(std::array<std::byte, longest>& into) const noexcept;

    friend bool operator==(const Address&, const Address&) noexcept = default;

private:
    Family family_ = Family::v4;
    std::uint16_t port_ = 0;
    std::uint32_t zone_ = 0;
    std::array<std::uint8_t, 16> bytes_{};
};

}  // namespace net
}  // namespace v0
}  // namespace perdure
