// SPDX-License-Identifier: Apache-2.0
//
// The integrated autocorrelation time by Sokal's window: the sum of correlations is cut where it is
// five times as long as itself, before noise is all it gathers.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "perdure/policy/tuning.hpp"

namespace perdure {
inline namespace v0 {

namespace {

constexpr std::size_t most_points = 1 << 16;  // lags × points is the work
constexpr double window = 5;
constexpr double negligible_variance = 1e-20;  // what rounding leaves of equal logarithms
constexpr double sure = 4;  // standard errors of independent samples, before we believe it

// Each the mean of `group` neighbours, less the mean of all.
std::vector<double> points_of(std::span<const LatencySample> samples, std::size_t group) {
    std::vector<double> points(samples.size() / group);
    for (std::size_t i = 0; i < points.size(); ++i) {
        for (const LatencySample& sample : samples.subspan(i * group, group))
            // In logarithms, or a single outlier would be all there is to correlate.
            points[i] += std::log(1 + static_cast<double>(sample.latency.count()));
        points[i] /= static_cast<double>(group);
    }
    const double mean = std::accumulate(points.begin(), points.end(), 0.0) /
                        static_cast<double>(std::max<std::size_t>(points.size(), 1));
    for (double& point : points) point -= mean;
    return points;
}

double covariance(std::span<const double> points, std::size_t lag) {
    return std::inner_product(points.begin(), points.end() - static_cast<std::ptrdiff_t>(lag),
                              points.begin() + static_cast<std::ptrdiff_t>(lag), 0.0) /
           static_cast<double>(points.size());
}

struct Sum {
    double time = 1, error = 0;
};

Sum summed(std::span<const double> points, double variance) {
    Sum sum;
    std::size_t lag = 1;
    for (; lag < points.size() / 4 && static_cast<double>(lag) < window * sum.time; ++lag)
        sum.time = std::max(1.0, sum.time + 2 * covariance(points, lag) / variance);
    sum.error = std::sqrt(static_cast<double>(4 * lag + 2) / static_cast<double>(points.size()));
    return sum;
}

}  // namespace

double correlation_time(std::span<const LatencySample> in_order) {
    const std::size_t group = (in_order.size() + most_points - 1) / most_points;
    if (in_order.size() < 16) return 1;
    const std::vector<double> singly = points_of(in_order, 1);
    const double variance = covariance(singly, 0);
    if (!(variance > negligible_variance)) return 1;
    if (group == 1) {
        const Sum sum = summed(singly, variance);
        return sum.time - sure * sum.error > 1 ? sum.time : 1;
    }
    // The variance of a sum of `group` neighbours tells what they have in common; what the groups
    // have in common among themselves multiplies it.
    const std::vector<double> grouped = points_of(in_order, group);
    const double between = covariance(grouped, 0);
    const double within = between * static_cast<double>(group) / variance;
    const Sum sum = summed(grouped, between);
    const double error = sum.error + std::sqrt(2 / static_cast<double>(grouped.size()));
    return within * (sum.time - sure * error) > 1 ? within * sum.time : 1;
}

}  // namespace v0
}  // namespace perdure
