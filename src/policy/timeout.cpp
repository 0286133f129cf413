// SPDX-License-Identifier: Apache-2.0
#include "perdure/policy/timeout.hpp"

#include <algorithm>

#include "order_statistics.hpp"
#include "reason.hpp"

namespace perdure {
inline namespace v0 {

namespace {

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
        choice.reason =
            "needs " + with_commas(choice.samples_needed) + " samples, has " + with_commas(samples);
        return choice;
    }

    const Duration bound = at_most(*latencies.at_rank(samples - rank + 1));
    const Duration twice_median = 2 * at_most(*latencies.quantile(0.5));
    const Duration network = std::min(options.network, never - std::max(bound, twice_median));
    choice.timeout = std::max(bound, twice_median) + network;
    choice.reason = reason("p%g is at most %.3g ms (%g %% sure)", 100 * (1 - above),
                           in_milliseconds(bound), 100 * options.confidence);
    if (twice_median > bound)
        choice.reason += reason("; twice the median, %.3g ms, leaves room for a slower day",
                                in_milliseconds(twice_median));
    if (*choice.timeout < options.least || *choice.timeout > options.most) {
        choice.timeout = std::min(std::max(*choice.timeout, options.least), options.most);
        choice.reason += reason("; held at %.3g ms", in_milliseconds(*choice.timeout));
    }
    return choice;
}

}  // namespace v0
}  // namespace perdure
