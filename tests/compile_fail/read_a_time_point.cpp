// SPDX-License-Identifier: Apache-2.0
//
// expect: no column can be read as this type: take bool, an integer, double, std::string
#include "perdure/sql/rows.hpp"

#include <chrono>

using namespace perdure;

void read(const sql::Row& row) {
#ifdef TRAP
    const auto changed = row.get<std::chrono::system_clock::time_point>("changed_at");
#else
    const auto changed = row.get<std::optional<std::string>>("changed_at");
#endif
    (void)changed;
}
