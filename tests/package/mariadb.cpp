// SPDX-License-Identifier: Apache-2.0
//
// perdure::mariadb: a query to a MariaDB server that is not there fails within its deadline.
#include <cstdio>

#include <perdure/sql/database.hpp>
#include <perdure/sql/mariadb.hpp>

using namespace perdure;

int main() {
    const auto driver = sql::mariadb("mariadb://app@127.0.0.1:1/bank");
    if (!driver) return std::puts(to_string(driver.error()).c_str()), 1;

    sql::Database bank{*driver};
    const auto rows =
        bank.query({.name = "count", .deadline = 500ms}, "select count(*) from account");
    if (rows) return std::puts("somebody listens on port 1"), 1;
    std::puts(to_string(rows.error()).c_str());
    return rows.error().cause == Cause::unavailable ? 0 : 1;
}
