// SPDX-License-Identifier: Apache-2.0
//
// Records that are the same for the same number, and whether a table holds exactly those.
//
//     home.write("orders.jsonl", json_lines({.count = 5000}));
//     EXPECT_EQ(differences(database, {.count = 5000}), "");
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "perdure/sql/database.hpp"

namespace perdure::live {

// Whether some records are there twice in the input, to be twice in the table.
enum class Twins : std::uint8_t { no, yes };

struct Records {
    int count = 0;  // numbered from `first` on
    int first = 1;
    Twins twins = Twins::no;
    std::set<int> without{};  // numbers that are left out
};

// One object, without a line's end. All types, quotes, line ends, and letters beyond ASCII.
[[nodiscard]] std::string json_record(int number, Twins twins = Twins::no);
[[nodiscard]] std::string json_lines(const Records& records);
[[nodiscard]] std::string csv_lines(const Records& records);

// What is wrong with the table `orders`, read row by row: nothing, or the first few differences.
[[nodiscard]] std::string differences(sql::Database& database, const Records& expected);
// Rows that are there; 0 if there is no table.
[[nodiscard]] std::int64_t rows_in(sql::Database& database, const std::string& table = "orders");
// Records the ledger knows of: quicker to ask for than rows, and written with them.
[[nodiscard]] std::int64_t records_done(sql::Database& database);

// PERDURE_RECORDS, or so many.
[[nodiscard]] int records_or(int otherwise);
[[nodiscard]] bool long_form();
// A new one for each call; said on standard output.
[[nodiscard]] std::string new_seed();

}  // namespace perdure::live
