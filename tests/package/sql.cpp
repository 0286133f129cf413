// SPDX-License-Identifier: Apache-2.0
//
// perdure::sql: what an error of PostgreSQL means, without a driver.
#include <cstdio>
#include <string>

#include <perdure/sql/error_table.hpp>
#include <perdure/sql/strategy.hpp>

using namespace perdure;

int main() {
    const sql::ErrorRow& row = sql::row_of(sql::Product::postgres, "40001");
    const Plan plan = sql::strategy(sql::Product::postgres);
    std::printf("%s is %s: %s\n", std::string{row.code}.c_str(),
                std::string{to_string(row.cause)}.c_str(), std::string{row.why}.c_str());
    return row.cause == Cause::contended && !plan.rules.empty() ? 0 : 1;
}
