// SPDX-License-Identifier: Apache-2.0
//
// perdure::sqlite: a query on a database in memory.
#include <cstdio>

#include <perdure/sql/database.hpp>
#include <perdure/sql/sqlite.hpp>

using namespace perdure;

int main() {
    const auto driver = sql::sqlite(":memory:");
    if (!driver) return std::puts(to_string(driver.error()).c_str()), 1;

    sql::Database bank{*driver};
    const auto rows = bank.query("select ? + 1", 41);
    if (!rows) return std::puts(to_string(rows.error()).c_str()), 1;
    std::printf("%d\n", rows->single<int>().value_or(0));
    return rows->single<int>().value_or(0) == 42 ? 0 : 1;
}
