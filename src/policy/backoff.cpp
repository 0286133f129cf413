// SPDX-License-Identifier: Apache-2.0
#include "perdure/policy/backoff.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "perdure/stats/portable_math.hpp"

namespace perdure {
inline namespace v0 {

namespace {

double nanoseconds(Duration wait) { return static_cast<double>(wait.count()); }

// Doubles beyond the range of the count are undefined behaviour to convert, so the ends are held.
Duration rounded(double count) {
    if (!(count > 0)) return Duration::zero();
    if (count >= nanoseconds(Duration::max())) return Duration::max();
    return Duration{std::llround(count)};
}

double between(double low, double high, Random& random) {
    return low == high ? low : low + (high - low) * random.next();
}

// base · growth(n); infinite where it overflows, which the cap then brings down.
double uncapped(const Backoff& backoff, int n) {
    const double base = nanoseconds(backoff.base);
    // 2^1023 is the last finite power; larger exponents would not change what the cap leaves.
    const double power = perdure::power(backoff.factor, std::min(n, 1023));
    switch (backoff.curve) {
        case Curve::constant: return base;
        case Curve::linear: return base * (static_cast<double>(n) + 1);
        case Curve::exponential_less_one: return base * (power - 1);
        default: return base * power;
    }
}

int skipped(const Backoff& backoff, int n) {
    return n > std::numeric_limits<int>::max() - backoff.skip ? n : n + backoff.skip;
}

Duration jittered(const Backoff& backoff, double count, Random& random) {
    const double cap = nanoseconds(backoff.cap);
    if (backoff.cap_place == CapPlace::inside_jitter)
        return rounded(std::min(cap, count) *
                       between(backoff.jitter.low, backoff.jitter.high, random));
    // 0 · infinity is not a number: hold the factor finite before the draw.
    count = std::min(count, nanoseconds(Duration::max()));
    return rounded(std::min(cap, count * between(backoff.jitter.low, backoff.jitter.high, random)));
}

Duration decorrelated(const Backoff& backoff, const Series& series, Random& random) {
    const double base = nanoseconds(backoff.base);
    const double previous =
        series.previous > Duration::zero() ? nanoseconds(series.previous) : base;
    return rounded(
        std::min(nanoseconds(backoff.cap), between(base, std::max(base, 3 * previous), random)));
}

// The differences of f give a smooth density over the fleet; 1.4 scales the first median to about
// one base (facts: Polly issue 530).
Duration smooth(const Backoff& backoff, int n, Series& series, Random& random) {
    const int whole = std::min(n, 1000);
    const double part = random.next();
    const double root = std::sqrt(4 * (whole + part));
    const double tanh = 1 - 2 / (exponential(2 * root) + 1);
    const double curve = power(2, whole) * exponential(part * portable::ln2) * tanh;
    const double step = std::max(0.0, curve - series.previous_curve);
    series.previous_curve = curve;
    return rounded(std::min(nanoseconds(backoff.cap), step * nanoseconds(backoff.base) / 1.4));
}

Duration with_plus(const Backoff& backoff, Duration delay) {
    return delay > Duration::max() - backoff.plus ? Duration::max() : delay + backoff.plus;
}

}  // namespace

Duration next_delay(const Backoff& backoff, Series& series, Random& random) {
    const int n = series.position;
    if (series.position < std::numeric_limits<int>::max()) ++series.position;
    if (n == 0 && backoff.first == FirstRetry::at_once) return Duration::zero();
    if (backoff.base <= Duration::zero()) return Duration::zero();
    switch (backoff.curve) {
        case Curve::decorrelated:
            series.previous = decorrelated(backoff, series, random);
            return with_plus(backoff, series.previous);
        case Curve::smooth: return with_plus(backoff, smooth(backoff, n, series, random));
        default: break;
    }
    return with_plus(backoff, jittered(backoff, uncapped(backoff, skipped(backoff, n)), random));
}

Duration longest_delay(const Backoff& backoff, int n) {
    if (n == 0 && backoff.first == FirstRetry::at_once) return Duration::zero();
    if (backoff.base <= Duration::zero()) return Duration::zero();
    if (backoff.curve == Curve::decorrelated || backoff.curve == Curve::smooth)
        return with_plus(backoff, backoff.cap);
    const double count = uncapped(backoff, skipped(backoff, n));
    const double cap = nanoseconds(backoff.cap);
    if (backoff.cap_place == CapPlace::inside_jitter)
        return with_plus(backoff, rounded(std::min(cap, count) * backoff.jitter.high));
    return with_plus(backoff, rounded(std::min(cap, count * backoff.jitter.high)));
}

}  // namespace v0
}  // namespace perdure
