// SPDX-License-Identifier: Apache-2.0
//
// What does a person see while a load runs? On a terminal one line that is written over, elsewhere a
// line now and then.
#pragma once

#include <string>

#include "load/engine/account.hpp"
#include "load/target/target.hpp"
#include "perdure/time/clock.hpp"

namespace tool::load {

// What the line says, at one moment.
struct Moment {
    std::uint64_t done = 0;     // records, of this run
    std::uint64_t earlier = 0;  // of earlier runs
    std::uint64_t rejected = 0;
    double share = -1;  // of all, 0 to 1; less than 0: there is no telling
    double per_second = 0;
    double seconds_left = -1;
    int workers = 0;
    TargetCounts target{};
};

// "38% · 38,200 done · 12,400/s · 31 retries · 2 throttled · 0 unknown · budget 93 · 5 s left"
std::string in_words(const Moment& moment);

enum class Showing : unsigned char { lines, overwriting };

// Used by one thread.
class View {
public:
    View(const Tally& tally, const Target& target, Showing showing, perdure::Clock& clock);
    // Shows the moment if it is time for it.
    void show();
    // Leaves the terminal's line empty for what comes next.
    void end();

private:
    Moment moment();

    const Tally& tally_;
    const Target& target_;
    const Showing showing_;
    perdure::Clock& clock_;
    perdure::TimePoint shown_;
    perdure::TimePoint rated_;
    std::uint64_t rated_records_ = 0;
    double rate_ = 0;
    double start_share_ = -1;
    perdure::TimePoint start_;
    bool drawn_ = false;
};

}  // namespace tool::load
