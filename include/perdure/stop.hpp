// SPDX-License-Identifier: Apache-2.0
//
// Why did we give up? Kept apart from the cause: the cause is what the service did to us, the stop
// is what we decided.
//
//     if (result.error().stop == Stop::budget) …   // the dependency is failing, not only this call
#pragma once

#include <cstdint>
#include <string_view>

namespace perdure {
inline namespace v0 {

enum class Stop : std::uint8_t {
    none,       // a failure that has not been through a plan
    permanent,  // repeating cannot help
    unsafe,     // the effect is unknown or applied, and the operation may run only once
    attempts,   // the rule's attempts are used up
    window,     // the rule's time window is used up
    deadline,   // another attempt would not fit before the deadline
    budget,     // the retry budget refused
    limited,    // the limiter refused
    breaker,    // the breaker refused
    cancelled,  // the caller asked us to stop
};

std::string_view to_string(Stop stop) noexcept;

}  // namespace v0
}  // namespace perdure
