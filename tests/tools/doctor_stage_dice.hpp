// SPDX-License-Identifier: Apache-2.0
//
// What does a staged world throw for? Numbers of the shapes that services, people and networks have.
//
//     Dice dice{seed};
//     const Duration took = dice.around(20ms, 0.6);   // log-normal: median, sigma
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "perdure/duration.hpp"
#include "perdure/time/random.hpp"

namespace stage {

using perdure::Duration;

inline double seconds(Duration duration) { return static_cast<double>(duration.count()) * 1e-9; }
inline Duration of_seconds(double value) {
    return Duration{static_cast<Duration::rep>(std::clamp(value, 0.0, 1e9) * 1e9)};
}

// Owned by one world.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : source_{seed} {}

    perdure::Random& source() noexcept { return source_; }
    std::uint64_t bits() { return source_.bits(); }
    double even(double low = 0, double high = 1) { return low + (high - low) * source_.next(); }
    // Each order of magnitude is as likely as the next.
    double log_even(double low, double high) { return low * std::pow(high / low, source_.next()); }
    Duration log_even(Duration low, Duration high) {
        return of_seconds(log_even(seconds(low), seconds(high)));
    }
    Duration even(Duration low, Duration high) {
        return of_seconds(even(seconds(low), seconds(high)));
    }
    bool chance(double share) { return source_.next() < share; }
    // In [0, n).
    int below(int n) { return static_cast<int>(source_.next() * n); }
    int between(int low, int high) { return low + below(high - low + 1); }
    Duration around(Duration median, double sigma) {
        return of_seconds(seconds(median) * std::exp(sigma * normal()));
    }

private:
    double normal() {
        const double radius = std::sqrt(-2 * std::log(1 - source_.next()));
        return radius * std::cos(2 * std::numbers::pi * source_.next());
    }

    perdure::SeededRandom source_;
};

}  // namespace stage
