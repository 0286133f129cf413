// SPDX-License-Identifier: Apache-2.0
//
// Is every constraint violation told by its code, and nothing else taken for one? On databases:
// Beyond.a_constraint_violation_has_one_name_on_every_database.
#include "perdure/sql/violation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "perdure/sql/error_table.hpp"
#include "perdure/sql/strategy.hpp"
#include "sql/products.hpp"

namespace perdure::sql {
namespace {

struct ByCode {
    Product product;
    std::string_view code;
    Violation violation;
};

constexpr ByCode by_code[] = {
    {Product::sqlite, "1555", Violation::unique},
    {Product::sqlite, "2067", Violation::unique},
    {Product::sqlite, "2579", Violation::unique},
    {Product::sqlite, "787", Violation::foreign_key},
    {Product::sqlite, "1299", Violation::not_null},
    {Product::sqlite, "275", Violation::check},
    {Product::sqlite, "19", Violation::other},
    {Product::sqlite, "531", Violation::other},
    {Product::sqlite, "1043", Violation::other},
    {Product::sqlite, "1811", Violation::other},
    {Product::sqlite, "2323", Violation::other},
    {Product::sqlite, "2835", Violation::other},
    {Product::sqlite, "3091", Violation::other},
    {Product::postgres, "23505", Violation::unique},
    {Product::postgres, "23503", Violation::foreign_key},
    {Product::postgres, "23001", Violation::foreign_key},
    {Product::postgres, "23502", Violation::not_null},
    {Product::postgres, "23514", Violation::check},
    {Product::postgres, "23000", Violation::other},
    {Product::postgres, "23P01", Violation::other},
    {Product::postgres, "23999", Violation::other},
    {Product::postgres, "40002", Violation::other},
    {Product::mariadb, "1022", Violation::unique},
    {Product::mariadb, "1062", Violation::unique},
    {Product::mariadb, "1216", Violation::foreign_key},
    {Product::mariadb, "1217", Violation::foreign_key},
    {Product::mariadb, "1451", Violation::foreign_key},
    {Product::mariadb, "1452", Violation::foreign_key},
    {Product::mariadb, "1048", Violation::not_null},
    {Product::mariadb, "1364", Violation::not_null},
    {Product::mariadb, "3819", Violation::check},
    {Product::mariadb, "4025", Violation::check},
    {Product::sqlserver, "2601", Violation::unique},
    {Product::sqlserver, "2627", Violation::unique},
    {Product::sqlserver, "515", Violation::not_null},
    {Product::sqlserver, "547", Violation::other},
    {Product::odbc, "23000", Violation::other},
    {Product::odbc, "23505", Violation::unique},
};

// As a driver makes it: with the code it was given, which need not be the row's.
Failure made(Product product, std::string_view code) {
    return failure_of(row_of(product, code), During::statement, {}, std::string{code});
}

TEST(Violation, is_told_by_the_code_of_each_database) {
    for (const auto& [product, code, expected] : by_code)
        EXPECT_EQ(to_string(violation(made(product, code))), to_string(expected))
            << to_string(product) << " " << code;
}

// A row that is added to an error table appears here: it belongs into the list above, or it is one of
// the conflicts that no constraint made.
TEST(Violation, is_told_of_every_conflict_of_the_error_tables_but_those_without_a_constraint) {
    constexpr std::array<std::pair<Product, std::string_view>, 1> without_constraint{
        {{Product::postgres, "55000"}}};
    for (const Product product : products)
        for (const ErrorRow& row : error_rows(product)) {
            if (row.cause != Cause::conflict) continue;
            const bool expected =
                std::ranges::find(without_constraint, std::pair{product, row.code}) ==
                without_constraint.end();
            EXPECT_EQ(violation(failure_of(row, During::statement)) != Violation::none, expected)
                << to_string(product) << " " << row.code;
            const bool listed = std::ranges::any_of(by_code, [&](const ByCode& one) {
                return one.product == product && one.code == row.code;
            });
            EXPECT_TRUE(listed || !expected || row.code == "23")
                << to_string(product) << " " << row.code;
        }
}

TEST(Violation, is_never_told_of_the_same_number_with_another_meaning) {
    // Each is a violation on another database.
    for (const auto& [product, code] : {std::pair{Product::sqlserver, "1216"},  // aborted blockers
                                        {Product::mariadb, "1043"},             // handshake
                                        {Product::mariadb, "1299"},             // timestamp
                                        {Product::sqlserver, "275"},            // pivot
                                        {Product::sqlserver, "1048"}})          // locking hints
        EXPECT_EQ(violation(made(product, code)), Violation::none)
            << to_string(product) << " " << code;
}

TEST(Violation, is_none_for_other_failures) {
    EXPECT_EQ(violation({.cause = Cause::timed_out}), Violation::none);
    EXPECT_EQ(violation({.cause = Cause::conflict}), Violation::none);
    EXPECT_EQ(violation({.cause = Cause::conflict, .code = "token-taken"}), Violation::none);
    EXPECT_EQ(violation({.cause = Cause::conflict, .status = 409, .code = "409"}), Violation::none);
}

}  // namespace
}  // namespace perdure::sql
