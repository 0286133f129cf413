// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sql/odbc/marks.hpp"
#include "sql/odbc/records.hpp"
#include "sql/odbc/safe_text.hpp"

namespace perdure::sql::odbc_room {
namespace {

Meaning meaning(Product product, const std::vector<Record>& records,
                During during = During::in_transaction, Life life = Life::alive) {
    return meaning_of(product, records, during, life);
}

TEST(OdbcRecords, knows_the_product_by_its_name) {
    EXPECT_EQ(product_of("Microsoft SQL Server"), Product::sqlserver);
    EXPECT_EQ(product_of("PostgreSQL"), Product::postgres);
    EXPECT_EQ(product_of("MariaDB"), Product::mariadb);
    EXPECT_EQ(product_of("MySQL"), Product::mariadb);
    EXPECT_EQ(product_of("SQLite"), Product::sqlite);
    EXPECT_EQ(product_of("DB2"), Product::odbc);
    EXPECT_EQ(product_by_marks({{"28000", 18456,
                                 "[Microsoft][ODBC Driver 18 for SQL Server][SQL "
                                 "Server]Login failed"}}),
              Product::sqlserver);
    EXPECT_EQ(product_by_marks({{"08001", 20009, "[FreeTDS][SQL Server]Unable to connect"}}),
              Product::sqlserver);
    EXPECT_EQ(product_by_marks({{"08004", 1040, "[ma-3.1.15]Too many connections"}}),
              Product::mariadb);
    EXPECT_EQ(product_by_marks({{"08001", 101, "connection refused"}}), Product::odbc);
}

// What was seen of each driver (psqlODBC 13.02, MariaDB ODBC 3.1.15, sqliteodbc 0.9998, FreeTDS 1.3).
TEST(OdbcRecords, reads_what_real_drivers_say) {
    struct Case {
        Product product;
        Record record;
        Cause cause;
        bool repeated;
        std::string_view code;
    };
    const Case cases[] = {
        {Product::postgres, {"40001", 1, ""}, Cause::contended, true, "40001"},
        {Product::postgres, {"40P01", 1, ""}, Cause::contended, true, "40P01"},
        {Product::postgres, {"57P01", 35, ""}, Cause::unavailable, true, "57P01"},
        {Product::postgres, {"08S01", 113, ""}, Cause::unavailable, true, "08S01"},
        {Product::mariadb, {"40001", 1213, ""}, Cause::contended, true, "40001"},
        {Product::mariadb, {"HY000", 1205, ""}, Cause::contended, true, "1205"},
        {Product::mariadb, {"08S01", 2013, ""}, Cause::unavailable, true, "08S01"},
        {Product::mariadb, {"23000", 1062, ""}, Cause::conflict, false, "1062"},
        {Product::mariadb, {"23000", 9999, ""}, Cause::conflict, false, "23000"},
        {Product::sqlite, {"HY000", 5, ""}, Cause::contended, true, "5"},
        {Product::sqlserver, {"08S01", 20004, ""}, Cause::unavailable, true, "20004"},
        {Product::sqlserver, {"40001", 1205, ""}, Cause::contended, true, "1205"},
        {Product::sqlserver, {"08S01", 10054, ""}, Cause::unavailable, true, "10054"},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.record.state + "/" + std::to_string(one.record.native));
        const Meaning found = meaning(one.product, {one.record});
        EXPECT_EQ(found.failure.cause, one.cause) << to_string(found.failure);
        EXPECT_EQ(is_repeatable(found.failure.cause) && found.failure.retry_after != never,
                  one.repeated);
        EXPECT_EQ(found.failure.code, one.code);
        EXPECT_EQ(found.failure.effect, Effect::none) << "in a transaction";
    }
}

TEST(OdbcRecords, looks_at_every_record_and_lets_the_first_that_can_be_helped_lead) {
    const Meaning found = meaning(
        Product::sqlserver,
        {{"01000", 3621, "terminated"}, {"42000", 50000, "raised"}, {"40001", 1205, "deadlock"}});
    EXPECT_EQ(found.failure.code, "1205");
    EXPECT_EQ(found.failure.cause, Cause::contended);
}

TEST(OdbcRecords, makes_a_commit_unknown_if_one_record_is_ambiguous) {
    EXPECT_EQ(
        meaning(Product::sqlserver, {{"40001", 1205, ""}, {"08S01", 10054, ""}}, During::committing)
            .failure.effect,
        Effect::unknown);
    EXPECT_EQ(meaning(Product::sqlserver, {{"40001", 1205, ""}}, During::committing).failure.effect,
              Effect::none);
}

TEST(OdbcRecords, believes_in_a_rollback_only_on_the_servers_word) {
    struct Case {
        Record record;
        Life life;
        Effect effect;
    };
    const Case cases[] = {
        {{"42000", 60123, ""}, Life::alive, Effect::none},
        {{"42000", 60123, ""}, Life::dead, Effect::unknown},
        {{"HY000", 0, ""}, Life::alive, Effect::unknown},
        {{"HYT00", 0, ""}, Life::alive, Effect::unknown},
        {{"08S01", 0, ""}, Life::alive, Effect::unknown},
        {{"40001", 1205, ""}, Life::dead, Effect::none},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.record.state + "/" + std::to_string(one.record.native));
        EXPECT_EQ(
            meaning(Product::sqlserver, {one.record}, During::committing, one.life).failure.effect,
            one.effect);
    }
    EXPECT_EQ(meaning(Product::postgres, {}, During::committing).failure.effect, Effect::unknown);
}

TEST(OdbcRecords, keeps_values_and_users_out_of_messages) {
    const auto text = [](Product product, const Record& record) {
        return meaning(product, {record}).failure.message;
    };
    EXPECT_EQ(
        text(Product::sqlserver, {"23000", 2627, "duplicate key value is (4711)"}).find("4711"),
        std::string::npos);
    EXPECT_EQ(
        text(Product::mariadb, {"HY000", 1366, "Incorrect integer value: '4711'"}).find("4711"),
        std::string::npos);
    EXPECT_EQ(text(Product::sqlserver, {"42000", 50000, "no account 4711"}).find("4711"),
              std::string::npos);
    EXPECT_EQ(text(Product::postgres, {"22P02", 1, "invalid input: \"4711\""}).find("4711"),
              std::string::npos);
    EXPECT_EQ(without_marks("[x][y]login failed for user 'sa'."),
              "login failed for user (name withheld).");
    EXPECT_EQ(text(Product::sqlserver, {"42S02", 208, "[a][b]Invalid object name 't'."}),
              "Invalid object name 't'.");
}

}  // namespace
}  // namespace perdure::sql::odbc_room
