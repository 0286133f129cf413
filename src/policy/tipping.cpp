// SPDX-License-Identifier: Apache-2.0
#include "perdure/policy/tipping.hpp"

#include <cmath>

namespace perdure {
inline namespace v0 {

namespace {

// By how much more attempts the present ones cause than they are.
class Growth {
public:
    explicit Growth(const Load& load)
        : load_{load}, timeout_{std::chrono::duration<double>(load.timeout).count()} {}

    double operator()(double attempts) const {
        const double late =
            attempts < load_.capacity ? std::exp(-(load_.capacity - attempts) * timeout_) : 1;
        return load_.rate * load_factor(late, load_.attempts) - attempts;
    }

    // Convex below the capacity: the one place where it is least.
    [[nodiscard]] double lowest(double from, double to) const {
        for (int i = 0; i < 200; ++i) {
            const double third = (to - from) / 3;
            if ((*this)(from + third) < (*this)(to - third)) to -= third;
            else from += third;
        }
        return (from + to) / 2;
    }

    // Where it changes its sign.
    [[nodiscard]] double root(double positive, double negative) const {
        for (int i = 0; i < 200; ++i) {
            const double middle = (positive + negative) / 2;
            if ((*this)(middle) > 0) positive = middle;
            else negative = middle;
        }
        return (positive + negative) / 2;
    }

private:
    Load load_;
    double timeout_;
};

}  // namespace

Tipping tipping_point(const Load& load) {
    Tipping found;
    if (!(load.rate > 0 && load.capacity > 0 && load.attempts > 0 && load.timeout > Duration{}))
        return found;
    const Growth growth{load};
    const double worst = load.rate * load.attempts;
    if (worst >= load.capacity) found.stuck = worst;
    if (load.rate >= load.capacity) return found;
    const double lowest = growth.lowest(load.rate, load.capacity);
    if (!found.stuck) {
        found.healthy = growth.root(load.rate, load.capacity);
    } else if (growth(lowest) <= 0) {
        found.healthy = growth.root(load.rate, lowest);
        found.tipping = growth.root(load.capacity, lowest);
    }
    return found;
}

double load_factor(double failing, int attempts) {
    double sum = 0, share = 1;
    for (int attempt = 0; attempt < attempts && share > 0; ++attempt, share *= failing)
        sum += share;
    return sum;
}

}  // namespace v0
}  // namespace perdure
