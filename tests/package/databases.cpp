// SPDX-License-Identifier: Apache-2.0
//
// perdure::databases: the database that a URL names, here SQLite.
#include <cstdio>

#include <perdure/sql/open.hpp>

using namespace perdure;

int main(int argc, char** argv) {
    auto bank = sql::open(argc > 1 ? argv[1] : "sqlite::memory:");
    if (!bank) return std::puts(to_string(bank.error()).c_str()), 1;

    const auto rows = bank->query("select 42");
    if (!rows) return std::puts(to_string(rows.error()).c_str()), 1;
    std::printf("%d\n", rows->single<int>().value_or(0));
    return rows->single<int>().value_or(0) == 42 ? 0 : 1;
}
