// SPDX-License-Identifier: Apache-2.0
//
// What does a loader look like that somebody writes on an ordinary afternoon? Not a bad one: batches,
// a transaction each, five retries with a pause, a progress file from which it goes on.
//
//     perdure_load_demo naive --source orders.jsonl --database naive.db --progress naive.progress
//
// Its mistakes are the usual ones. A COMMIT whose answer was lost is sent again. The progress file is
// not in the database's transaction. Five retries are thought to be enough for everything.
#pragma once

#include <cstdint>
#include <string>

namespace demo {

struct NaiveOptions {
    std::string source{};
    std::string database{};
    std::string progress{};
    std::uint64_t batch = 1000;
    double faults = 0;
    std::uint64_t faults_seed = 1;
};

// An exit status. What went wrong goes to standard error, line by line.
int load_naively(const NaiveOptions& options);

}  // namespace demo
