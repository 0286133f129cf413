// SPDX-License-Identifier: Apache-2.0
#include "order_statistics.hpp"

#include <cmath>

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

constexpr double negligible_weight = 1e-19;  // beside 1, in a double

}  // namespace

// Summed outwards from the mode.
std::uint64_t rank_from_top(std::uint64_t samples, double above, double confidence) {
    const Binomial binomial{static_cast<double>(samples), above};
    const double mode = std::floor((binomial.trials + 1) * above);
    double below = 1, all = 1;  // weights up to the mode, and of everything, the mode's being 1
    double weight = 1;
    for (double i = mode; i > 0 && weight > negligible_weight; --i)
        below += weight *= binomial.down(i);
    weight = 1;
    for (double i = mode; i < binomial.trials && weight > negligible_weight; ++i)
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

}  // namespace v0
}  // namespace perdure
