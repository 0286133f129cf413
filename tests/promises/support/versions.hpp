// SPDX-License-Identifier: Apache-2.0
//
// Which servers did the drills break, and which client of others worked beside ours?
#pragma once

#include <string>

namespace perdure::promises {

// The first number with a point in what a program says of itself: "15.18"; empty: there is none.
[[nodiscard]] std::string version_in(const std::string& text);

// "PostgreSQL 15.18, PgBouncer 1.18.0, MariaDB 10.11.19, @azure/cosmos 4.9.3 on Node.js 22.20.0": the
// programs that the drills start. HTTP servers and accounts of Cosmos DB are of this tree.
[[nodiscard]] std::string versions_of_servers();
// Why one of them cannot be asked; empty if all can.
[[nodiscard]] std::string versions_missing();

}  // namespace perdure::promises
