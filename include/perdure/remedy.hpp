// SPDX-License-Identifier: Apache-2.0
//
// What must be mended before the next attempt can do better?
//
//     return fail({.cause = Cause::credentials, .remedies = Remedy::refresh_credentials});
//
// Progress passes the set to `Operation::prepare` and shows it to the callable as
// `attempt.remedies`; what a remedy means is the business of the room that named it.
#pragma once

#include <cstdint>
#include <string>

#include "perdure/cause.hpp"

namespace perdure {
inline namespace v0 {

enum class Remedy : std::uint16_t {
    fresh_connection = 1u << 0u,
    refresh_credentials = 1u << 1u,
    refresh_routing_item = 1u << 2u,       // one container's or table's routing
    refresh_routing_partition = 1u << 3u,  // its partitions
    refresh_routing_account = 1u << 4u,    // which regions there are
    next_endpoint = 1u << 5u,
    write_endpoint = 1u << 6u,
    mark_endpoint = 1u << 7u,  // take the endpoint just used out of rotation for a while
    adjust_clock = 1u << 8u,
};

class RemedySet {
public:
    constexpr RemedySet() noexcept = default;
    constexpr RemedySet(Remedy remedy) noexcept : bits_{static_cast<std::uint16_t>(remedy)} {}

    [[nodiscard]] constexpr bool has(Remedy remedy) const noexcept {
        return (bits_ & static_cast<unsigned>(remedy)) != 0;
    }
    [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }

    friend constexpr RemedySet operator|(RemedySet a, RemedySet b) noexcept {
        RemedySet both;
        both.bits_ = static_cast<std::uint16_t>(a.bits_ | b.bits_);
        return both;
    }
    constexpr RemedySet& operator|=(RemedySet other) noexcept { return *this = *this | other; }
    friend constexpr bool operator==(RemedySet, RemedySet) noexcept = default;

private:
    std::uint16_t bits_ = 0;
};

constexpr RemedySet operator|(Remedy a, Remedy b) noexcept { return RemedySet{a} | RemedySet{b}; }

// What helps against a cause when its classifier says nothing more exact.
constexpr RemedySet default_remedies(Cause cause) noexcept {
    switch (cause) {
        case Cause::stale_route: return Remedy::refresh_routing_item;
        case Cause::wrong_region: return Remedy::refresh_routing_account | Remedy::next_endpoint;
        case Cause::clock_skew: return Remedy::adjust_clock;
        case Cause::credentials: return Remedy::refresh_credentials;
        default: return {};
    }
}

std::string to_string(RemedySet remedies);

}  // namespace v0
}  // namespace perdure
