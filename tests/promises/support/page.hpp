// SPDX-License-Identifier: Apache-2.0
//
// The figures of a drill as a section of docs/reference/promises.md.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "promises/support/tally.hpp"

namespace perdure::promises {

// A plain value.
struct Section {
    std::string title{};
    std::string about{};  // a paragraph
    std::string table{};
    std::vector<std::string> broken{};  // promises, a sentence each
    // Printed beside the section: why calls failed, and how often, by the way's title.
    std::map<std::string, std::map<std::string, int>> failures{};
};

// Prints the section, also into the file that PERDURE_PROMISES_PAGE names, and fails the test for each
// broken promise.
void publish(const Section& section);
// What the drills were run on, one line; scripts/promises puts it above the tables.
void publish_versions(const std::string& versions);

// Six cells of a row: calls, done once, not done, unknown, doubled, wrong word.
[[nodiscard]] std::string cells_of(const CallCounts& calls);
// Their heads, the first of which says which calls, and the line below them.
[[nodiscard]] std::string heads_of(const std::string& which);
[[nodiscard]] std::string rule_of(int columns);

}  // namespace perdure::promises
