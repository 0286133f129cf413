// SPDX-License-Identifier: Apache-2.0
//
// How does a patch change an item? Operation by operation, if its condition holds.
//
//     const Patched patched = apply_patch(item, *Json::parse(body));
#pragma once

#include <string_view>

#include "chaos/cosmos/json.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

// A plain value. 200, 400, or 412 if the condition does not hold; the item is then of no use.
struct Patched {
    int status = 200;
    std::string_view message{};
};

Patched apply_patch(Json& item, const Json& patch);

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
