// SPDX-License-Identifier: Apache-2.0
#include "perdure/policy/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "order_statistics.hpp"
#include "reason.hpp"

namespace perdure {
inline namespace v0 {

namespace {

constexpr double rounding = 1e-9;  // of shares times counts, far below one sample

// The largest share of samples above a value that is still sure enough to be above the quantile;
// negative: not even none.
double share_allowed(double worth, double above, double confidence) {
    const auto samples = static_cast<std::uint64_t>(worth + rounding);
    const auto rank = static_cast<double>(rank_from_top(samples, above, confidence));
    return (rank - 1) / static_cast<double>(std::max<std::uint64_t>(samples, 1));
}

Duration sum(Duration a, Duration b) { return a > never - b ? never : a + b; }

bool is_share(double number) { return number > 0 && number < 1; }

Tuning measured(const Latencies& latencies, const TuningOptions& options) {
    const double above = options.timeout.false_timeouts;
    const double confidence = options.timeout.confidence;
    const auto least = static_cast<double>(least_samples(above, confidence));
    return {.percentile = latencies.quantile(1 - above),
            .bound = latencies.upper_bound(above, confidence, options.correlation),
            .median = latencies.quantile(0.5),
            .effective_samples = static_cast<double>(latencies.count()) / options.correlation,
            .samples_needed =
                static_cast<std::uint64_t>(std::ceil(least * options.correlation - rounding))};
}

// The bound, and room above it where it is no more than a step above the median.
void recommend(Tuning& tuning, const TuningOptions& options) {
    const TimeoutOptions& wanted = options.timeout;
    const Duration bound = *tuning.bound;
    const Duration median = tuning.median.value_or(bound);  // what bounds p99 bounds the median
    const Duration twice = sum(median, median);
    const Duration trip = sum(median, options.worst_round_trip);
    tuning.verdict = TuningVerdict::recommended;
    tuning.reason = reason("p%g is at most %.4g ms (%g %% sure)", 100 * (1 - wanted.false_timeouts),
                           in_milliseconds(bound), 100 * wanted.confidence);
    if (twice > bound && twice >= trip)
        tuning.reason += reason("; twice the median, %.4g ms, leaves room for a slower day",
                                in_milliseconds(twice));
    else if (trip > bound)
        tuning.reason +=
            reason("; the median and a slow round trip are %.4g ms", in_milliseconds(trip));

    const Duration bare = sum(std::max({bound, twice, trip}), wanted.network);
    tuning.timeout = std::min(std::max(bare, wanted.least), wanted.most);
    if (*tuning.timeout != bare)
        tuning.reason += reason("; held at %.4g ms", in_milliseconds(*tuning.timeout));
}

}  // namespace

Latencies::Latencies(std::vector<LatencySample> samples) : samples_{std::move(samples)} {
    std::ranges::sort(samples_, [](const LatencySample& a, const LatencySample& b) {
        return a.latency != b.latency ? a.latency < b.latency : a.ending < b.ending;
    });
    const auto first = std::ranges::find(samples_, Ending::cut_off, &LatencySample::ending);
    plain_ = static_cast<std::size_t>(first - samples_.begin());
    follow(plain_);
}

void Latencies::follow(std::size_t first_cut_off) {
    const auto all = static_cast<double>(samples_.size());
    const auto before = static_cast<double>(first_cut_off);
    double above = all > 0 ? (all - before) / all : 0;
    // Greenwood's sum; without anything cut off so far it telescopes to this.
    double variance = all > before ? before / (all * (all - before)) : 0;
    double worth = all;
    for (std::size_t i = first_cut_off; i < samples_.size(); ++i) {
        if (samples_[i].ending == Ending::cut_off) {
            ++cut_off_;
            continue;
        }
        const auto at_risk = static_cast<double>(samples_.size() - i);
        above *= (at_risk - 1) / at_risk;
        if (at_risk > 1) {
            variance += 1 / (at_risk * (at_risk - 1));
            worth = std::min(worth, (1 - above) / (above * variance));
        }
        steps_.push_back({samples_[i].latency, above, worth});
    }
}

Duration Latencies::longest() const noexcept {
    return samples_.empty() ? Duration::zero() : samples_.back().latency;
}

double Latencies::share_above(Duration latency) const {
    if (samples_.empty()) return 0;
    const auto step = std::ranges::upper_bound(steps_, latency, {}, &Step::latency);
    if (step != steps_.begin()) return (step - 1)->above;
    const auto plain = std::span{samples_}.first(plain_);
    const auto after = std::ranges::upper_bound(plain, latency, {}, &LatencySample::latency);
    const auto below = static_cast<double>(after - plain.begin());
    return 1 - below / static_cast<double>(samples_.size());
}

std::optional<Duration> Latencies::quantile(double share) const {
    const auto wanted = std::ceil(share * static_cast<double>(samples_.size()) - rounding);
    const auto index = static_cast<std::size_t>(std::max(wanted, 1.0)) - 1;
    if (index < plain_) return samples_[index].latency;
    const auto reached = [&](const Step& step) { return step.above <= 1 - share + rounding; };
    const auto step = std::ranges::partition_point(steps_, std::not_fn(reached));
    return step == steps_.end() ? std::nullopt : std::optional{step->latency};
}

std::optional<Duration> Latencies::upper_bound(double above, double confidence,
                                               double correlation) const {
    if (samples_.empty()) return std::nullopt;
    const auto all = static_cast<double>(samples_.size());
    const double allowed = share_allowed(all / correlation, above, confidence);
    if (allowed < 0) return std::nullopt;
    const auto left = static_cast<std::size_t>(allowed * all + rounding);
    if (const std::size_t index = samples_.size() - 1 - left; index < plain_)
        return samples_[index].latency;
    const auto sure = [&](const Step& step) {
        return step.above <= share_allowed(step.worth / correlation, above, confidence) + 1e-12;
    };
    const auto step = std::ranges::partition_point(steps_, std::not_fn(sure));
    return step == steps_.end() ? std::nullopt : std::optional{step->latency};
}

Tuning tune(const Latencies& latencies, const TuningOptions& options) {
    const TimeoutOptions& wanted = options.timeout;
    const double above = wanted.false_timeouts;
    if (!is_share(above) || !is_share(wanted.confidence) || !(options.correlation >= 1))
        return {.reason = "false_timeouts and confidence must lie between 0 and 1, and correlation "
                          "be at least 1"};

    Tuning tuning = measured(latencies, options);
    if (latencies.count() < tuning.samples_needed) {
        tuning.verdict = TuningVerdict::too_few;
        tuning.reason = "needs " + with_commas(tuning.samples_needed) + " samples, has " +
                        with_commas(latencies.count());
    } else if (!tuning.bound) {
        tuning.verdict = TuningVerdict::cut_off;
        tuning.reason = reason("p%g lies among the %s samples that were cut off", 100 * (1 - above),
                               with_commas(latencies.cut_off()).c_str());
    } else {
        recommend(tuning, options);
    }
    return tuning;
}

Duration longest_call(int attempts, Duration attempt_timeout, const Backoff& backoff) {
    Duration whole{};
    for (int attempt = 0; attempt < attempts; ++attempt) {
        whole = sum(whole, attempt_timeout);
        if (attempt > 0) whole = sum(whole, longest_delay(backoff, attempt - 1));
    }
    return whole;
}

int attempts_within(Duration deadline, Duration attempt_timeout, const Backoff& backoff, int most) {
    int attempts = 0;
    while (attempts < most && longest_call(attempts + 1, attempt_timeout, backoff) <= deadline)
        ++attempts;
    return attempts;
}

}  // namespace v0
}  // namespace perdure
