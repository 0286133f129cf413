// SPDX-License-Identifier: Apache-2.0
//
// Where do the journals of a staged fleet go? One file per instance, as a fleet would leave them, with
// the lines the library's own journal writes.
#pragma once

#include <fstream>
#include <map>
#include <string>

#include "perdure/telemetry/journal_line.hpp"

namespace stage {

// Used by one thread. Files are complete when it is destroyed.
class Lines {
public:
    explicit Lines(std::string folder) : folder_{std::move(folder)} {}

    void call(const std::string& instance, const perdure::Diagnostics& call, int weight);
    void process(const std::string& instance, const perdure::ProcessSpan& span);
    void started(const std::string& instance, perdure::WallTime at);

private:
    void write(const std::string& instance, const std::string& line);

    std::string folder_;
    std::map<std::string, std::ofstream> files_;
};

}  // namespace stage
