// SPDX-License-Identifier: Apache-2.0
//
// How much goes out at once? What a service takes in one request, and how many requests it takes.
//
//     BatchOptions{.chunk_items = 25, .chunk_bytes = 16 << 20, .largest_item = 400 << 10,
//                  .size_of = bytes_of_put}
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "perdure/call/batch_parallel.hpp"
#include "perdure/call/function_ref.hpp"
#include "perdure/call/plan.hpp"

namespace perdure {
inline namespace v0 {

struct BatchOptions {
    std::size_t chunk_items = 100;  // at most so many items in one send
    std::size_t chunk_bytes = 0;    // and so many bytes; a larger item goes alone; 0: no limit
    std::size_t largest_item = 0;   // a larger one is not sent at all; 0: no limit
    // The bytes of the item with this index; must outlive the batch. Asked more than once.
    FunctionRef<std::size_t(std::size_t)> size_of{};
    ParallelOptions parallel{};
    // The plan's rule for a send that was throttled while others of the batch were taken, one of the
    // latest `parallel.most`: the service did a part of the batch, as when it leaves items of one send.
    // Empty: the rule of any throttled call.
    std::string_view throttled_in_part{};
};

// As validate(Plan): all problems, not the first.
std::vector<Finding> validate(const BatchOptions& options);

}  // namespace v0
}  // namespace perdure
