// SPDX-License-Identifier: Apache-2.0
//
// Many threads, each of which makes one call after another until it is told to stop or has made its
// number of calls.
#pragma once

#include <climits>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "promises/support/tally.hpp"

namespace perdure::promises {

// Makes a call and returns what the caller was told. Called from many threads at once.
using Call = std::function<Told(std::int64_t number)>;

// How often each of them calls. `apart`: from the beginning of one call to that of the next, which comes
// later if the call takes longer. Zero: one call after the other, but a caller pauses after a call that
// was not done, or a way that fails at once would make a hundred thousand calls.
struct Pace {
    int calls_each = INT_MAX;
    Duration apart{};
};

// Used by one thread.
class Callers {
public:
    Callers(int count, Call call, Pace pace = {});
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
    const Pace pace_;
    mutable std::mutex mutex_;
    std::vector<CallNote> notes_;
    std::vector<std::jthread> threads_;
};

}  // namespace perdure::promises
