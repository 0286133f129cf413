// SPDX-License-Identifier: Apache-2.0
//
// Which stretch of time was the worst, and what does it call for? A pooled day hides its bad hour.
//
//     const Blocks blocks = blocks_of(samples, options);
//     if (blocks.worst) blocks.all[*blocks.worst].tuning.timeout;
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tune/tune_options.hpp"

namespace tool {

struct Part {
    std::string label{};    // "2026-11-16 14:00" or "samples 1 to 10000"
    WallTime from{};        // if there is a time
    std::size_t first = 0;  // of the samples, in their order
    std::size_t count = 0;
    std::uint64_t cut_off = 0;
    double correlation = 1;
    Tuning tuning{};
};

// Whether neighbours in the list are neighbours in time.
enum class Ordered : unsigned char { by_time, by_file, by_latency };

struct Blocks {
    Ordered ordered = Ordered::by_file;
    Duration width{};    // zero: not by time
    std::string kind{};  // "blocks of 1 h"
    // Everything pooled. Beside several blocks it is there for contrast, and then judged as if its
    // samples were independent: a day's ups and downs would say that they are worth little.
    Part whole{};
    std::vector<Part> all{};
    // The block that asks for the longest timeout, or whose tail was cut off. Empty: no block has
    // enough samples.
    std::optional<std::size_t> worst{};
};

Blocks blocks_of(std::span<const TimedSample> samples, const TuneOptions& options);

// The samples of a part, in order.
std::vector<LatencySample> samples_of(std::span<const TimedSample> samples, const Part& part);

// The tuner's own options.
TuningOptions tuning_options(const TuneOptions& options);

}  // namespace tool
