// SPDX-License-Identifier: Apache-2.0
//
// How far is a service from the point where its own retries keep it down?
//
//     const Tipping state = tipping_point({.rate = 800, .capacity = 1000, .timeout = 50ms});
//     *state.healthy       // 800.04 attempts per second
//     *state.tipping       // 964.7: beyond it, it runs up to
//     *state.stuck         // 3200, and stays there when the cause is gone
//
// The service is one queue with random arrivals and service times that finishes what its callers
// have given up: calls λ, attempts λ·(1 + q + q² + …), q the share of attempts that wait longer
// than their timeout, e^(−(μ − attempts)·T). A sketch of a service, good for how near, not for when.
#pragma once

#include <optional>

#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {

struct Load {
    double rate = 0;      // calls per second
    double capacity = 0;  // attempts per second that can be served
    int attempts = 4;     // per call at most, the first included
    Duration timeout = 1s;
};

// Rates of attempts per second that sustain themselves. A plain value.
struct Tipping {
    std::optional<double> healthy{};  // empty: there is no healthy state at this rate
    std::optional<double> tipping{};  // empty: it always comes back, or there is nothing to lose
    std::optional<double> stuck{};    // empty: it always comes back

    // How much the attempts may grow before they grow by themselves, as a share of now.
    [[nodiscard]] std::optional<double> distance() const {
        if (!healthy || !tipping) return std::nullopt;
        return (*tipping - *healthy) / *healthy;
    }
};

// Everything empty where rate, capacity, attempts or timeout are not positive.
Tipping tipping_point(const Load& load);

// Attempts per call when each fails with this chance: 1 + q + q² + …
double load_factor(double failing, int attempts);

}  // namespace v0
}  // namespace perdure
