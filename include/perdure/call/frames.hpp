// SPDX-License-Identifier: Apache-2.0
//
// Where does the memory of coroutine frames come from? From frames that ended a moment ago: GCC 12
// never elides the allocation, so it is recycled instead.
//
//     struct promise_type : perdure::Recycled { … };
//
// Each thread keeps a few frames of each size; more go back to the heap. Any thread.
#pragma once

#include <cstddef>

namespace perdure {
inline namespace v0 {

[[nodiscard]] void* take_frame(std::size_t bytes);
void give_frame(void* frame, std::size_t bytes) noexcept;

// What inherits it is allocated from there.
struct Recycled {
    static void* operator new(std::size_t bytes) { return take_frame(bytes); }
    static void operator delete(void* frame, std::size_t bytes) noexcept { give_frame(frame, bytes); }
};

}  // namespace v0
}  // namespace perdure
