// SPDX-License-Identifier: Apache-2.0
#include "doctor/chance.hpp"

#include <algorithm>
#include <cmath>

namespace tool::doctor {

namespace {

// std::lgamma writes a global sign, so threads would race for it; the arguments here are counts.
double log_factorial(double n) {
    if (n < 2) return 0;
    if (n < 30) {
        double sum = 0;
        for (double k = 2; k <= n; ++k) sum += std::log(k);
        return sum;
    }
    constexpr double half_log_two_pi = 0.91893853320467274;
    return (n + 0.5) * std::log(n) - n + half_log_two_pi + 1 / (12 * n) - 1 / (360 * n * n * n);
}

double log_choose(double n, double k) {
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

}  // namespace

double at_least(Share seen) {
    if (seen.part == 0 || seen.of == 0) return 0;
    constexpr double z = 2.326;
    const auto n = static_cast<double>(seen.of);
    const double p = seen.value();
    const double middle = p + z * z / (2 * n);
    const double reach = z * std::sqrt(std::max(0.0, p * (1 - p)) / n + z * z / (4 * n * n));
    return std::max(0.0, (middle - reach) / (1 + z * z / n));
}

double by_chance(Share group, Share rest) {
    if (group.of == 0 || rest.of == 0) return 1;
    const auto n = static_cast<double>(group.of), other = static_cast<double>(rest.of);
    const auto hits = static_cast<double>(group.part + rest.part);
    const double most = std::min(n, hits);
    const double all = log_choose(n + other, hits);
    double sum = 0;
    for (auto k = static_cast<double>(group.part); k <= most; ++k) {
        if (hits - k > other) continue;
        const double term = std::exp(log_choose(n, k) + log_choose(other, hits - k) - all);
        sum += term;
        // Past the mode the terms only shrink.
        if (term < sum * 1e-9 && k > hits * n / (n + other)) break;
    }
    return std::min(sum, 1.0);
}

Share known_from(std::uint64_t lines, Share share) {
    if (lines == 0 || lines >= share.of) return share;
    return {static_cast<std::uint64_t>(std::floor(share.value() * static_cast<double>(lines))),
            lines};
}

double lift(Share group, Share rest) {
    if (group.of == 0 || rest.of == 0) return 1;
    const double base = rest.part > 0 ? rest.value() : 0.5 / static_cast<double>(rest.of);
    return group.value() / base;
}

}  // namespace tool::doctor
