// SPDX-License-Identifier: Apache-2.0
//
// What would the service refuse anyway? Checked before it is sent.
#pragma once

#include <cstddef>
#include <string_view>

#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

inline constexpr std::size_t largest_item = std::size_t{2} * 1024 * 1024;
inline constexpr std::size_t largest_request = std::size_t{2} * 1024 * 1024;
inline constexpr std::size_t longest_id = 1023;
inline constexpr std::size_t largest_partition_key = 2048;
inline constexpr std::size_t largest_partition_key_v1 = 101;
inline constexpr std::size_t most_batch_operations = 100;
inline constexpr std::size_t most_patch_operations = 10;
inline constexpr int deepest_json = 128;

// Of an item. Refuses: nothing, more than 1023 bytes, / \ #, control characters, a space at the end, what
// is not UTF-8. The failure is `invalid`, of the application, "invalid-id".
Result<void> check_id(std::string_view id);

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
