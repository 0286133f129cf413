// SPDX-License-Identifier: Apache-2.0
#include "perdure/sim/summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace perdure {
inline namespace v0 {
namespace sim {

double student_975(std::size_t degrees) {
    // Where the series below is not yet good to four digits.
    static constexpr std::array<double, 7> few{
        std::numeric_limits<double>::infinity(), 12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469};
    if (degrees < few.size()) return few[degrees];
    // Cornish and Fisher's expansion around the normal percentile.
    const double n = static_cast<double>(degrees);
    constexpr double z = 1.959963984540054;
    constexpr double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z, z9 = z7 * z * z;
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n) +
           (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * z) / (92160 * n * n * n * n);
}

Summary summarise(std::span<const double> values) {
    Summary summary{.count = values.size()};
    if (values.empty()) return summary;
    const double count = static_cast<double>(values.size());
    for (const double value : values) summary.mean += value / count;
    double squares = 0;
    for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
    if (values.size() > 1) summary.deviation = std::sqrt(squares / (count - 1));
    summary.margin = values.size() > 1
                         ? student_975(values.size() - 1) * summary.deviation / std::sqrt(count)
                         : std::numeric_limits<double>::infinity();
    summary.least = *std::ranges::min_element(values);
    summary.most = *std::ranges::max_element(values);
    return summary;
}

}  // namespace sim
}  // namespace v0
}  // namespace perdure
