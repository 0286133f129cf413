// SPDX-License-Identifier: Apache-2.0
#include "promises/support/page.hpp"

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

std::string row_of(const std::string& key, const Tally& tally, const ServerCounts& counts) {
    return "| " + title_of(key) + cells_of(tally.in_flight) + cells_of(tally.later) + " | " +
           std::to_string(tally.all.calls) + " | " + requests_of(counts) + " | " +
           std::to_string(counts.connects) + " |\n";
}

std::string about(const Outcome& outcome) {
    std::ostringstream text;
    text << outcome.drill.callers << " callers in each way, a pool of " << outcome.drill.pool
         << "; away for " << std::fixed << std::setprecision(1)
         << std::chrono::duration<double>(outcome.away).count() << " s.";
    return text.str();
}

void write(const std::string& text) {
    const char* const path = std::getenv("PERDURE_PROMISES_PAGE");  // NOLINT(concurrency-mt-unsafe)
    if (path) std::ofstream{path, std::ios::app} << text;
}

std::string text_of(const Section& section) {
    std::string text = "\n### " + section.title + "\n\n" + section.about + "\n\n" + section.table;
    if (!section.broken.empty()) text += "\nBroken promises:\n\n";
    for (const std::string& sentence : section.broken) text += "- " + sentence + "\n";
    return text;
}

}  // namespace

std::string cells_of(const CallCounts& calls) {
    std::string cells;
    for (const int figure : {calls.calls, calls.done_once, calls.not_done, calls.unknown,
                             calls.doubled, calls.wrong_word})
        cells += " | " + std::to_string(figure);
    return cells;
}

std::string heads_of(const std::string& which) {
    return " | " + which + " | done once | not done | unknown | doubled | wrong word";
}

std::string rule_of(int columns) {
    std::string rule = "|---|";
    for (int i = 1; i < columns; ++i) rule += "--:|";
    return rule + "\n";
}

void publish(const Section& section) {
    const std::string text = text_of(section);
    std::cout << text << "\n";
    for (const auto& [title, reasons] : section.failures)
        for (const auto& [why, count] : reasons)
            std::cout << title << ": " << count << " × " << why << "\n";
    write(text);
    for (const std::string& sentence : section.broken)
        ADD_FAILURE() << section.title << ": " << sentence;
}

void publish_versions(const std::string& versions) { write("\nversions: " + versions + "\n"); }

void expect_promises(const Outcome& outcome) {
    Section section{.title = outcome.drill.name,
                    .about = about(outcome),
                    .table = "|" + heads_of("in flight") + heads_of("begun later") +
                             " | calls | requests | connects |\n" + rule_of(16),
                    .broken = broken_promises(outcome)};
    for (std::size_t i = 0; i < way_keys.size(); ++i) {
        section.table += row_of(way_keys[i], outcome.tallies[i], outcome.counts[i]);
        section.failures[title_of(way_keys[i])] = outcome.tallies[i].failures;
    }
    publish(section);
}

}  // namespace perdure::promises
