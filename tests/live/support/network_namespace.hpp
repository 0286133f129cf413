// SPDX-License-Identifier: Apache-2.0
//
// A network of the test's own behind a virtual cable, whose packets can be lost.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "perdure/net/address.hpp"

namespace perdure::live {

// Needs root and the programs ip and nft. Where it is refused:
//     NetworkNamespace far;
//     if (!far.missing().empty()) GTEST_SKIP() << far.missing();
// Used by one thread at a time.
class NetworkNamespace {
public:
    NetworkNamespace();
    NetworkNamespace(const NetworkNamespace&) = delete;
    NetworkNamespace& operator=(const NetworkNamespace&) = delete;
    ~NetworkNamespace();

    // Why there is none; empty if there is.
    [[nodiscard]] const std::string& missing() const noexcept { return missing_; }
    // The other end of the cable, and this one, as it is reached from there.
    [[nodiscard]] net::Address address(std::uint16_t port) const;
    [[nodiscard]] net::Address near_address(std::uint16_t port) const;
    // A route that leads there and no further: packets vanish and nobody says so.
    [[nodiscard]] net::Address black_hole(std::uint16_t port) const;

    // Runs it on a thread inside: what it listens on, it listens on there.
    void within(const std::function<void()>& what) const;
    // From now on nothing that is sent there arrives, and nothing says so; then again everything.
    void drop_packets();
    void pass_packets();

private:
    // False, and missing() says why, if one of these fails.
    [[nodiscard]] bool all(std::initializer_list<std::string> commands);
    [[nodiscard]] std::string host(std::string_view last) const { return net_ + std::string{last}; }

    std::string missing_;
    std::string name_;
    std::string net_;  // "10.231.7."
};

}  // namespace perdure::live
