// SPDX-License-Identifier: Apache-2.0
//
// How is a study run? All its cases with all their seeds as one list of work for all cores; the
// results in a fixed order, so that any number of threads gives the same bytes.
//
//     const Findings findings = run_study(study, {.seeds = 20});
//     findings.at(row, point).summary("recovery").mean
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "perdure/sim/summary.hpp"
#include "sim/scenario_file.hpp"
#include "sim/sim_metrics.hpp"

namespace tool {

struct Running {
    int seeds = 1;                                     // from 1 on
    int threads = 0;                                   // 0: as many as there are cores
    std::function<void(std::size_t done)> progress{};  // called by one thread at a time
};

// The mean over the seeds, for one second.
struct SecondMean {
    double offered = 0, ok = 0, attempts = 0, answers = 0;
    double queue = 0;
    double queue_age = 0;  // seconds that those taken from the queue had waited
    double wasted = 0;     // share of what was served
};

// What all seeds of one case gave. A value.
struct CaseFindings {
    std::vector<std::vector<double>> values{};  // by metric, by seed
    std::vector<SecondMean> seconds{};

    // Of the seeds in which the metric has a meaning.
    [[nodiscard]] sim::Summary summary(std::string_view metric) const;
    [[nodiscard]] double mean(std::string_view metric) const;  // not a number if there is none
};

struct Findings {
    int seeds = 0;
    std::size_t points = 1;
    std::vector<CaseFindings> cases{};  // as in the study
    [[nodiscard]] const CaseFindings& at(std::size_t row, std::size_t point = 0) const {
        return cases[row * points + point];
    }
};

Findings run_study(const Study& study, const Running& running);

}  // namespace tool
