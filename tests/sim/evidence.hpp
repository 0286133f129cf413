// SPDX-License-Identifier: Apache-2.0
//
// Where do the figures of the full run go? Into the file that PERDURE_SIM_EVIDENCE names, a line per
// row: the table's name and the cells, with tabs between. scripts/sim-full makes the page of them.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace perdure::testing {

inline const char* variable(const char* name) {
    return std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets any while tests run
}
inline bool full_run_wanted() { return variable("PERDURE_SIM_FULL") != nullptr; }

// A number for a table.
inline std::string cell(double value, int digits = 3) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}
inline std::string cell(double value, double margin, int digits = 3) {
    return cell(value, digits) + " ± " + cell(margin, digits);
}

// Used by one test; without the variable it writes nothing.
class Evidence {
public:
    Evidence(std::string table, const std::vector<std::string>& head) : table_{std::move(table)} {
        write("head", head);
    }
    void row(const std::vector<std::string>& cells) { write("row", cells); }

private:
    void write(const char* kind, const std::vector<std::string>& cells) {
        const char* path = variable("PERDURE_SIM_EVIDENCE");
        if (!path) return;
        std::ofstream file{path, std::ios::app};
        file << table_ << '\t' << kind;
        for (const std::string& one : cells) file << '\t' << one;
        file << '\n';
    }

    std::string table_;
};

}  // namespace perdure::testing
