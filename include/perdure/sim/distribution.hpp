// SPDX-License-Identifier: Apache-2.0
//
// How long does it take, each time? A distribution of durations, drawn with our own arithmetic so
// that the same seed gives the same nanoseconds everywhere.
//
//     Distribution::exponential(10ms)
//     Distribution::log_normal(10ms, 12ms)                          // median, 99.9th percentile
//     Distribution::bimodal(5ms, 100ms, 0.01, Modes::exponential)   // one in a hundred is slow
//     Distribution::empirical({9ms, 10ms, 10ms, 14ms, 80ms})
#pragma once

#include <memory>
#include <vector>

#include "perdure/duration.hpp"
#include "perdure/sim/stream.hpp"
#include "perdure/stats/portable_math.hpp"

namespace perdure {
inline namespace v0 {
namespace sim {

enum class Shape : std::uint8_t {
    constant,
    exponential,
    log_normal,
    bimodal,
    uniform,    // even between `low` and `high`
    normal,     // the absolute value of a normal variate, as in the AWS back-off simulation
    pareto,     // at least `low`, with tail exponent `spread`
    empirical,  // each sample with the same chance
};
enum class Modes : std::uint8_t { constant, exponential };

// A plain value. Durations are nanoseconds in doubles.
class Distribution {
public:
    Distribution() = default;  // constant zero
    static Distribution constant(Duration value);
    static Distribution exponential(Duration mean);
    static Distribution log_normal(Duration median, Duration p999);
    static Distribution bimodal(Duration fast, Duration slow, double slow_share,
                                Modes modes = Modes::constant);
    static Distribution uniform(Duration low, Duration high);
    static Distribution normal(Duration mean, Duration deviation);
    static Distribution pareto(Duration least, double exponent);
    static Distribution empirical(std::vector<Duration> samples);

    [[nodiscard]] Shape shape() const noexcept { return shape_; }
    [[nodiscard]] double mean() const noexcept { return mean_; }
    // Squared coefficient of variation; infinite for a Pareto tail of 2 or less.
    [[nodiscard]] double variation() const noexcept { return variation_; }
    // Never negative, with a finite mean, and with samples where they are needed.
    [[nodiscard]] bool sound() const noexcept;
    [[nodiscard]] bool is_constant() const noexcept { return shape_ == Shape::constant; }
    // Both always the same, and as long.
    [[nodiscard]] bool is_constant(const Distribution& other) const noexcept {
        return is_constant() && other.is_constant() && low_ == other.low_;
    }

    // `slower` stretches the value: 1.2 is a service that takes a fifth longer.
    [[nodiscard]] Duration draw(Stream stream, double slower = 1) const {
        if (shape_ == Shape::exponential) [[likely]]
            return rounded(-natural_log(stream.positive()) * low_ * slower);
        if (shape_ == Shape::constant) return rounded(low_ * slower);
        return rounded(draw_other(stream) * slower);
    }

private:
    // A century is long enough for any tail, and leaves room for adding.
    static Duration rounded(double count) noexcept {
        if (!(count < 3e18)) [[unlikely]]
            count = 3e18;
        return Duration{static_cast<Duration::rep>(count + 0.5)};
    }
    [[nodiscard]] double draw_other(Stream& stream) const;

    Shape shape_ = Shape::constant;
    Modes modes_ = Modes::constant;
    double low_ = 0;     // constant: the value; exponential: the mean; log-normal: ln median
    double high_ = 0;    // the other end, the slow mode, the deviation
    double spread_ = 0;  // sigma, the slow share, the exponent
    double mean_ = 0;
    double variation_ = 0;
    std::shared_ptr<const std::vector<Duration>> samples_{};
};

}  // namespace sim
}  // namespace v0
}  // namespace perdure
