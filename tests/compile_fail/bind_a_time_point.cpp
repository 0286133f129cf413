// SPDX-License-Identifier: Apache-2.0
//
// expect: no parameter can be made from this type: pass bool, an integer
#include "perdure/sql/database.hpp"

#include <chrono>

using namespace perdure;

void write(sql::Database& users) {
#ifdef TRAP
    const std::chrono::system_clock::time_point changed{};
#else
    const std::optional<std::string> changed{"2026-11-18T17:02:52Z"};
#endif
    const auto done = users.execute("update users set changed_at = ?", changed);
    (void)done;
}
