// SPDX-License-Identifier: Apache-2.0
//
// The figures of a drill as a section of docs/reference/promises.md.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "promises/support/drill.hpp"

namespace perdure::promises {
namespace {

std::string requests_of(const ServerCounts& counts) {
    std::string text = std::to_string(counts.requests);
    if (counts.at_sick > 0) text += " (" + std::to_string(counts.at_sick) + " sick)";
    return text;
}

void write_row(std::ostream& page, const std::string& key, const Tally& tally,
               const ServerCounts& counts) {
    const CallCounts& caught = tally.in_flight;
    const CallCounts& later = tally.later;
    page << "| " << title_of(key);
    for (const int figure : {caught.calls, caught.done_once, caught.not_done, caught.unknown,
                             caught.doubled, caught.wrong_word, later.calls, later.done_once,
                             later.not_done, later.unknown, later.doubled, later.wrong_word})
        page << " | " << figure;
    page << " | " << tally.all.calls << " | " << requests_of(counts) << " | " << counts.connects
         << " |\n";
}

std::string section_of(const Outcome& outcome) {
    std::ostringstream page;
    page
        << "\n### " << outcome.drill.name << "\n\n"
        << outcome.drill.callers << " callers in each way, a pool of " << outcome.drill.pool
        << "; away for " << std::fixed << std::setprecision(1)
        << std::chrono::duration<double>(outcome.away).count() << " s.\n\n"
        << "| | in flight | done once | not done | unknown | doubled | wrong word | begun later | "
           "done once | not done | unknown | doubled | wrong word | calls | requests | connects |\n"
        << "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
    for (std::size_t i = 0; i < way_keys.size(); ++i)
        write_row(page, way_keys[i], outcome.tallies[i], outcome.counts[i]);
    const auto broken = broken_promises(outcome);
    if (!broken.empty()) page << "\nBroken promises:\n\n";
    for (const std::string& sentence : broken) page << "- " << sentence << "\n";
    return page.str();
}

}  // namespace

void expect_promises(const Outcome& outcome) {
    const std::string section = section_of(outcome);
    std::cout << section << "\n";
    for (std::size_t i = 0; i < way_keys.size(); ++i)
        for (const auto& [why, count] : outcome.tallies[i].failures)
            std::cout << title_of(way_keys[i]) << ": " << count << " × " << why << "\n";
    const char* const path = std::getenv("PERDURE_PROMISES_PAGE");  // NOLINT(concurrency-mt-unsafe)
    if (path) std::ofstream{path, std::ios::app} << section;
    for (const std::string& sentence : broken_promises(outcome))
        ADD_FAILURE() << outcome.drill.name << ": " << sentence;
}

}  // namespace perdure::promises
