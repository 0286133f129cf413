// SPDX-License-Identifier: Apache-2.0
//
// A host's name as it is remembered and asked for: checked, in lower case, without a heap.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "perdure/net/addresses.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

// A plain value.
class HostName {
public:
    // Nothing for what cannot be the name of a host: empty, too long, blanks, control characters,
    // backslashes (an escape in the language of name servers), or anything beyond ASCII.
    static std::optional<HostName> parse(std::string_view text) noexcept;

    [[nodiscard]] std::string_view text() const noexcept { return {bytes_.data(), size_}; }
    // What can be said without asking anybody: numeric addresses, and localhost, which never leaves
    // the machine (RFC 6761, 6.3). Empty for all others.
    [[nodiscard]] Addresses known_addresses() const;

private:
    static constexpr std::size_t longest = 253;

    std::array<char, longest> bytes_;
    std::size_t size_ = 0;
};

}  // namespace net
}  // namespace v0
}  // namespace perdure
