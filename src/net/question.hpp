// SPDX-License-Identifier: Apache-2.0
//
// One name that is being asked for, and everybody who waits for it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/name_cache.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

// Shared by the resolver's thread and all who wait. Wakers are woken under the lock, so that one who
// has left can be gone.
class Question {
public:
    Question(std::string_view name, TimePoint give_up_at) : name_{name}, give_up_at_{give_up_at} {}

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] TimePoint give_up_at() const noexcept { return give_up_at_; }

    void join(Waker& waker) {
        const std::lock_guard held{mutex_};
        wakers_.push_back(&waker);
    }
    void leave(Waker& waker) noexcept {
        const std::lock_guard held{mutex_};
        const auto found = std::ranges::find(wakers_, &waker);
        if (found != wakers_.end()) wakers_.erase(found);
    }

    void settle(Answer answer) noexcept {
        const std::lock_guard held{mutex_};
        assert(!settled());
        answer_ = std::move(answer);
        settled_.store(true, std::memory_order_release);
        for (Waker* const waker : wakers_) waker->wake();
    }
    [[nodiscard]] bool settled() const noexcept { return settled_.load(std::memory_order_acquire); }
    // Only when settled; it never changes again.
    [[nodiscard]] const Answer& answer() const noexcept {
        assert(settled());
        return answer_;
    }

private:
    const std::string name_;
    const TimePoint give_up_at_;
    std::atomic<bool> settled_ = false;
    Answer answer_{};
    std::mutex mutex_;
    std::vector<Waker*> wakers_{};
};

}  // namespace net
}  // namespace v0
}  // namespace perdure
