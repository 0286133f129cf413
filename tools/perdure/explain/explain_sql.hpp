// SPDX-License-Identifier: Apache-2.0
//
// What can go wrong with a database? The rows of perdure/sql/error_table.hpp, and how long the rules of
// perdure/sql/strategy.hpp wait. No client library of a database is needed for it.
#pragma once

#include <vector>

#include "explain/explain.hpp"

namespace tool {

// postgres, mariadb, sqlite, sqlserver, odbc
std::vector<Service> sql_services();

}  // namespace tool
