// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/frames.hpp"

namespace perdure {
inline namespace v0 {
namespace detail {

namespace {

constexpr unsigned kept = 64;  // of each size and thread: 9 MB at the very most

// Opens the shelves of a thread, and empties them when it ends: from then on frames that end later
// in the thread's last moments go straight to the heap, because there is no room.
struct Shelves {
    Shelves() noexcept {
        for (FrameShelf& shelf : frame_shelves) shelf.room = kept;
    }
    Shelves(const Shelves&) = delete;
    Shelves& operator=(const Shelves&) = delete;
    ~Shelves() {
        for (FrameShelf& shelf : frame_shelves) {
            shelf.room = 0;
            while (FreeFrame* frame = shelf.first) {
                shelf.first = frame->next;
                ::operator delete(frame);
            }
        }
        open = false;
    }
    static thread_local bool open;
};
constinit thread_local bool Shelves::open = true;

void open_shelves() noexcept { static thread_local const Shelves shelves; }

}  // namespace

void* new_frame(std::size_t size_class) { return ::operator new(size_class * frame_grain); }

void give_frame_slowly(void* frame, std::size_t) noexcept {
    if (Shelves::open) open_shelves();
    ::operator delete(frame);
}

}  // namespace detail
}  // namespace v0
}  // namespace perdure
