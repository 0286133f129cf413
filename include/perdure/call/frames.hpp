// SPDX-License-Identifier: Apache-2.0
//
// Where does the memory of coroutine frames come from? From frames that ended a moment ago: GCC 12
// never elides the allocation, so it is recycled instead.
//
//     struct promise_type : perdure::Recycled { … };
//
// Each thread keeps a few frames of each size; more go back to the heap. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <new>

namespace perdure {
inline namespace v0 {

namespace detail {

struct FreeFrame {
    FreeFrame* next;
};
struct FrameShelf {
    FreeFrame* first = nullptr;
    unsigned room = 0;  // how many more it may take; set when the thread first gives one back
};
inline constexpr std::size_t frame_grain = 64;
inline constexpr std::size_t frame_sizes =
    64;  // up to 4 KB, for a call over HTTP; larger ones are rare and go to the heap

// constinit and without a destructor, so that reading it is no call; src/call/frames.cpp clears it
// when the thread ends.
inline constinit thread_local std::array<FrameShelf, frame_sizes> frame_shelves{};

constexpr std::size_t frame_size_class(std::size_t bytes) noexcept {
    return (bytes + frame_grain - 1) / frame_grain;
}
[[nodiscard, gnu::cold]] void* new_frame(std::size_t size_class);
[[gnu::cold]] void give_frame_slowly(void* frame, std::size_t size_class) noexcept;

}  // namespace detail

[[nodiscard]] inline void* take_frame(std::size_t bytes) {
    const std::size_t size = detail::frame_size_class(bytes);
    if (size < detail::frame_sizes) [[likely]] {
        detail::FrameShelf& shelf = detail::frame_shelves[size];
        if (detail::FreeFrame* frame = shelf.first) [[likely]] {
            shelf.first = frame->next;
            ++shelf.room;
            return frame;
        }
    }
    return detail::new_frame(size);
}

inline void give_frame(void* frame, std::size_t bytes) noexcept {
    const std::size_t size = detail::frame_size_class(bytes);
    if (size < detail::frame_sizes) [[likely]] {
        if (detail::FrameShelf& shelf = detail::frame_shelves[size]; shelf.room > 0) [[likely]] {
            shelf.first = new (frame) detail::FreeFrame{shelf.first};
            --shelf.room;
            return;
        }
    }
    detail::give_frame_slowly(frame, size);
}

// What inherits it is allocated from there.
struct Recycled {
    static void* operator new(std::size_t bytes) { return take_frame(bytes); }
    static void operator delete(void* frame, std::size_t bytes) noexcept {
        give_frame(frame, bytes);
    }
};

}  // namespace v0
}  // namespace perdure
