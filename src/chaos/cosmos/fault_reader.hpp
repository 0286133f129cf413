// SPDX-License-Identifier: Apache-2.0
//
// How is a rule written as JSON? By the names of its fields; times in milliseconds.
//
//     {"kind": "write", "to": 3, "status": 429, "substatus": 3200, "retry_after_ms": 50}
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "chaos/cosmos/json.hpp"
#include "perdure/chaos/cosmos/fault.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

std::optional<GatewayFault> read_fault(const Json& rule, std::string& problem);
// Nothing for what is no number, is negative, or does not fit.
std::optional<std::uint64_t> count_of(const Json& value) noexcept;
std::optional<Duration> millis(const Json& value) noexcept;

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
