// SPDX-License-Identifier: Apache-2.0
//
// What happened? A closed set: every error of every service is one of these.
//
//     if (perdure::is_repeatable(failure.cause)) …
//
// A classifier picks the cause that leads to the right reaction, not the one that sounds nearest:
// a 503 that means "slow down" is `throttled`, a 503 from a proxy is `unavailable`.
#pragma once

#include <cstdint>
#include <string_view>

namespace perdure {
inline namespace v0 {

enum class Cause : std::uint8_t {
    throttled,     // the service refused because we ask too much; it did nothing
    overloaded,    // the service is short of capacity and may have begun the work
    unavailable,   // nobody there, connection refused or lost, 503
    timed_out,     // no answer in time
    internal,      // the service broke: 500
    exhausted,     // our own sockets, threads or descriptors ran out; nothing was sent
    corrupt,       // an answer came but cannot be read: checksum, truncated body
    contended,     // deadlock, serialization failure, 449: rolled back, worth trying again at once
    stale_route,   // we asked the wrong place: moved partition, old cache
    wrong_region,  // the right question in a region that may not answer it
    clock_skew,    // our clock is wrong, so the signature was refused
    credentials,   // expired or revoked; a refresh may help once
    conflict,      // precondition failed, duplicate key: an answer about state, not a fault
    invalid,       // the request is wrong and stays wrong
    not_found,
    too_large,
    forbidden,
    cancelled,  // the caller no longer wants it
};

inline constexpr int cause_count = 18;

// Worth sending again, seen from the cause alone. Safety is a separate question (safety.hpp).
constexpr bool is_repeatable(Cause cause) noexcept { return cause <= Cause::credentials; }

std::string_view to_string(Cause cause) noexcept;

}  // namespace v0
}  // namespace perdure
