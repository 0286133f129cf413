// SPDX-License-Identifier: Apache-2.0
//
// Which timeout do these latencies call for, and how near is the service to tipping over? For
// docs/guide/choose-a-timeout.md.
#include <cstdio>
#include <utility>
#include <vector>

#include "perdure/call/plan.hpp"
#include "perdure/policy/tipping.hpp"
#include "perdure/policy/tuning.hpp"

using namespace perdure;

int main() {
    // Ten thousand requests of 10 to 30 ms; three were cut off by a timeout of 200 ms.
    std::vector<LatencySample> samples;
    for (int i = 0; i < 10'000; ++i) samples.push_back({10ms + i % 20 * 1ms});
    for (int i = 0; i < 3; ++i) samples.push_back({200ms, Ending::cut_off});

    // [tune]
    const Latencies observed{std::move(samples)};
    const Tuning tuning = tune(observed, {.timeout = {.false_timeouts = 0.001, .network = 5ms}});
    std::puts(tuning.reason.c_str());
    if (!tuning.timeout) return 1;
    const double slower_day = observed.share_above(*tuning.timeout * 5 / 6);  // latency + 20 %
    // [/tune]

    // [fit]
    const Backoff backoff{.base = 20ms, .cap = 1s};
    const int attempts = attempts_within(250ms, *tuning.timeout, backoff);
    const Plan plan{.name = "users",
                    .deadline = 250ms,
                    .attempt_timeout = *tuning.timeout,
                    .rule = {.attempts = attempts, .backoff = backoff}};
    // [/fit]

    // [tipping]
    const Tipping state = tipping_point(
        {.rate = 800, .capacity = 1000, .attempts = attempts, .timeout = plan.attempt_timeout});
    if (const auto distance = state.distance())
        std::printf("%.0f %% more attempts, and it tips over\n", 100 * *distance);
    // [/tipping]

    std::printf("%d attempts; %.2g false timeouts on a slower day\n", attempts, slower_day);
    return attempts == 3 && state.tipping ? 0 : 1;
}
