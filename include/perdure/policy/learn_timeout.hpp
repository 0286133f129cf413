// SPDX-License-Identifier: Apache-2.0
//
// Can the attempt timeout follow the service? A caller may learn it from its own latencies, in small
// steps, and without being led by its own timeouts.
//
//     Plan{.name = "users", .deadline = 3s, .learn_timeout = LearnTimeout{}}
//
// Two ways lead astray. Attempts that were cut off are missing from the latencies, so a short timeout
// asks for a shorter one: here they count as longer than everything answered. And a timeout that
// grows with an overload takes away the only brake: here it stands still while many time out.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "perdure/duration.hpp"
#include "perdure/stats/sketch.hpp"
#include "perdure/time/random.hpp"

namespace perdure {
inline namespace v0 {

struct LearnTimeout {
    double false_timeouts = 0.001;  // the share of good attempts we accept to cut off
    double margin = 1.5;            // times the latency all others stay below
    Duration least = 1ms;
    Duration most{};                     // never longer; zero: the plan's own attempt timeout
    Duration every = 5s;                 // between two looks; each time up to a tenth longer
    double step = 0.2;                   // one look changes it by no more than this share
    std::uint64_t least_samples = 3000;  // since the last look that had enough
    double frozen_above = 0.01;          // share of attempts timed out above which it stands still
    friend bool operator==(const LearnTimeout&, const LearnTimeout&) noexcept = default;
};

enum class Learning : std::uint8_t {
    done,     // the timeout is where the latencies call for it, or a step nearer
    too_few,  // samples to say anything
    frozen,   // too many time out: neither longer nor shorter
};

struct TimeoutStep {
    Learning learning = Learning::too_few;
    Duration timeout{};  // the one to use from now on
};

// One look at the attempts since the last one: `answered` ones, and how many were cut off at
// `present`. A pure function.
TimeoutStep step_timeout(const LearnTimeout& options, Duration present, const Sketch& answered,
                         std::uint64_t cut_off);

// Looks now and then. Safe for any number of threads; one looks, the others go on.
class TimeoutLearner {
public:
    // `own`: what the plan says without learning. Begins there, or at `most`.
    TimeoutLearner(const LearnTimeout& options, Duration own);
    TimeoutLearner(const TimeoutLearner&) = delete;
    TimeoutLearner& operator=(const TimeoutLearner&) = delete;
    ~TimeoutLearner();

    [[nodiscard]] Duration timeout() const noexcept {
        return Duration{timeout_.load(std::memory_order_relaxed)};
    }
    // Whether it is time for a look; cheap, for every attempt.
    [[nodiscard]] bool due(TimePoint now) const noexcept {
        return now.time_since_epoch().count() >= next_.load(std::memory_order_relaxed);
    }
    // The new timeout, if something was learned. `timed_out`: all attempts that ever were.
    std::optional<Duration> look(TimePoint now, const SharedSketch& latencies,
                                 std::uint64_t timed_out, Random& random);

private:
    struct Guarded;  // a lock, and what was seen so far

    LearnTimeout options_;
    std::atomic<Duration::rep> timeout_;
    std::atomic<Duration::rep> next_{Duration::min().count()};
    const std::unique_ptr<Guarded> guarded_;  // only for a look, not for every attempt
};

}  // namespace v0
}  // namespace perdure
