// SPDX-License-Identifier: Apache-2.0
//
// Which attempt timeout do the observed latencies call for?
//
//     const auto choice = choose_timeout(caller.latencies(), {.false_timeouts = 0.001});
//     if (choice.timeout) …else std::puts(choice.reason.c_str());   // "needs 2,995 samples, has 120"
//
// The percentile that gives the accepted rate of false timeouts, at its upper confidence bound, and
// never less than twice the median: a timeout at p99.9 of a tight distribution is a cliff.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "perdure/duration.hpp"
#include "perdure/stats/sketch.hpp"

namespace perdure {
inline namespace v0 {

struct TimeoutOptions {
    double false_timeouts = 0.001;  // the share of good requests we accept to cut off
    double confidence = 0.95;
    Duration network{};  // allowance for what the samples do not contain
    Duration least = 1ms;
    Duration most = never;
};

struct TimeoutChoice {
    std::optional<Duration> timeout{};
    std::uint64_t samples_needed = 0;
    std::string reason{};  // in words, also when there is a timeout
};

TimeoutChoice choose_timeout(const Sketch& latencies, const TimeoutOptions& options = {});

}  // namespace v0
}  // namespace perdure
