// SPDX-License-Identifier: Apache-2.0
//
// How many workers may write at once? As many as there are, fewer while the target asks for less, more
// again when it does not: call/batch's limit, shared by threads.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>

#include "perdure/call/batch_parallel.hpp"

namespace tool::load {

// Safe for any number of threads.
class Pace {
public:
    explicit Pace(int workers) noexcept : limit_{{.most = workers}} {}

    // Waits for a place; a stop ends the waiting, and the place is then taken all the same.
    std::uint64_t enter(const std::stop_token& stop) {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, stop, [&] { return limit_.free(); });
        return limit_.start();
    }
    void leave(std::uint64_t ticket, perdure::SendEnd how) {
        const std::lock_guard lock{mutex_};
        limit_.end(ticket, how);
        changed_.notify_all();
    }
    [[nodiscard]] int limit() const {
        const std::lock_guard lock{mutex_};
        return limit_.limit();
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    perdure::Parallelism limit_;
};

}  // namespace tool::load
