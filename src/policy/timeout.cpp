// SPDX-License-Identifier: Apache-2.0
#include "perdure/policy/timeout.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace perdure {
inline namespace v0 {

namespace {

struct Binomial {
    double trials, chance;

    // P(i − 1) / P(i) and P(i + 1) / P(i): no factorials, so nothing overflows.
    [[nodiscard]] double down(double i) const {
        return i / (trials - i + 1) * (1 - chance) / chance;
    }
    [[nodiscard]] double up(double i) const {
        return (trials - i) / (i + 1) * chance / (1 - chance);
    }
};

constexpr double negligible = 1e-19;  // beside 1, in a double

// Which of the n samples, counted from the largest, exceeds the true quantile with this confidence?
// How many samples lie above it is binomial (n, ε) for every distribution; so it is the largest k
// with P(fewer than k above) ≤ 1 − confidence. Summed outwards from the mode. 0: not even the first.
std::uint64_t rank_from_top(std::uint64_t samples, double above, double confidence) {
    const Binomial binomial{static_cast<double>(samples), above};
    const double mode = std::floor((binomial.trials + 1) * above);
    double below = 1, all = 1;  // weights up to the mode, and of everything, the mode's being 1
    double weight = 1;
    for (double i = mode; i > 0 && weight > negligible; --i) below += weight *= binomial.down(i);
    weight = 1;
    for (double i = mode; i < binomial.trials && weight > negligible; ++i)
        all += weight *= binomial.up(i);
    all += below - 1;

    const double allowed = (1 - confidence) * all;
    weight = 1;
    double i = mode;
    for (; i >= 0 && below > allowed; --i) {
        below -= weight;
        weight *= binomial.down(i);
    }
    return i < 0 ? 0 : static_cast<std::uint64_t>(i) + 1;
}

std::uint64_t least_samples(double above, double confidence) {
    return static_cast<std::uint64_t>(std::ceil(std::log1p(-confidence) / std::log1p(-above)));
}

std::string words(const char* format, auto... values) {
    char text[200];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

double milliseconds(Duration wait) {
    return std::chrono::duration<double, std::milli>(wait).count();
}

// Upwards by the half bucket by which the sketch may be too low.
Duration at_most(Duration middle) { return middle + middle / 128; }

}  // namespace

TimeoutChoice choose_timeout(const Sketch& latencies, const TimeoutOptions& options) {
    const double above = options.false_timeouts;
    if (!(above > 0 && above < 1 && options.confidence > 0 && options.confidence < 1))
        return {.reason = "false_timeouts and confidence must lie between 0 and 1"};

    TimeoutChoice choice{.samples_needed = least_samples(above, options.confidence)};
    const std::uint64_t samples = latencies.count();
    const std::uint64_t rank =
        samples < choice.samples_needed ? 0 : rank_from_top(samples, above, options.confidence);
    if (rank == 0) {
        choice.reason = words("needs %llu samples, has %llu",
                              static_cast<unsigned long long>(choice.samples_needed),
                              static_cast<unsigned long long>(samples));
        return choice;
    }

    const Duration bound = at_most(*latencies.at_rank(samples - rank + 1));
    const Duration twice_median = 2 * at_most(*latencies.quantile(0.5));
    const Duration network = std::min(options.network, never - std::max(bound, twice_median));
    choice.timeout = std::max(bound, twice_median) + network;
    choice.reason = words("p%g is at most %.3g ms (%g %% sure)", 100 * (1 - above),
                          milliseconds(bound), 100 * options.confidence);
    if (twice_median > bound)
        choice.reason += words("; twice the median, %.3g ms, leaves room for a slower day",
                               milliseconds(twice_median));
    if (*choice.timeout < options.least || *choice.timeout > options.most) {
        choice.timeout = std::min(std::max(*choice.timeout, options.least), options.most);
        choice.reason += words("; held at %.3g ms", milliseconds(*choice.timeout));
    }
    return choice;
}

}  // namespace v0
}  // namespace perdure
