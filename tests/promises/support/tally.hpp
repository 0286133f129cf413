// SPDX-License-Identifier: Apache-2.0
//
// What callers were told about their calls, held against what the server did.
//
//     const Tally tally = tally_of(notes, {broke_from, broke_until}, effects);
//     EXPECT_EQ(tally.in_flight.done_once, tally.in_flight.calls);
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "perdure/duration.hpp"
#include "perdure/failure.hpp"

namespace perdure::promises {

// What a caller was told in the end. A plain loop knows only two words: done and not done.
enum class Word : std::uint8_t { done, not_done, unknown };

struct Told {
    Word word = Word::done;
    std::string why{};  // the failure, if it was one
};
// A success, or the word that the failure's effect stands for.
[[nodiscard]] Told told_by(const Failure& failure);

// One call: its number is its place in the list.
struct CallNote {
    TimePoint began{};
    TimePoint ended = TimePoint::max();
    Told told{};
};

// How often the server did each call; a call that is not in it was not done.
using Effects = std::map<std::int64_t, int>;

// What became of some of the calls. Each call is counted in `calls` and in one of the next four, or in
// `wrong_word` alone.
struct CallCounts {
    int calls = 0;
    int done_once = 0;   // told done, done once
    int not_done = 0;    // told so, and it was not
    int unknown = 0;     // told so, whatever the server did
    int doubled = 0;     // done more than once, whatever the caller was told
    int wrong_word = 0;  // told done and not done, or the other way round
};

// A server does not break in an instant: it takes a while to end its sessions.
struct Break {
    TimePoint from{};
    TimePoint until{};
};

struct Tally {
    CallCounts in_flight{};  // not ended when the break began, begun before it was complete
    CallCounts later{};      // begun after it
    CallCounts all{};
    std::map<std::string, int> failures{};  // of the calls in flight and later, by their text
};

[[nodiscard]] Tally tally_of(const std::vector<CallNote>& notes, const Break& at,
                             const Effects& effects);

}  // namespace perdure::promises
