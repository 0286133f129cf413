// SPDX-License-Identifier: Apache-2.0
//
// Is a stretch of time worse than the others, and what does it call for? A pooled day hides its bad
// hour. But of many stretches that are alike, the worst is only the unluckiest.
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
    bool worse = false;  // than chance explains, beside the other parts
    Tuning tuning{};
};

// Whether neighbours in the list are neighbours in time.
enum class Ordered : unsigned char { by_time, by_file, by_latency };

struct Blocks {
    Ordered ordered = Ordered::by_file;
    Duration width{};    // zero: not by time
    std::string kind{};  // "blocks of 1 h"
    // Everything pooled. A day's ups and downs may say that its samples are worth too little; where
    // there are several blocks, it is then judged by what neighbours within a block repeat, or, if
    // a block decides and this is for contrast, as if the samples were independent.
    Part whole{};
    std::vector<Part> all{};
    // Of the blocks that are worse than chance explains and have enough samples: the one that asks
    // for the longest timeout, or whose tail was cut off. Empty: there is none.
    std::optional<std::size_t> worst{};
};

Blocks blocks_of(std::span<const TimedSample> samples, const TuneOptions& options);

// The samples of a part, in order.
std::vector<LatencySample> samples_of(std::span<const TimedSample> samples, const Part& part);

// The tuner's own options.
TuningOptions tuning_options(const TuneOptions& options);

}  // namespace tool
