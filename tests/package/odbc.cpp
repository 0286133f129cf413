// SPDX-License-Identifier: Apache-2.0
//
// perdure::odbc: a query on a data source that odbc.ini does not have.
#include <cstdio>

#include <perdure/sql/database.hpp>
#include <perdure/sql/odbc.hpp>

using namespace perdure;

int main() {
    const auto driver = sql::odbc("DSN=no-such-source");
    if (!driver) return std::puts(to_string(driver.error()).c_str()), 1;

    sql::Database bank{*driver};
    const auto rows =
        bank.query({.name = "count", .deadline = 500ms}, "select count(*) from account");
    if (rows) return std::puts("there is such a data source"), 1;
    std::puts(to_string(rows.error()).c_str());
    return rows.error().code == "IM002" ? 0 : 1;
}
