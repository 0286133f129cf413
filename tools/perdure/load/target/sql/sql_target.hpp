// SPDX-License-Identifier: Apache-2.0
//
// How is a table of an SQL database loaded? Through sql::transact, many rows to a statement, with the
// ledger in three tables beside the data: perdure_load, perdure_load_range, perdure_load_rejected.
#pragma once

#include <memory>
#include <string>

#include "load/target/target.hpp"
#include "perdure/call/environment.hpp"
#include "perdure/duration.hpp"
#include "perdure/sql/planned_faults.hpp"

namespace tool::load {

struct SqlTargetOptions {
    std::string url{};    // sqlite:path, postgres://…, mariadb://…
    std::string table{};  // may hold one dot: schema.table
    std::optional<std::string> key{};
    int workers = 0;  // sessions to be had at once; 0: as suits the target
    perdure::Duration patience = perdure::Duration{std::chrono::seconds{60}};  // of one transaction
    std::optional<perdure::sql::FaultChances> faults{};                        // to try things out
    perdure::Observer* observer = nullptr;
};

// Connects to nothing yet.
[[nodiscard]] Result<std::unique_ptr<Target>> open_sql_target(const SqlTargetOptions& options);

}  // namespace tool::load
