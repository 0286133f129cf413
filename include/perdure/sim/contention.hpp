// SPDX-License-Identifier: Apache-2.0
//
// How much work is done in vain when many write the same row? Clients under optimistic concurrency:
// each reads a version and writes; a write whose version is no longer the newest fails, and its
// client backs off and begins again. The model with which AWS compared back-offs.
//
//     const Contest contest{.clients = 100, .plan = contention_plan({.base = 5ms, .cap = 2s})};
//     contend(contest, seed).calls;      // writes until everybody has succeeded once
//
// The row is never busy and answers at once: calls are counted, not punished. Each client's call is
// turned by the library's Progress. Plain values, pure functions; any thread.
#pragma once

#include <cstdint>

#include "perdure/call/plan.hpp"
#include "perdure/sim/distribution.hpp"

namespace perdure {
inline namespace v0 {
namespace sim {

struct Contest {
    int clients = 100;
    Plan plan{};
    // One way over the network; an attempt has four: read, version, write, answer.
    Distribution leg = Distribution::normal(10ms, 2ms);
};

struct Contended {
    std::uint64_t calls = 0;  // writes
    Duration time{};          // when the last client had its answer
};

// The same contest and seed give the same numbers everywhere. A plan that gives up (attempts, a
// deadline) ends its client's part; its writes still count.
Contended contend(const Contest& contest, std::uint64_t seed);

// No limit but a year, nothing to pay: contention is the price of concurrency, not of overload.
Plan contention_plan(const Backoff& backoff);

}  // namespace sim
}  // namespace v0
}  // namespace perdure
