// SPDX-License-Identifier: Apache-2.0
//
// What does a write give back?
#pragma once

#include <cstdint>
#include <optional>

#include "perdure/dynamodb/item.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// A plain value.
struct Written {
    std::optional<Item> attributes{};  // what was asked for by returns(…)
    double capacity = 0;
    // The answer was lost, and it was found out afterwards that the write is done: attributes and
    // capacity are not known then.
    bool found_out = false;
};

enum class Returns : std::uint8_t { nothing, all_old, updated_old, all_new, updated_new };

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
