// SPDX-License-Identifier: Apache-2.0
#include "perdure/policy/learn_timeout.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "order_statistics.hpp"
#include "perdure/time/jitter.hpp"

namespace perdure {
inline namespace v0 {

namespace {

constexpr double confidence = 0.95;  // as choose_timeout's

// Doubles beyond the range of the count are undefined behaviour to convert.
Duration times(Duration wait, double factor) {
    const double count = static_cast<double>(wait.count()) * factor;
    return count < static_cast<double>(never.count()) ? Duration{static_cast<Duration::rep>(count)}
                                                      : never;
}

// Upwards by the half bucket by which the sketch may be too low.
Duration upper_edge(Duration middle) { return times(middle, 1 + 1.0 / 128); }

bool too_many(std::uint64_t cut_off, std::uint64_t answered, const LearnTimeout& options) {
    return static_cast<double>(cut_off) >
           options.frozen_above * static_cast<double>(cut_off + answered);
}

}  // namespace

TimeoutStep step_timeout(const LearnTimeout& options, Duration present, const Sketch& answered,
                         std::uint64_t cut_off) {
    const std::uint64_t samples = answered.count() + cut_off;
    // Which sample, counted from the largest, is surely above the quantile? The first so many are
    // those cut off.
    const std::uint64_t rank = samples < std::max<std::uint64_t>(options.least_samples, 1)
                                   ? 0
                                   : rank_from_top(samples, options.false_timeouts, confidence);
    if (rank == 0) return {Learning::too_few, present};
    if (too_many(cut_off, answered.count(), options)) return {Learning::frozen, present};

    const Duration highest = times(present, 1 + options.step);
    Duration wanted = highest;  // the quantile was cut off: all we know is that it is longer
    if (rank > cut_off) {
        const Duration bound = upper_edge(*answered.at_rank(samples - rank + 1));
        const Duration median = upper_edge(*answered.quantile(0.5));
        wanted = std::max(times(bound, options.margin), times(median, 2));
    }
    wanted = std::clamp(wanted, times(present, 1 - options.step), highest);
    return {Learning::done, std::max(options.least, std::min(wanted, options.most))};
}

struct TimeoutLearner::Guarded {
    struct Totals {
        std::uint64_t answered = 0, timed_out = 0;
    };

    std::mutex mutex;  // what follows
    Totals last{};     // at the last look
    Sketch seen{};     // at the last look that had enough, as is what follows
    std::uint64_t timed_out_then = 0;
};

TimeoutLearner::TimeoutLearner(const LearnTimeout& options, Duration own)
    : options_{options}, guarded_{std::make_unique<Guarded>()} {
    if (options_.most <= Duration::zero()) options_.most = own;
    timeout_.store(std::min(own, options_.most).count(), std::memory_order_relaxed);
}

TimeoutLearner::~TimeoutLearner() = default;

std::optional<Duration> TimeoutLearner::look(TimePoint now, const SharedSketch& latencies,
                                             std::uint64_t timed_out, Random& random) {
    auto& [mutex, last, seen, timed_out_then] = *guarded_;
    const std::unique_lock held{mutex, std::try_to_lock};
    if (!held || !due(now)) return std::nullopt;
    const bool first = next_.load(std::memory_order_relaxed) == Duration::min().count();
    const TimePoint next = after(now, lengthened(options_.every, random.next()));
    next_.store(next.time_since_epoch().count(), std::memory_order_relaxed);
    if (first) return std::nullopt;

    Sketch all = latencies.snapshot();
    timed_out = std::max(timed_out, last.timed_out);
    const Guarded::Totals before = std::exchange(last, {all.count(), timed_out});
    // The beginning of an overload must not pass for a slow tail, as it would among thousands of
    // samples from before it.
    if (too_many(last.timed_out - before.timed_out, last.answered - before.answered, options_))
        return std::nullopt;
    const std::uint64_t cut_off = timed_out - timed_out_then;
    const TimeoutStep step = step_timeout(options_, timeout(), all.since(seen), cut_off);
    if (step.learning == Learning::too_few) return std::nullopt;  // the samples go on adding up
    seen = std::move(all);
    timed_out_then = timed_out;
    timeout_.store(step.timeout.count(), std::memory_order_relaxed);
    return step.timeout;
}

}  // namespace v0
}  // namespace perdure
