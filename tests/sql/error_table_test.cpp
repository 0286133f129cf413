// SPDX-License-Identifier: Apache-2.0
//
// Does every code of every database lead to the reaction that was found to be right?
#include "perdure/sql/error_table.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "perdure/policy/decide.hpp"
#include "perdure/sql/strategy.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "sql/products.hpp"

namespace perdure::sql {
namespace {

std::vector<std::string> words(std::string_view text) {
    std::istringstream stream{std::string{text}};
    std::vector<std::string> all;
    for (std::string word; stream >> word;) all.push_back(word);
    return all;
}

bool has_row(Product product, std::string_view code) {
    const auto rows = error_rows(product);
    return std::ranges::find(rows, code, &ErrorRow::code) != rows.end();
}

// Codes that have the same letters.
struct Letters {
    const char* letters;
    const char* codes;
};

void expect_letters(Product product, const std::vector<Letters>& table) {
    for (const auto& [letters, codes] : table)
        for (const std::string& code : words(codes)) {
            EXPECT_TRUE(has_row(product, code)) << to_string(product) << " " << code;
            EXPECT_EQ(to_string(row_of(product, code).reactions), letters)
                << to_string(product) << " " << code;
        }
}

TEST(ErrorTable, has_the_letters_of_every_postgres_state) {
    expect_letters(
        Product::postgres,
        {{"T", "40001 40P01 72000 25P02 53100 53400 58000 58030"},
         {"A", "40003 08007"},
         {"S,T", "55P03 53000 53200 26000 0A000:plan"},
         {"S", "55006"},
         {"N", "40002 58P03 55000 57014 57P04 23505 28000 28P01 3D000 42601 42P01 22001 23503 0A000"
               " 08P01:startup"},
         {"K,T,A", "57P01 57P02 08000 08003 08006 08P01"},
         {"C", "57P03 08001 08004 53300 08P01:limit"},
         {"K,C", "57P05"},
         {"K,T", "25P03 25006"},
         {"K,N", "25P04 XX000 XX001 XX002"}});
}

TEST(ErrorTable, has_the_letters_of_every_mariadb_number) {
    expect_letters(
        Product::mariadb,
        {{"T", "1213 1205 1020 1614 1689 3058 1206 1637 1297 3100 3101 1412 1021 1037 1038 1041"
               " 1114"},
         {"S,T", "3572 1615"},
         {"C", "1040 1135 1203 1226 1042 1043 2002 2003 2005"},
         {"N", "1129 1317 1969 3024 1792 1062 1044 1045 1049 1054 1064 1146 1216 1217"
               " 1406 1451 1452"},
         {"K,T,A", "1158 1159 1160 1161 1152 1184 1927 3168 3169 2006 2013 2026 2027 2055 2012"},
         {"K,C,A", "1053 1077 1079"},
         {"K,C", "4031"},
         {"K,T", "1290 1836 1047"},
         {"A", "1180"}});
}

TEST(ErrorTable, has_the_letters_of_every_sqlite_code) {
    expect_letters(Product::sqlite,
                   {{"S,T", "5 17"},
                    {"T", "517"},
                    {"S", "261 773 262 15"},
                    {"T,A", "2314 3850"},
                    {"A,N", "10 778 1034 8458"},
                    {"C", "14"},
                    {"K,T", "1032"},
                    {"N", "1 2 3 4 6 7 8 9 11 12 13 16 18 19 20 21 22 23 24 25 26 27 28 264 520"
                          " 275 531 787 1043 1299 1555 1811 2067 2323 2579"}});
}

TEST(ErrorTable, has_the_letters_of_every_odbc_state) {
    expect_letters(Product::odbc, {{"C", "08001 08004 20009"},
                                   {"K", "08002 08003"},
                                   {"K,A", "08007 HYT01"},
                                   {"K,T,A", "08S01 20003 20004 20006 20017 20047"},
                                   {"C,A,N", "HYT00"},
                                   {"T", "40001 25S02 25S03"},
                                   {"A", "40003 25S01"},
                                   {"A,N", "HY000 HY008"},
                                   {"K,T", "IMC01 IMC02 IMC03 IMC04 IMC05 IMC06"},
                                   {"N", "23000 28000 42000 42S02 IM002"}});
}

// Entity Framework Core's 176, by the groups of their reactions.
const std::vector<Letters> sqlserver{
    {"K,T,C", "20 203 997 11001 17197 17889 18401 4060 4221 40623 42108 42109 49802"},
    {"K,T,C,A", "64 121 233 10053 10054 10060 40613"},
    {"K,T", "615 921 926 927 941 952 982 988 3429 3635 3947 3948 3953 3957 22430 35216 35218 35256"
            " 35293 40671 41614 41619 41640 41700 41701"},
    {"T", "1205 3960 3966 41301 41302 41305 41325 41839 41339 20041 3941 6292 3980 1222 1204 1203"
          " 1221 1215 1216 1232 22335 22355 3935 3950"},
    {"S,T",
     "539 601 617 669 1532 1533 1534 1535 1807 2021 2816 4117 4184 5280 5529 7951 8628 8645"
     " 8651 9020 9515 9985 10922 11539 17065 17066 17067 30080 30085 33123 40106 41383 42029"},
    {"S,T", "10928 10929 10930 10936 40189 40501 40642 40648 40675 40890 40903 40918 40938 41823"
            " 41840 45153 45156 45157 45161 45179 45182 45319 45547 49510 49918 49919 49920 49977"
            " 49983 37202 37327 39108 39110 25738 25740 14355 1404"},
    {"T", "40143 40540 16528 16554 16555 22225 22226 22353 22358 22427 22491 22493 22498 22754"
          " 22758 22759 22760 22984 14817 14868 14906 18858 21503 25003 19413 19416 19494 39025"
          " 39151 39152 1413 1421 1438 47132 47137 47139"},
    {"K,T,A", "40197"}};

TEST(ErrorTable, has_the_letters_of_all_176_sqlserver_numbers_of_ef_core) {
    expect_letters(Product::sqlserver, sqlserver);
    std::set<std::string> all;
    for (const Letters& group : sqlserver)
        for (std::string& code : words(group.codes)) all.insert(std::move(code));
    EXPECT_EQ(all.size(), 176u);
    const auto listed =
        std::ranges::count(error_rows(Product::sqlserver), "EF Core's list", &ErrorRow::source);
    EXPECT_EQ(listed, 176);
}

TEST(ErrorTable, knows_sqlserver_numbers_beside_ef_core_s) {
    expect_letters(Product::sqlserver, {{"C,A,N", "-2 258"},
                                        {"A", "3902"},
                                        {"T", "3930 3998"},
                                        {"K,T", "3906"},
                                        {"N", "2627 2601 208 102 547 18456"}});
}

TEST(ErrorTable, gives_what_ef_core_calls_throttled_the_rule_of_a_busy_database) {
    for (const std::string& code : words(
             "49977 49920 49919 49918 45319 45182 45161 45157 45156 41840 41823 40903 40890 40675 "
             "40648 40642 40613 40501 40189 39110 39108 37327 30085 25740 25738 22498 22335 17889 "
             "14355 10930 10929 9985 3950 3935 1404 1204 233"))
        EXPECT_EQ(row_of(Product::sqlserver, code).rule, "busy-database") << code;
}

TEST(ErrorTable, is_in_order_and_has_no_code_twice) {
    for (const Product product : products) {
        std::set<std::string_view> seen;
        std::string_view last;
        for (const ErrorRow& row : error_rows(product)) {
            EXPECT_TRUE(seen.insert(row.code).second) << to_string(product) << " " << row.code;
            EXPECT_TRUE(last.size() < row.code.size() ||
                        (last.size() == row.code.size() && last < row.code))
                << to_string(product) << " " << last << " before " << row.code;
            last = row.code;
            EXPECT_EQ(&row_of(product, row.code), &row);
        }
    }
}

TEST(ErrorTable, names_only_rules_that_the_strategy_of_the_product_has) {
    for (const Product product : products)
        for (const ErrorRow& row : error_rows(product)) {
            if (row.rule.empty() || row.rule == "connect") continue;  // Plan::connect
            const Plan plan = strategy(product);
            EXPECT_TRUE(std::ranges::any_of(
                plan.rules, [&](const NamedRule& rule) { return rule.name == row.rule; }))
                << to_string(product) << " " << row.code << ": " << row.rule;
        }
}

TEST(ErrorTable, serves_codes_without_a_row) {
    struct Case {
        Product product;
        const char* code;
        const char* letters;
        Cause cause;
    };
    const Case table[] = {
        {Product::postgres, "08999", "K,T,A", Cause::unavailable},
        {Product::postgres, "40999", "T", Cause::contended},
        {Product::postgres, "53999", "S,T", Cause::overloaded},
        {Product::postgres, "57999", "K,A,N", Cause::unavailable},
        {Product::postgres, "58999", "T", Cause::internal},
        {Product::postgres, "22999", "N", Cause::invalid},
        {Product::postgres, "23999", "N", Cause::conflict},
        {Product::postgres, "28999", "N", Cause::forbidden},
        {Product::postgres, "42999", "N", Cause::invalid},
        {Product::postgres, "XX999", "K,N", Cause::internal},
        {Product::postgres, "ZZ999", "N", Cause::invalid},
        {Product::postgres, "odd", "N", Cause::invalid},
        {Product::postgres, "", "K,T,A", Cause::unavailable},
        {Product::mariadb, "9999", "N", Cause::invalid},
        {Product::mariadb, "2099", "K,A,N", Cause::internal},
        {Product::mariadb, "5004", "K,A,N", Cause::internal},
        {Product::sqlite, "3338", "A,N", Cause::internal},  // IOERR, extended
        {Product::sqlite, "526", "C", Cause::unavailable},  // CANTOPEN, extended
        {Product::sqlite, "1000000", "N", Cause::invalid},
        {Product::sqlite, "odd", "N", Cause::invalid},
        {Product::odbc, "40P01", "T", Cause::contended},  // passed through by psqlODBC
        {Product::odbc, "57P01", "K,T,A", Cause::unavailable},
        {Product::odbc, "08999", "K,T,A", Cause::unavailable},
        {Product::odbc, "HY999", "A,N", Cause::internal},
        {Product::sqlserver, "08S01", "K,T,A", Cause::unavailable},
        {Product::sqlserver, "20009", "C", Cause::unavailable},
        {Product::sqlserver, "40999", "N", Cause::invalid},  // a number, no SQLSTATE
        {Product::sqlserver, "77777", "N", Cause::invalid},
    };
    for (const auto& [product, code, letters, cause] : table) {
        EXPECT_EQ(to_string(row_of(product, code).reactions), letters) << code;
        EXPECT_EQ(row_of(product, code).cause, cause) << code;
    }
    for (const Product product : products) {
        EXPECT_EQ(to_string(row_of(product, "deadline").reactions), "K,T,A");
        EXPECT_EQ(to_string(row_of(product, "stopped").reactions), "K,A,N");
        EXPECT_EQ(row_of(product, "parameter-count").cause, Cause::invalid);
        EXPECT_EQ(row_of(product, "connection-lost").cause, Cause::unavailable);
    }
}

TEST(FailureOf, says_unknown_only_of_a_commit_or_a_statement_by_itself) {
    for (const Product product : products)
        for (const ErrorRow& row : error_rows(product)) {
            const Effect open =
                row.reactions.has(Reaction::ambiguous) ? Effect::unknown : Effect::none;
            EXPECT_EQ(failure_of(row, During::connecting).effect, Effect::none) << row.code;
            EXPECT_EQ(failure_of(row, During::in_transaction).effect, Effect::none) << row.code;
            EXPECT_EQ(failure_of(row, During::committing).effect, open) << row.code;
            EXPECT_EQ(failure_of(row, During::statement).effect, open) << row.code;
        }
}

TEST(FailureOf, carries_code_number_message_rule_and_remedies) {
    Failure failure = failure_of(row_of(Product::mariadb, "1290"), During::in_transaction);
    EXPECT_EQ(failure.code, "1290");
    EXPECT_EQ(failure.status, 1290);
    EXPECT_EQ(failure.message, "server is read-only");
    EXPECT_EQ(failure.cause, Cause::stale_route);
    EXPECT_EQ(failure.rule, "failover");
    EXPECT_EQ(failure.remedies, Remedy::fresh_connection | Remedy::refresh_routing_account);

    failure = failure_of(row_of(Product::postgres, "08999"), During::statement, "gone", "08999");
    EXPECT_EQ(failure.code, "08999");
    EXPECT_EQ(failure.message, "gone");
    EXPECT_EQ(failure.remedies, RemedySet{Remedy::fresh_connection});
    EXPECT_EQ(failure_of(row_of(Product::postgres, "40P01"), During::statement).status, 0);
    EXPECT_EQ(failure_of(row_of(Product::sqlserver, "-2"), During::statement).status, -2);
}

TEST(FailureOf, waits_for_a_server_that_restarts_however_it_fails_to_answer) {
    for (const char* code : {"", "57P01", "57P03", "08001", "deadline"})
        EXPECT_EQ(failure_of(row_of(Product::postgres, code), During::connecting).rule, "connect")
            << code;
    EXPECT_EQ(failure_of(row_of(Product::postgres, "53300"), During::connecting).rule,
              "connection-limit");
}

// What decide() says of a first failure that surely had no effect.
Stop decision_on(const Failure& failure) {
    perdure::testing::FixedRandom random{0.5};
    return decide(Rule{}, failure, {.safety = Safety::once}, random).stop;
}

TEST(FailureOf, is_repeated_unless_the_row_says_not) {
    for (const Product product : products)
        for (const ErrorRow& row : error_rows(product)) {
            const bool final = row.reactions.has(Reaction::nothing);
            const bool connects = row.reactions.has(Reaction::connect);
            EXPECT_EQ(decision_on(failure_of(row, During::in_transaction)) != Stop::none, final)
                << to_string(product) << " " << row.code;
            EXPECT_EQ(decision_on(failure_of(row, During::connecting)) != Stop::none,
                      final && !connects)
                << to_string(product) << " " << row.code;
        }
}

}  // namespace
}  // namespace perdure::sql
