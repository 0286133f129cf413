// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/frames.hpp"

#include <array>
#include <new>

namespace perdure {
inline namespace v0 {

namespace {

constexpr std::size_t grain = 64;
constexpr std::size_t classes = 32;  // up to 2 KB; larger frames are rare and go to the heap
constexpr unsigned kept = 64;        // of each size and thread: 4 MB at the very most

struct Free {
    Free* next;
};

struct Shelf {
    Free* first = nullptr;
    unsigned count = 0;
};

struct Shelves {
    std::array<Shelf, classes> by_size{};
    ~Shelves() {
        for (Shelf& shelf : by_size)
            while (Free* frame = shelf.first) {
                shelf.first = frame->next;
                ::operator delete(frame);
            }
        gone = true;
    }
    // A frame may end while its thread is being taken down, after the shelves.
    static thread_local bool gone;
};
constinit thread_local bool Shelves::gone = false;

Shelves& shelves() {
    thread_local Shelves here;
    return here;
}

constexpr std::size_t class_of(std::size_t bytes) { return (bytes + grain - 1) / grain; }

}  // namespace

void* take_frame(std::size_t bytes) {
    const std::size_t size = class_of(bytes);
    if (size >= classes || Shelves::gone) return ::operator new(size * grain);
    Shelf& shelf = shelves().by_size[size];
    if (Free* frame = shelf.first) {
        shelf.first = frame->next;
        --shelf.count;
        return frame;
    }
    return ::operator new(size * grain);
}

void give_frame(void* frame, std::size_t bytes) noexcept {
    const std::size_t size = class_of(bytes);
    if (size < classes && !Shelves::gone) {
        if (Shelf& shelf = shelves().by_size[size]; shelf.count < kept) {
            shelf.first = new (frame) Free{shelf.first};
            ++shelf.count;
            return;
        }
    }
    ::operator delete(frame);
}

}  // namespace v0
}  // namespace perdure
