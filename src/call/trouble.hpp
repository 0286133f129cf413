// SPDX-License-Identifier: Apache-2.0
//
// What does Progress remember once something went wrong? Made at the first failure, so that a call
// which succeeds at once pays nothing for it.
#pragma once

#include <optional>
#include <vector>

#include "perdure/call/progress.hpp"

namespace perdure {
inline namespace v0 {

// What one rule has counted in this call.
struct Tally {
    int attempts = 0;
    std::optional<TimePoint> first_failure{};
    Duration waited{};
    Series series{};
};

struct Trouble {
    std::vector<Tally> tallies{};  // the default rule's first, then one for each named rule
    Tally also{};                  // failures that only `also_repeat` repeats
    Tally resolve{};
    Failure last{};
    std::optional<Cause> first_cause{};
    Effect unresolved = Effect::none;
    std::optional<TimePoint> first_start{};
    Stop pending_stop =
        Stop::none;              // why we shall stop once the resolver, or prepare, has answered
    bool asked_in_vain = false;  // the resolver has said `unknown`, or could not be asked
    bool succeeded = false;
    int amended = 0;
    int retries = 0;
    int last_paid_milli = 0;  // for the last attempt that cost something
    int paid = 0;             // attempts the budget paid for and has not been told are over
    bool retrying = false;    // the attempt to come is a retry
    RemedySet remedies{};
    int endpoint = 0;
    std::vector<const Place*> been{};     // where its attempts went
    const Place* failed_place = nullptr;  // that `last` came from
    struct Asked {
        const Place* place;
        TimePoint until;
    };
    std::vector<Asked> asked{};  // places that asked to be left alone, and until when
    int hedges = 0;
    int first_of_round = 1;                 // the attempt the present hedges are copies of
    std::vector<Progress::Racer> others{};  // attempts under way besides the latest
    std::vector<int> to_cancel{};
};

}  // namespace v0
}  // namespace perdure
