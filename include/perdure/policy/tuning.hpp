// SPDX-License-Identifier: Apache-2.0
//
// Which attempt timeout do these very samples call for, those included that the present timeout cut
// off?
//
//     const Latencies observed{std::move(samples)};
//     const Tuning tuning = tune(observed, {.timeout = {.false_timeouts = 0.001}});
//     if (tuning.timeout) …else std::puts(tuning.reason.c_str());
//
// `choose_timeout` answers the same for a running caller, from a sketch and from answered attempts
// only. Here every sample is kept, and one that was cut off counts for what is known of it: that it
// took longer. So a timeout is never shortened because of itself.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "perdure/duration.hpp"
#include "perdure/policy/backoff.hpp"
#include "perdure/policy/timeout.hpp"

namespace perdure {
inline namespace v0 {

enum class Ending : std::uint8_t { answered, cut_off };  // cut off: it took longer than this

struct LatencySample {
    Duration latency{};
    Ending ending = Ending::answered;
};

// The distribution behind the samples, by Kaplan and Meier where some were cut off. Immutable: any
// thread may ask.
class Latencies {
public:
    explicit Latencies(std::vector<LatencySample> samples);

    [[nodiscard]] std::uint64_t count() const noexcept { return samples_.size(); }
    [[nodiscard]] std::uint64_t cut_off() const noexcept { return cut_off_; }
    [[nodiscard]] Duration longest() const noexcept;  // cut off or not; zero without samples
    // The share of requests that take longer. Beyond what cut-off samples tell: at most this.
    [[nodiscard]] double share_above(Duration latency) const;
    // Empty where it lies among the cut-off samples.
    [[nodiscard]] std::optional<Duration> quantile(double share) const;
    // What the (1 − above) quantile is not larger than, with this confidence, when the samples are
    // worth only 1/correlation of their number. Empty: too few, or among the cut-off ones.
    [[nodiscard]] std::optional<Duration> upper_bound(double above, double confidence,
                                                      double correlation = 1) const;

private:
    // After an answered sample behind the first cut-off one: what is left above it, and how many
    // samples that statement is worth (Greenwood's variance).
    struct Step {
        Duration latency{};
        double above = 0;
        double worth = 0;
    };
    void follow(std::size_t first_cut_off);

    std::vector<LatencySample> samples_;  // sorted; at equal latency, cut-off ones last
    std::size_t plain_ = 0;               // so many before the first cut-off one
    std::uint64_t cut_off_ = 0;
    std::vector<Step> steps_;
};

// How many neighbours in time say the same: the integrated autocorrelation time of the logarithms.
// At least 1, and 1 unless it is above 1 by more than chance explains.
double correlation_time(std::span<const LatencySample> in_order);

struct TuningOptions {
    TimeoutOptions timeout{};
    Duration worst_round_trip{};  // the timeout leaves room for the median and one such
    double correlation = 1;       // see correlation_time
};

enum class TuningVerdict : std::uint8_t {
    recommended,
    too_few,   // samples; samples_needed says how many it takes
    cut_off,   // the quantile lies among the samples the present timeout cut off
    nonsense,  // options outside their range
};

struct Tuning {
    TuningVerdict verdict = TuningVerdict::nonsense;
    std::optional<Duration> timeout{};     // if recommended
    std::optional<Duration> percentile{};  // the bare one
    std::optional<Duration> bound{};       // its upper confidence bound
    std::optional<Duration> median{};
    double effective_samples = 0;
    std::uint64_t samples_needed = 0;
    std::string reason{};  // in words, also when there is a timeout
};

Tuning tune(const Latencies& latencies, const TuningOptions& options = {});

// What a call takes at most: all attempts at their timeout and the longest waits between them.
Duration longest_call(int attempts, Duration attempt_timeout, const Backoff& backoff);
// How many attempts, waits included, surely fit into the deadline; 0: not even one.
int attempts_within(Duration deadline, Duration attempt_timeout, const Backoff& backoff,
                    int most = 100);

}  // namespace v0
}  // namespace perdure
