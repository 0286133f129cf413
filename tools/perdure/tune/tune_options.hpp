// SPDX-License-Identifier: Apache-2.0
//
// What was `perdure tune` asked?
#pragma once

#include <optional>
#include <string>

#include "tune/latency_file.hpp"

namespace tool {

enum class Sampled : unsigned char { unsaid, open, closed };

// Zero and empty: not given.
struct TuneOptions {
    LatencyInput input{};
    double false_timeouts = 0.001;
    double confidence = 0.95;
    Duration network{};
    Duration worst_round_trip{};
    Duration block{};  // zero: chosen
    Sampled sampled = Sampled::unsaid;
    int attempts = 3;
    Duration base = 50ms;
    Duration cap = 5s;
    std::optional<Duration> deadline{};
    std::optional<double> utilisation{};
    std::optional<double> rate{};
    std::optional<double> capacity{};
    std::string name = "service";
};

}  // namespace tool
