// SPDX-License-Identifier: Apache-2.0
//
// How long before the next attempt? Capped growth with jitter.
//
//     Backoff{.base = 50ms, .cap = 1s}           // random · min(1 s, 50 ms · 2^n)
//     Backoff{.base = 1s, .jitter = Jitter::equal}
//
// The cap lies inside the jitter: where it lies outside (AWS before 2026, EF Core, Polly, Azure),
// every client that has reached the cap waits exactly the cap, and the fleet marches in step.
#pragma once

#include <cstdint>

#include "perdure/duration.hpp"
#include "perdure/time/random.hpp"

namespace perdure {
inline namespace v0 {

// The delay is multiplied by a number drawn evenly from [low, high).
struct Jitter {
    double low = 0;
    double high = 1;

    static const Jitter none, full, equal;
    friend constexpr bool operator==(Jitter, Jitter) noexcept = default;
};
inline constexpr Jitter Jitter::none{1, 1};
inline constexpr Jitter Jitter::full{0, 1};
inline constexpr Jitter Jitter::equal{0.5, 1};

enum class Curve : std::uint8_t {
    exponential,           // base · factor^n
    exponential_less_one,  // base · (factor^n − 1): EF Core from n = 0, Envoy from n = 1
    constant,              // base
    linear,                // base · (n + 1)
    decorrelated,          // even in [base, 3 · previous), then the cap
    smooth,                // Polly v8's f(t) = 2^t · tanh √(4t); jitter is inside it
};

enum class CapPlace : std::uint8_t { inside_jitter, outside_jitter };
enum class FirstRetry : std::uint8_t { waits, at_once };

// A plain value. n counts retries from 0.
struct Backoff {
    Duration base = 50ms;
    double factor = 2;
    Duration cap = 5s;
    Jitter jitter = Jitter::full;
    Curve curve = Curve::exponential;
    CapPlace cap_place = CapPlace::inside_jitter;
    FirstRetry first = FirstRetry::waits;
    int skip = 0;  // start the curve at n = skip
    // Added to every delay of the curve, above the cap: EF Core's 5 s for a throttled database.
    Duration plus{};

    friend constexpr bool operator==(const Backoff&, const Backoff&) noexcept = default;
};

// Where a series stands; `previous` matters to the curves that walk.
struct Series {
    int position = 0;         // n of the delay to come
    Duration previous{};      // the last delay (decorrelated), zero at the start
    double previous_curve{};  // the last f(t) (smooth)
};

// The delay before retry `series.position`; moves the series on. Never negative, never above
// `cap` and `plus` unless the jitter's `high` is above 1 and the cap lies inside it.
Duration next_delay(const Backoff& backoff, Series& series, Random& random);

// The longest delay retry n can have, for planning. `never` where nothing bounds it.
Duration longest_delay(const Backoff& backoff, int n);

}  // namespace v0
}  // namespace perdure
