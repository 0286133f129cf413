// SPDX-License-Identifier: Apache-2.0
//
// What happened in one run? Every call and every attempt, counted; and the same second by second.
//
//     const Account account = simulate(scenario, seed);
//     account.amplification();                       // attempts per call
//     recovery(account, {.after = 40s});             // how long until it was well again
//
// Calls are booked in the second they began, whatever became of them later, so offered = ok + failed
// + unfinished holds for every second. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perdure/stats/sketch.hpp"

namespace perdure {
inline namespace v0 {
namespace sim {

struct Second {
    std::uint32_t offered = 0;   // calls begun
    std::uint32_t ok = 0;        // of those, how many succeeded in the end
    std::uint32_t attempts = 0;  // sent in this second
    std::uint32_t answers = 0;   // good answers that a waiting client got in this second
    std::uint32_t served = 0;    // requests the entry service finished in this second
    std::uint32_t wasted = 0;    // of those, how many nobody waited for any more
    std::uint32_t rejected = 0;
    std::uint32_t begun = 0;  // requests taken from its queue
    std::int64_t waited = 0;  // what those had waited, in nanoseconds
    std::uint32_t queue = 0;  // longest queue of the second, all replicas together
};

struct ServiceAccount {
    std::uint64_t reached = 0;         // attempts that got there
    std::uint64_t served = 0;          // worked on to the end, well or not
    std::uint64_t failed = 0;          // of those, how many ended in a failure
    std::uint64_t failed_at_once = 0;  // before any work
    std::uint64_t rejected = 0;        // no room in the queue
    std::uint64_t dropped = 0;         // too old or too late when their turn came
    std::uint64_t cancelled = 0;       // called off by the client before their end
    std::uint64_t down = 0;            // cut off when it went down, or turned away while it was
    std::uint64_t wasted = 0;          // served, but nobody waited for it any more
    std::int64_t busy = 0;             // worker-nanoseconds
    std::int64_t wasted_busy = 0;
    std::int64_t waited = 0;  // in the queue, all together
    std::uint64_t begun = 0;
    std::int64_t stayed = 0;  // from arrival to departure, all together
    std::int64_t area = 0;    // number present × time: Little's law says it is the same
    std::int64_t present_at_end = 0;
};

struct Account {
    std::uint64_t seed = 0;
    // After the warm-up.
    std::uint64_t offered = 0, ok = 0, failed = 0, unfinished = 0;
    std::uint64_t attempts = 0;  // of the clients
    std::uint64_t hedges = 0;
    std::uint64_t timeouts =
        0;  // attempts of the clients given up, or told that their time was over
    std::uint64_t refused_locally = 0;  // calls that ended without any attempt: breaker, limiter
    std::uint64_t budget_refusals = 0;
    Sketch latency{};  // of calls that succeeded
    // The whole run.
    std::uint64_t calls = 0, calls_ok = 0, calls_failed = 0;
    std::uint64_t sent = 0;  // attempts of everybody
    std::uint64_t lost = 0;  // in the network, on the way there; or never connected in time
    std::uint64_t travelling_at_end = 0;
    std::vector<ServiceAccount> services{};
    std::vector<Second> seconds{};
    std::uint64_t events = 0;
    Duration ended_at{};
    std::uint32_t busiest_tenth = 0;  // attempts in the busiest 100 ms of the whole run
    Duration last_success{};          // when the last call that succeeded did so

    [[nodiscard]] double amplification() const noexcept {
        return offered ? static_cast<double>(attempts) / static_cast<double>(offered) : 0;
    }
    [[nodiscard]] double success() const noexcept {
        return offered ? static_cast<double>(ok) / static_cast<double>(offered) : 0;
    }
};

struct RecoveryQuestion {
    Duration after{};        // when the trigger was over
    double share = 0.97;     // of a second's calls that must succeed
    int seconds = 5;         // in a row
    Duration until = never;  // the end of the arrivals
};

// From the trigger's end to the first second of so many good ones; nothing: never.
std::optional<Duration> recovery(const Account& account, const RecoveryQuestion& question);

// What must hold in every run; the broken ones in words. Little's law, conservation of calls, of
// attempts and of requests at every service.
std::vector<std::string> broken_laws(const Account& account);

}  // namespace sim
}  // namespace v0
}  // namespace perdure
