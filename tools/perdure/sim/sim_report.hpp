// SPDX-License-Identifier: Apache-2.0
//
// How is a study shown? As a table with sentences for people, as JSON with every number, as a page
// with charts.
//
//     print(report_text(told));
//     write_file(path, report_page(told, "perdure sim retry-storm"));
#pragma once

#include <string>
#include <vector>

#include "sim/sim_words.hpp"

namespace tool {

std::string report_text(const Told& told);
std::string report_json(const Told& told);
// `command`: how to run it again.
std::string report_page(const Told& told, const std::string& command);

// Load that rose and fell: goodput on both ways, by offered load.
struct LoadBin {
    double offered = 0;       // the middle of the bin, per second
    double up = 0, down = 0;  // successful calls per second; not a number: no second there
};
std::vector<LoadBin> hysteresis_bins(const Told& told, std::size_t row, int count);

// How many seconds of a case are worth showing: its arrivals, and what it took to drain.
std::size_t seconds_shown(const Told& told);

}  // namespace tool
