// SPDX-License-Identifier: Apache-2.0
//
// How do many calls wait for one fetch? Each takes a ticket for a fetch that begins after it asked;
// whoever asks while one is under way shares the next one with all the others.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "perdure/duration.hpp"
#include "perdure/failure.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// Shared: any thread.
class Fetching {
public:
    using Ticket = std::uint64_t;

    // For the next fetch to begin.
    Ticket ask() {
        const std::lock_guard held{mutex_};
        wanted_ = begun_ + 1;
        return wanted_;
    }
    // For the one that is under way, or the next: whoever knows nothing yet is not too late for it.
    Ticket join() {
        const std::lock_guard held{mutex_};
        if (begun_ > ended_) return begun_;
        wanted_ = begun_ + 1;
        return wanted_;
    }
    [[nodiscard]] bool ended(Ticket ticket) const {
        const std::lock_guard held{mutex_};
        return ended_ >= ticket;
    }
    // Why the last one failed; nothing if it did not.
    [[nodiscard]] std::optional<Failure> problem() const {
        const std::lock_guard held{mutex_};
        return problem_;
    }
    // Whether somebody waits for a fetch that has not begun.
    [[nodiscard]] bool wanted() const {
        const std::lock_guard held{mutex_};
        return wanted_ > begun_;
    }
    [[nodiscard]] TimePoint last_begun() const {
        const std::lock_guard held{mutex_};
        return last_begun_;
    }

    // Whether waiting for it is in vain: the one under way is taking longer than `patience`, or the last
    // has failed less than `lately` ago.
    [[nodiscard]] bool hopeless(TimePoint now, Duration patience, Duration lately) const {
        const std::lock_guard held{mutex_};
        if (begun_ > ended_) return now >= after(last_begun_, patience);
        return problem_ && now < after(last_begun_, lately);
    }

    // For who fetches. True: somebody has asked.
    bool begin(TimePoint now) {
        const std::lock_guard held{mutex_};
        if (wanted_ <= begun_) return false;
        ++begun_;
        last_begun_ = now;
        return true;
    }
    void end(std::optional<Failure> problem) {
        const std::lock_guard held{mutex_};
        ended_ = begun_;
        problem_ = std::move(problem);
    }

private:
    mutable std::mutex mutex_;
    Ticket wanted_ = 0, begun_ = 0, ended_ = 0;
    TimePoint last_begun_ = TimePoint::min();
    std::optional<Failure> problem_;
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
