// SPDX-License-Identifier: Apache-2.0
//
// Did it happen? What a failed attempt may have done to the world.
//
//     Effect so_far = join(earlier, failure.effect);
//
// The order of the enumerators is their order in `join`: an early `unknown` is never forgotten
// because a later attempt surely did nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "perdure/cause.hpp"

namespace perdure {
inline namespace v0 {

enum class Effect : std::uint8_t {
    none,     // surely not applied
    unknown,  // the service may have acted, now or later
    applied,  // the service said yes; only its answer was lost
};

constexpr Effect join(Effect a, Effect b) noexcept { return a < b ? b : a; }

// What can be said from the cause alone. A classifier that knows more overrides it: a lost
// connection before the first byte left has no effect, a corrupt 200 was applied.
constexpr Effect default_effect(Cause cause) noexcept {
    switch (cause) {
        case Cause::overloaded:
        case Cause::unavailable:
        case Cause::timed_out:
        case Cause::internal:
        case Cause::corrupt:
        case Cause::cancelled: return Effect::unknown;
        default: return Effect::none;
    }
}

std::string_view to_string(Effect effect) noexcept;

}  // namespace v0
}  // namespace perdure
