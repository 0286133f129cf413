// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "perdure/sql/odbc.hpp"
#include "sql/odbc/connection_string.hpp"
#include "sql/odbc/dialect.hpp"

namespace perdure::sql::odbc_room {
namespace {

TEST(OdbcText, reads_every_usual_form_of_a_connection) {
    struct Case {
        std::string_view given, text, name;
    };
    const Case cases[] = {
        {"DSN=bank;UID=app", "DSN=bank;UID=app;", "odbc bank"},
        {"odbc:DSN=bank", "DSN=bank;", "odbc bank"},
        {"odbc://bank", "DSN=bank;", "odbc bank"},
        {"odbc://app:p%40ss%3B@bank?Database=b", "DSN=bank;UID=app;PWD={p@ss;};Database=b;",
         "odbc bank/b"},
        {"Driver={ODBC Driver 18 for SQL Server};Server=tcp:db,1433;Database=b",
         "Driver={ODBC Driver 18 for SQL Server};Server={tcp:db,1433};Database=b;",
         "odbc tcp:db,1433/b"},
        {" driver = /lib/x.so ; pwd={a}}b} ;;", "driver=/lib/x.so;pwd={a}}b};", "odbc /lib/x.so"},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.given);
        const auto parsed = ConnectionString::parse(one.given);
        ASSERT_TRUE(parsed);
        EXPECT_EQ(parsed->text(), one.text);
        EXPECT_EQ(parsed->name(), one.name);
    }
}

TEST(OdbcText, refuses_what_is_no_connection_string_without_repeating_it) {
    for (const std::string_view given :
         {"", "bank", "secret;DSN=x", "UID=app;PWD=secret", "DSN={secret", "DSN={a}secret;",
          "odbc://", "odbc://bank?secret", "odbc://b%2", "=secret"}) {
        SCOPED_TRACE(given);
        const auto made = odbc(given);
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().cause, Cause::invalid);
        EXPECT_EQ(made.error().code, "connection-string");
        EXPECT_EQ(made.error().message.find("secret"), std::string::npos);
    }
}

TEST(OdbcText, reads_the_password_from_the_environment_and_says_if_it_is_not_there) {
    const auto missing = odbc("DSN=bank", {.password_from = "PERDURE_NO_SUCH_VARIABLE"});
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().message.find("PERDURE_NO_SUCH_VARIABLE"), std::string::npos);
    const auto made = odbc("DSN=bank;UID=app", {.password_from = "PATH"});
    ASSERT_TRUE(made);
    EXPECT_EQ((*made)->name(), "odbc bank");
    EXPECT_EQ((*made)->traits().product, Product::odbc);
}

TEST(OdbcText, takes_only_plain_names_for_the_token_table) {
    for (const auto good : {"perdure_token", "dbo.perdure_token", "T1"})
        EXPECT_TRUE(check_table(good)) << good;
    for (const auto bad : {"", ".", "a.", ".b", "a.b.c", "a b", "a;b", "a'b", "a\"b", "tök"})
        EXPECT_FALSE(check_table(bad)) << bad;
}

TEST(OdbcText, opens_a_transaction_in_the_words_of_the_product) {
    const Token token = *Token::parse("00112233445566778899aabbccddeeff");
    const Token id = *Token::parse("ffeeddccbbaa99887766554433221100");
    const Beginning how{
        .token = &token, .attempt_id = &id, .statement_limit = 1500ms, .lock_limit = 300ms};
    struct Case {
        Product product;
        std::vector<std::string> texts;
    };
    const std::string hex = token.hex();
    const std::string by = id.hex();
    const Case cases[] = {
        {Product::sqlserver,
         {"SET XACT_ABORT ON; SET LOCK_TIMEOUT 300; INSERT INTO perdure_token (token, attempt_id) "
          "VALUES (0x" +
          hex + ", 0x" + by + ")"}},
        {Product::postgres,
         {"SET LOCAL statement_timeout = 1500; SET LOCAL lock_timeout = 300; INSERT INTO "
          "perdure_token (token, attempt_id) VALUES ('" +
          hex + "'::uuid, '" + by + "'::uuid)"}},
        {Product::mariadb,
         {"SET SESSION innodb_lock_wait_timeout = 1",
          "INSERT INTO perdure_token (token, attempt_id) VALUES (X'" + hex + "', X'" + by + "')"}},
    };
    for (const Case& one : cases) {
        Told told;
        EXPECT_EQ(opening(one.product, how, told), one.texts);
    }
    Told told;
    EXPECT_EQ(opening(Product::mariadb, how, told).size(), 2u);
    EXPECT_EQ(opening(Product::mariadb, how, told).size(), 1u) << "told already";
    EXPECT_EQ(opening(Product::mariadb, {}, told).at(0),
              "SET SESSION innodb_lock_wait_timeout = DEFAULT");
    EXPECT_TRUE(opening(Product::postgres, {}, told).empty());
}

}  // namespace
}  // namespace perdure::sql::odbc_room
