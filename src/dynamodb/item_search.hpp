// SPDX-License-Identifier: Apache-2.0
//
// What a search for an attribute costs, for tests that count work.
#pragma once

#include <cstddef>
#include <string_view>

#include "perdure/dynamodb/item.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {
namespace detail {

// Slots of the item's table that a search for `name` looks at; 0: it has no table.
[[nodiscard]] std::size_t slots_searched(const Item& item, std::string_view name) noexcept;

}  // namespace detail
}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
