// SPDX-License-Identifier: Apache-2.0
//
// When does the next call begin? Poisson arrivals under a rate that changes along straight lines.
//
// The unit-rate process is drawn and time is bent to fit it, so a scenario with twice the rate meets
// the same arrivals, only sooner.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "perdure/sim/scenario.hpp"

namespace perdure {
inline namespace v0 {
namespace sim {

// Owned by one world.
class PoissonArrivals {
public:
    PoissonArrivals(std::vector<RatePoint> rate, Dice dice)
        : rate_{std::move(rate)}, dice_{dice}, at_{ns(rate_.front().at)} {}

    struct Next {
        std::int64_t at = 0;
        std::uint64_t number = 0;  // from 1
    };
    // Nothing once the rate has come down to zero for good.
    std::optional<Next> next() {
        double work = -natural_log(dice_.of(Purpose::arrival, ++number_).positive());
        for (; segment_ + 1 < rate_.size(); ++segment_) {
            const RatePoint &from = rate_[segment_], &to = rate_[segment_ + 1];
            const double end = ns(to.at), length = end - ns(from.at);
            if (length <= 0 || at_ >= end) continue;
            const double slope = (per_ns(to) - per_ns(from)) / length;
            const double here = per_ns(from) + slope * (at_ - ns(from.at));
            const double under = here * here + 2 * slope * work;
            const double root = here + (under > 0 ? std::sqrt(under) : 0);
            const double left = (here + per_ns(to)) / 2 * (end - at_);  // area up to the next point
            if (work <= left && root > 0) return found(at_ + 2 * work / root);
            work -= left;
            at_ = end;
        }
        const double rate = per_ns(rate_.back());
        if (rate <= 0) return std::nullopt;
        return found(at_ + work / rate);
    }

private:
    static double ns(Duration duration) { return static_cast<double>(duration.count()); }
    static double per_ns(const RatePoint& point) { return point.per_second * 1e-9; }
    Next found(double at) {
        at_ = at;
        return {static_cast<std::int64_t>(at + 0.5), number_};
    }

    std::vector<RatePoint> rate_;
    Dice dice_;
    double at_;
    std::uint64_t number_ = 0;
    std::size_t segment_ = 0;
};

}  // namespace sim
}  // namespace v0
}  // namespace perdure
