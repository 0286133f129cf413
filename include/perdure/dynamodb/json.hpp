// SPDX-License-Identifier: Apache-2.0
//
// How does an item look as text? As the service writes it, with a letter before each value, or as
// plain JSON, the way files have it.
//
//     to_json(order)          {"pk":{"S":"o#1"},"total":{"N":"1299"}}
//     to_plain_json(order)    {"pk":"o#1","total":1299}
//
// The first loses nothing either way. In the second numbers keep their digits, while binary becomes
// base64 and a set a list, and come back as text and as a list.
#pragma once

#include <string>
#include <string_view>

#include "perdure/dynamodb/item.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// All of these may be called by any thread. Reading fails with `invalid` and says what is wrong, but
// repeats nothing of the text.
[[nodiscard]] std::string to_json(const Item& item);
[[nodiscard]] Result<Item> item_from_json(std::string_view json);

[[nodiscard]] std::string to_plain_json(const Item& item);
[[nodiscard]] Result<Item> item_from_plain_json(std::string_view json);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
