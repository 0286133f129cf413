// SPDX-License-Identifier: Apache-2.0
//
// After this failure, at this moment: stop why, or repeat when, at what price, after what remedy?
//
//     const Decision decision = decide(rule, failure, situation, random);
//     if (decision.stop != Stop::none) …
//
// A pure function: no clock, no sleep, no budget, no logging. Everything it needs is an argument,
// so the blocking driver, the coroutine driver and the simulator get the same answer.
#pragma once

#include "perdure/failure.hpp"
#include "perdure/policy/rule.hpp"
#include "perdure/safety.hpp"
#include "perdure/time/random.hpp"

namespace perdure {
inline namespace v0 {

// Whether the operation itself asked for a repeat of a failure the table calls final.
enum class Insisted : std::uint8_t { no, yes };

// Where it would go: to the place that failed, to one where it has not been, or back to another.
enum class Goes : std::uint8_t { same, fresh, back };

struct Situation {
    TimePoint now{};
    TimePoint latest_start = TimePoint::max();  // no attempt may start at or after this
    Safety safety = Safety::once;
    Effect unresolved = Effect::none;  // the join over all attempts whose outcome is open
    Insisted insisted = Insisted::no;
    Goes goes = Goes::same;  // to a fresh place there is no need to wait
    std::optional<Duration>
        asked_there{};            // by the place it goes back to: how long to wait from now
    int attempts_under_rule = 1;  // attempts made that this rule counts, the failed one included
    Duration rule_age{};          // since the first failure under the rule
    Duration rule_waited{};       // delays already spent under it
    Duration last_start{};        // the latest attempt started this long after the first
    Series series{};
};

struct Decision {
    Stop stop = Stop::none;  // none: repeat
    Duration delay{};
    int cost_milli = 0;
    RemedySet remedies{};
    Series series{};  // where the backoff stands afterwards
};

// Whether a further delay would end outside the rule's window: `age` since the first failure under it,
// `waited` in delays.
bool outside_window(const Rule& rule, Duration age, Duration waited, Duration delay);

Decision decide(const Rule& rule, const Failure& failure, const Situation& at, Random& random);

}  // namespace v0
}  // namespace perdure
