// SPDX-License-Identifier: Apache-2.0
#include "perdure/policy/hedge.hpp"

#include <algorithm>

namespace perdure {
inline namespace v0 {

std::optional<Duration> hedge_delay(const HedgeOptions& options, const Sketch& latencies) {
    if (options.extra <= 0) return std::nullopt;
    if (options.after > Duration::zero()) return options.after;
    if (latencies.count() < options.least_samples) return std::nullopt;
    const std::optional<Duration> learned = latencies.quantile(options.quantile);
    if (!learned) return std::nullopt;
    return std::max(*learned, options.least);
}

bool hedges_too_often(const HedgeOptions& options, std::uint64_t hedged, std::uint64_t calls) {
    // The first slow call of all would otherwise be "all calls".
    if (calls < options.least_samples) return false;
    const double meant = std::max(0.0, 1 - options.quantile);
    return static_cast<double>(hedged) > 2 * meant * static_cast<double>(calls);
}

}  // namespace v0
}  // namespace perdure
