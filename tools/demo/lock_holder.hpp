// SPDX-License-Identifier: Apache-2.0
//
// Who else uses the database? Somebody who takes SQLite's only write lock now and then, mostly for
// moments, the first and every third time after it for longer than five retries last.
//
//     perdure_load_demo hold-locks --database naive.db --seed 7
#pragma once

#include <cstdint>
#include <string>

namespace demo {

struct LockOptions {
    std::string database{};
    std::uint64_t seed = 1;
};

// Until it is killed, or five minutes are over. Each lock that ended is a line of standard output:
// milliseconds.
int hold_locks(const LockOptions& options);

}  // namespace demo
