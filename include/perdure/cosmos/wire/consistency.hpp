// SPDX-License-Identifier: Apache-2.0
//
// How fresh must a read be? The account says what it gives; a request may ask for less.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace perdure {
inline namespace v0 {
namespace cosmos {

// From the strongest to the weakest.
enum class Consistency : std::uint8_t {
    strong,
    bounded_staleness,
    session,
    consistent_prefix,
    eventual
};

// "BoundedStaleness": as the wire spells it.
std::string_view to_string(Consistency level) noexcept;
// In any case.
std::optional<Consistency> parse_consistency(std::string_view text) noexcept;

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
