// SPDX-License-Identifier: Apache-2.0
//
// Which keys does this answer hold? Three kinds of sources, three dialects of one JSON object.
#pragma once

#include <cstdint>
#include <string_view>

#include "perdure/dynamodb/keys.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

enum class KeysFrom : std::uint8_t { process, container, instance };

// What cannot be understood is `corrupt`, "unreadable-credentials", without effect: it was a read. The
// message names members that are missing or wrong, never what they hold.
Result<Keys> keys_from_json(std::string_view json, KeysFrom from);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
