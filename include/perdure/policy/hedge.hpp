// SPDX-License-Identifier: Apache-2.0
//
// When is a second copy of a slow request worth sending? After the delay that 95 % of requests
// beat, for reads only, paid from the retry budget, the loser cancelled.
//
//     Plan{.hedge = HedgeOptions{.after = 30ms}}
//     Plan{.hedge = HedgeOptions{.quantile = 0.95}}   // learn the delay from the latency sketch
//
// Without a budget or without cancelling, hedging is itself an amplifier that collapses a service
// at 60 % load; so both are built in.
#pragma once

#include <cstdint>
#include <optional>

#include "perdure/duration.hpp"
#include "perdure/safety.hpp"
#include "perdure/stats/sketch.hpp"

namespace perdure {
inline namespace v0 {

enum class HedgeWhat : std::uint8_t { reads, idempotent_too };

struct HedgeOptions {
    Duration after{};        // zero: learned from the sketch
    double quantile = 0.95;  // the share of requests that beat the learned delay
    Duration least = 1ms;    // a learned delay is never shorter
    int extra = 1;           // copies beside the first
    Duration step{};         // between copies; zero: `after` again
    double cost = 1.4;       // budget tokens a copy costs
    HedgeWhat what = HedgeWhat::reads;
    std::uint64_t least_samples = 100;  // before a learned delay is trusted
    friend bool operator==(const HedgeOptions&, const HedgeOptions&) noexcept = default;
};

constexpr bool may_hedge(HedgeWhat what, Safety safety) noexcept {
    return safety == Safety::read ||
           (what == HedgeWhat::idempotent_too && safety == Safety::idempotent);
}

// The delay before the first copy; nothing while too little is known.
std::optional<Duration> hedge_delay(const HedgeOptions& options, const Sketch& latencies);

// Asked for learned delays only. A fixed `after` is the user's word about how long is too long, not a
// claim about a quantile; how often it may fire is the budget's to say.
//
// A delay meant for the slowest `1 − quantile` that fires for more than twice as many is no longer
// at its quantile: the service is slowing down, and copies would make it worse.
bool hedges_too_often(const HedgeOptions& options, std::uint64_t hedged, std::uint64_t calls);

}  // namespace v0
}  // namespace perdure
