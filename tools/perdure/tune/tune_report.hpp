// SPDX-License-Identifier: Apache-2.0
//
// What does the tuner know in the end? Numbers only; tune_text, tune_json and tune_page show them.
//
//     const TuneReport report = report_on(read, options);
//     report.timeout                  // empty: report.verdict says why
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "perdure/call/plan.hpp"
#include "perdure/policy/tipping.hpp"
#include "tune/tune_blocks.hpp"

namespace tool {

// False timeouts and what they do, when all latencies grow by so much.
struct CliffSide {
    double false_timeouts = 0;
    double load = 1;               // attempts per call
    std::optional<double> busy{};  // of the service; above 1: an outage
};

struct CliffRow {
    double growth = 0;
    CliffSide recommended{};
    CliffSide bare{};  // the percentile without padding, for contrast
};

struct FittingPlan {
    Plan plan{};
    Duration longest_wait{};  // all waits together, at their longest
    Duration longest{};       // the call, at its longest
    int attempts_wanted = 0;
    bool fits = true;  // the wanted attempts, and at least one, fit into the deadline
};

struct TippingReport {
    Load load{};
    Tipping state{};
};

struct TuneReport {
    TuneOptions options{};
    LatencyRead read{};
    Blocks blocks{};
    TuningVerdict verdict = TuningVerdict::too_few;
    std::optional<Duration> timeout{};  // rounded up
    std::vector<CliffRow> cliff{};
    std::optional<FittingPlan> plan{};
    std::optional<TippingReport> tipping{};
    std::vector<std::string> warnings{};

    // The block the answer stands on; all samples where there is none.
    [[nodiscard]] const Part& ground() const {
        return blocks.worst ? blocks.all[*blocks.worst] : blocks.whole;
    }
};

TuneReport report_on(LatencyRead read, const TuneOptions& options);

// "Plan{.name = …}", to paste.
std::string as_cpp(const Plan& plan);

}  // namespace tool
