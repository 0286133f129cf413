// SPDX-License-Identifier: Apache-2.0
//
// Many threads, each of which makes one call after another until it is told to stop.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "promises/support/tally.hpp"

namespace perdure::promises {

// Makes a call and returns what the caller was told. Called from many threads at once.
using Call = std::function<Told(std::int64_t number)>;

// A caller pauses after a call that was not done, or a way that fails at once would make a hundred
// thousand calls. Used by one thread.
class Callers {
public:
    Callers(int count, Call call);
    Callers(const Callers&) = delete;
    Callers& operator=(const Callers&) = delete;
    ~Callers() { stop(); }

    // How many calls have ended, and how many of those begun at that time or later.
    [[nodiscard]] int ended() const;
    [[nodiscard]] int ended_of_those_begun_after(TimePoint time) const;
    [[nodiscard]] bool in_flight_since_before(TimePoint time) const;
    void begin_no_more();
    // Returns when every call under way has ended; no more are begun.
    void stop();
    [[nodiscard]] const std::vector<CallNote>& notes() const noexcept { return notes_; }

private:
    void work(const std::stop_token& stop);
    std::int64_t begin();
    Word end(std::int64_t number, Told told);

    const Call call_;
    mutable std::mutex mutex_;
    std::vector<CallNote> notes_;
    std::vector<std::jthread> threads_;
};

}  // namespace perdure::promises
