// SPDX-License-Identifier: Apache-2.0
#include "perdure/sim/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace perdure {
inline namespace v0 {
namespace sim {

namespace {

double nanoseconds(Duration duration) { return static_cast<double>(duration.count()); }

// Marsaglia's polar method: logarithm and square root only.
double standard_normal(Stream& stream) {
    for (;;) {
        const double u = 2 * stream.next() - 1;
        const double v = 2 * stream.next() - 1;
        const double s = u * u + v * v;
        if (s > 0 && s < 1) return u * std::sqrt(-2 * natural_log(s) / s);
    }
}

constexpr double z_of_p999 = 3.090232306167813;  // the standard normal's 99.9th percentile

}  // namespace

Distribution Distribution::constant(Duration value) {
    Distribution made;
    made.low_ = made.mean_ = nanoseconds(value);
    return made;
}

Distribution Distribution::exponential(Duration mean) {
    Distribution made;
    made.shape_ = Shape::exponential;
    made.low_ = made.mean_ = nanoseconds(mean);
    made.variation_ = 1;
    return made;
}

Distribution Distribution::log_normal(Duration median, Duration p999) {
    Distribution made;
    made.shape_ = Shape::log_normal;
    made.low_ = natural_log(nanoseconds(median));
    made.spread_ = natural_log(nanoseconds(p999) / nanoseconds(median)) / z_of_p999;
    const double variance = made.spread_ * made.spread_;
    made.mean_ = nanoseconds(median) * perdure::exponential(variance / 2);
    made.variation_ = perdure::exponential(variance) - 1;
    return made;
}

Distribution Distribution::bimodal(Duration fast, Duration slow, double slow_share, Modes modes) {
    Distribution made;
    made.shape_ = Shape::bimodal;
    made.modes_ = modes;
    made.low_ = nanoseconds(fast);
    made.high_ = nanoseconds(slow);
    made.spread_ = slow_share;
    made.mean_ = (1 - slow_share) * made.low_ + slow_share * made.high_;
    const double moment = modes == Modes::exponential ? 2 : 1;  // E[X²] ÷ mean² of one mode
    const double square =
        moment * ((1 - slow_share) * made.low_ * made.low_ + slow_share * made.high_ * made.high_);
    made.variation_ = square / (made.mean_ * made.mean_) - 1;
    return made;
}

Distribution Distribution::uniform(Duration low, Duration high) {
    Distribution made;
    made.shape_ = Shape::uniform;
    made.low_ = nanoseconds(low);
    made.high_ = nanoseconds(high);
    made.mean_ = (made.low_ + made.high_) / 2;
    const double width = made.high_ - made.low_;
    made.variation_ = made.mean_ > 0 ? width * width / 12 / (made.mean_ * made.mean_) : 0;
    return made;
}

// Mean and variation are those of the unfolded normal, which is all that matters while the mean is
// a few deviations above zero.
Distribution Distribution::normal(Duration mean, Duration deviation) {
    Distribution made;
    made.shape_ = Shape::normal;
    made.low_ = made.mean_ = nanoseconds(mean);
    made.high_ = nanoseconds(deviation);
    made.variation_ = made.mean_ > 0 ? made.high_ * made.high_ / (made.mean_ * made.mean_) : 0;
    return made;
}

Distribution Distribution::pareto(Duration least, double exponent) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    Distribution made;
    made.shape_ = Shape::pareto;
    made.low_ = nanoseconds(least);
    made.spread_ = exponent;
    made.mean_ = exponent > 1 ? made.low_ * exponent / (exponent - 1) : infinite;
    made.variation_ = exponent > 2 ? 1 / (exponent * (exponent - 2)) : infinite;
    return made;
}

Distribution Distribution::empirical(std::vector<Duration> samples) {
    Distribution made;
    made.shape_ = Shape::empirical;
    double sum = 0, squares = 0;
    for (const Duration sample : samples) {
        sum += nanoseconds(sample);
        squares += nanoseconds(sample) * nanoseconds(sample);
    }
    const auto count = static_cast<double>(samples.size());
    made.mean_ = sum / count;
    made.variation_ = made.mean_ > 0 ? squares / count / (made.mean_ * made.mean_) - 1 : 0;
    made.samples_ = std::make_shared<const std::vector<Duration>>(std::move(samples));
    return made;
}

bool Distribution::sound() const noexcept {
    if (!(mean_ >= 0 && mean_ < 1e18) || !(spread_ >= 0)) return false;
    switch (shape_) {
        case Shape::log_normal: return std::isfinite(low_) && std::isfinite(spread_);
        case Shape::bimodal: return low_ >= 0 && high_ >= 0 && spread_ <= 1;
        case Shape::uniform: return low_ >= 0 && high_ >= low_;
        case Shape::normal: return low_ >= 0 && high_ >= 0;
        case Shape::empirical:
            return samples_ && !samples_->empty() &&
                   std::ranges::min(*samples_) >= Duration::zero();
        default: return low_ >= 0;
    }
}

double Distribution::draw_other(Stream& stream) const {
    switch (shape_) {
        case Shape::log_normal:
            return perdure::exponential(low_ + spread_ * standard_normal(stream));
        case Shape::bimodal: {
            const double mode = stream.next() < spread_ ? high_ : low_;
            return modes_ == Modes::constant ? mode : -natural_log(stream.positive()) * mode;
        }
        case Shape::uniform: return low_ + (high_ - low_) * stream.next();
        case Shape::normal: return std::abs(low_ + high_ * standard_normal(stream));
        case Shape::pareto:
            return low_ * perdure::exponential(-natural_log(stream.positive()) / spread_);
        case Shape::empirical:
            return nanoseconds(
                (*samples_)[stream.below(static_cast<std::uint32_t>(samples_->size()))]);
        default: return low_;
    }
}

}  // namespace sim
}  // namespace v0
}  // namespace perdure
