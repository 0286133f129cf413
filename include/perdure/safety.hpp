// SPDX-License-Identifier: Apache-2.0
//
// Is it safe to repeat? What the caller knows about an operation and no error code can tell.
//
//     caller.run({.name = "load-profile", .safety = Safety::read}, load);
#pragma once

#include <cstdint>
#include <string_view>

namespace perdure {
inline namespace v0 {

enum class Safety : std::uint8_t {
    once,        // must not be repeated while the outcome of an earlier attempt is unknown
    guarded,     // carries a token, marker or condition, so that a repeat is harmless; a conflict
                 // after an unknown may be our own earlier success and goes to the resolver
    idempotent,  // repeating ends in the same state
    read,        // no effect at all; may be hedged
};

constexpr bool may_repeat_unknown(Safety safety) noexcept { return safety != Safety::once; }

std::string_view to_string(Safety safety) noexcept;

}  // namespace v0
}  // namespace perdure
