// SPDX-License-Identifier: Apache-2.0
#include "chaos/cosmos/routing.hpp"

#include <algorithm>

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

namespace {

bool is_bound(std::string_view text) noexcept {
    return std::ranges::all_of(text, [](char c) { return is_digit(c) || (c >= 'A' && c <= 'F'); });
}

}  // namespace

std::optional<KeyBounds> KeyBounds::of(const Asked& asked, std::string& problem) {
    const auto from = asked.headers.find("x-ms-start-epk");
    const auto to = asked.headers.find("x-ms-end-epk");
    if (!from && !to) return std::nullopt;
    if (from && to && is_bound(*from) && is_bound(*to) && *from < *to)
        return KeyBounds{.from = std::string{*from}, .to = std::string{*to}};
    problem = "x-ms-start-epk and x-ms-end-epk are two effective partition keys in order, in hex.";
    return std::nullopt;
}

Destination Destination::of(const Container& container, const Asked& asked) {
    Destination result;
    if (const auto header = asked.headers.find("x-ms-documentdb-partitionkey")) {
        result.key = container.keys.from_header(*header);
        if (!result.key) result.problem = Problem::key;
    }
    if (const std::string_view named = asked.header("x-ms-documentdb-partitionkeyrangeid");
        !named.empty()) {
        result.range = container.range_named(named);
        if (!result.range && result.problem == Problem::none) result.problem = Problem::range;
    } else if (result.key && container.keys.complete(*result.key)) {
        result.range = container.range_of(result.key->effective);
    } else if (result.key) {
        // What follows the beginning of a hierarchical key.
        result.bounds = {.from = result.key->effective, .to = result.key->effective + "FF"};
    }
    return result;
}

bool Destination::includes(const Range& other) const noexcept {
    if (problem != Problem::none) return false;
    if (range) return range == &other;
    return !bounds || other.overlaps(bounds->from, bounds->to);
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
