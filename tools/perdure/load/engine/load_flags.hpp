// SPDX-License-Identifier: Apache-2.0
//
// What can be said to `perdure load`?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "load/engine/preparation.hpp"
#include "perdure/result.hpp"

namespace tool::load {

struct LoadFlags {
    std::vector<std::string> files{};
    std::string to{};
    std::string table{};
    std::string key{};
    std::string called{};
    std::string format{};
    std::string separator{};
    std::vector<std::string> types{};
    std::string rejected{};
    std::string journal{};
    std::string metrics{};
    perdure::Duration patience = std::chrono::seconds{60};
    std::optional<double> faults{};
    int faults_seed = 1;
    int workers = not_given;
    int batch = 2000;
    int max_rejected = 1000;
    bool create = false;
    bool again = false;
    bool verify = false;
    bool dry_run = false;
    bool json = false;
};

void add_flags(Section& section, LoadFlags& flags);

// Failure: invalid, with what to write instead.
[[nodiscard]] perdure::Result<Wishes> wishes_of(const LoadFlags& flags);

}  // namespace tool::load
