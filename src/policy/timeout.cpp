// SPDX-License-Identifier: Apache-2.0
#include "perdure/policy/timeout.hpp"

#include <algorithm>
#include <cstdio>

#include "order_statistics.hpp"

namespace perdure {
inline namespace v0 {

namespace {

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
