// SPDX-License-Identifier: Apache-2.0
//
// Where a request for items goes: to one partition key range, to some, or to all of its container.
//
//     const Destination destination = Destination::of(container, asked);
//     if (destination.includes(range)) …
#pragma once

#include <optional>
#include <string>

#include "chaos/cosmos/account.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

// Effective partition keys, from the first bound up to the second, which is not included.
struct KeyBounds {
    std::string from{};
    std::string to{};

    [[nodiscard]] bool holds(std::string_view effective) const noexcept {
        return from <= effective && effective < to;
    }
    // x-ms-start-epk and x-ms-end-epk, by which clients read parts of ranges; nothing, with the
    // reason in `problem` if they are not valid, where the request has none.
    static std::optional<KeyBounds> of(const Asked& asked, std::string& problem);
};

// A plain value.
struct Destination {
    enum class Problem : std::uint8_t { none, key, range };

    Problem problem = Problem::none;
    std::optional<Key> key{};
    Range* range = nullptr;             // null: several
    std::optional<KeyBounds> bounds{};  // of the key, if it is the beginning of a hierarchical one

    // By the key or the range that its headers name.
    static Destination of(const Container& container, const Asked& asked);
    [[nodiscard]] bool includes(const Range& other) const noexcept;
};

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
