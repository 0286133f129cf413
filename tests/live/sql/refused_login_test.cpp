// SPDX-License-Identifier: Apache-2.0
//
// A login that only a person can mend: real servers refuse it, and the failure says so at once, in the
// server's own words. All on default plans.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include <sys/stat.h>

#include "live/support/mariadb.hpp"
#include "live/support/postgres.hpp"
#include "perdure/sql/database.hpp"
#include "perdure/sql/mariadb.hpp"
#include "perdure/sql/postgres.hpp"

namespace perdure::sql {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Refused {
    std::string url;
    Cause cause;
    std::string code, text;
};

void expect_final(const Failure& failure, const Refused& expected) {
    EXPECT_EQ(failure.cause, expected.cause) << to_string(failure);
    EXPECT_EQ(failure.code, expected.code) << to_string(failure);
    EXPECT_THAT(failure.message, HasSubstr(expected.text));
    EXPECT_EQ(failure.effect, Effect::none) << to_string(failure);
    EXPECT_EQ(failure.attempts, 1) << to_string(failure);
    EXPECT_EQ(failure.stop, perdure::Stop::permanent) << to_string(failure);
    EXPECT_THAT(to_string(failure), Not(HasSubstr("secret")));
}

Failure failure_at(const Result<std::shared_ptr<Driver>>& driver, std::string_view statement) {
    Database database{*driver};
    const auto done = database.execute(statement);
    return done ? Failure{.message = "it went well"} : done.error();
}

void expect_postgres_refuses(const Refused& refused) {
    SCOPED_TRACE(refused.text);
    expect_final(failure_at(postgres(refused.url), "SELECT 1"), refused);
}

// libpq and Connector/C read these; the machine that runs the test may have set them.
class RefusedLogin : public ::testing::Test {
protected:
    void SetUp() override {
        for (const char* name : {"PGPASSWORD", "PGPASSFILE", "PGSERVICE", "MYSQL_PWD"})
            ::unsetenv(name);
        ::setenv("PGPASSFILE", "/nonexistent/pgpass", 1);
    }
    void TearDown() override { ::unsetenv("PGPASSFILE"); }
};

class RefusedByPostgres : public RefusedLogin {
protected:
    void SetUp() override {
        RefusedLogin::SetUp();
        if (const std::string why = live::Postgres::missing(); !why.empty()) GTEST_SKIP() << why;
        server_.emplace();
        server_->sql("CREATE ROLE ada LOGIN PASSWORD 'right'");
        server_->sql("CREATE ROLE bob LOGIN");
        server_->sql("CREATE ROLE eve LOGIN");
        server_->sql("CREATE DATABASE vault");
        server_->sql("REVOKE CONNECT ON DATABASE vault FROM PUBLIC");
        server_->sql("CREATE TABLE account(id int)");
        std::ofstream rules{server_->home() + "/data/pg_hba.conf"};
        rules
            << "host all ada all scram-sha-256\nhost all eve all reject\nhost all all all trust\n";
        rules.close();
        EXPECT_EQ(server_->sql("SELECT pg_reload_conf()"), "t");
        EXPECT_TRUE(live::becomes_true(
            [&] { return !failure_at(postgres(server_->url("ada")), "SELECT 1").code.empty(); }));
    }
    [[nodiscard]] std::string with_password(const std::string& password) const {
        return server_->url("ada:" + password);
    }

    std::optional<live::Postgres> server_;
};

TEST_F(RefusedByPostgres, login_without_a_password_fails_at_once_and_names_the_cure) {
    expect_postgres_refuses({server_->url("ada"), Cause::credentials, "no-password",
                             "no password supplied; the server demands a password: set "
                             "PGPASSWORD, ~/.pgpass or the URL"});
}

TEST_F(RefusedByPostgres, wrong_password_is_told_in_the_words_of_the_server) {
    expect_postgres_refuses({with_password("secret"), Cause::credentials, "28P01",
                             "password authentication failed for user \"…\"; check the password "
                             "in PGPASSWORD, ~/.pgpass or the URL"});
}

TEST_F(RefusedByPostgres, wrong_password_from_a_password_file_names_the_file) {
    const std::string file = server_->home() + "/pgpass";
    std::ofstream{file} << "*:*:*:*:secret\n";
    ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
    ::setenv("PGPASSFILE", file.c_str(), 1);
    expect_postgres_refuses({server_->url("ada"), Cause::credentials, "28P01",
                             "password retrieved from file \"" + file + "\""});
}

TEST_F(RefusedByPostgres, login_is_final_for_what_is_missing_or_forbidden) {
    expect_postgres_refuses({server_->url("bob", "nosuch"), Cause::not_found, "3D000",
                             "database \"nosuch\" does not exist"});
    expect_postgres_refuses(
        {server_->url("secret"), Cause::forbidden, "28000", "role \"…\" does not exist"});
    expect_postgres_refuses({server_->url("bob", "vault"), Cause::forbidden, "42501",
                             "permission denied for database \"vault\"; User does not have "
                             "CONNECT privilege."});
    expect_postgres_refuses(
        {server_->url("eve"), Cause::forbidden, "28000", "pg_hba.conf rejects connection"});
}

TEST_F(RefusedByPostgres, statement_without_privilege_is_final) {
    const std::string url = server_->url("bob");
    expect_final(failure_at(postgres(url), "INSERT INTO account VALUES(1)"),
                 {url, Cause::forbidden, "42501", "permission denied for table account"});
}

// A server that is away is something else: repeatable, and also in the words of libpq.
TEST_F(RefusedByPostgres, server_that_is_away_is_tried_again) {
    server_->stop();
    Database database{*postgres(server_->url("bob"))};
    // Shorter than the plan's, which the test would have to wait for.
    const auto done = database.execute({.deadline = 500ms}, "SELECT 1");
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().cause, Cause::unavailable);
    EXPECT_EQ(done.error().stop, perdure::Stop::deadline);
    EXPECT_GT(done.error().attempts, 1);
    EXPECT_THAT(done.error().message, HasSubstr("Connection refused"));
}

class RefusedByMariadb : public RefusedLogin {
protected:
    void SetUp() override {
        RefusedLogin::SetUp();
        if (const std::string why = live::Mariadb::missing(); !why.empty()) GTEST_SKIP() << why;
        server_.emplace();
        server_->sql("CREATE TABLE account(id int)");
        server_->sql("CREATE USER ada@'%' IDENTIFIED BY 'right'");
        server_->sql("GRANT SELECT ON test.* TO ada@'%'");
    }
    void expect_refused(const Refused& refused, std::string_view statement = "SELECT 1") const {
        SCOPED_TRACE(refused.text);
        expect_final(failure_at(mariadb(refused.url), statement), refused);
    }

    std::optional<live::Mariadb> server_;
};

TEST_F(RefusedByMariadb, login_is_final_and_told_in_the_words_of_the_server) {
    expect_refused({server_->url("ada:secret"), Cause::credentials, "1045",
                    "Access denied for user '…'@'127.0.0.1' (using password: YES); check user and "
                    "password in the URL, MYSQL_PWD or the option file"});
    expect_refused({server_->url("ada"), Cause::credentials, "1045",
                    "Access denied for user '…'@'127.0.0.1' (using password: NO)"});
    expect_refused(
        {server_->url("root", "nosuch"), Cause::not_found, "1049", "Unknown database 'nosuch'"});
    expect_refused({server_->url("ada:right", "mysql"), Cause::forbidden, "1044",
                    "Access denied for user '…'@'%' to database 'mysql'"});
}

TEST_F(RefusedByMariadb, statement_without_privilege_is_final) {
    expect_refused({server_->url("ada:right"), Cause::forbidden, "1142",
                    "INSERT command denied to user '…'@'127.0.0.1' for table `test`.`account`"},
                   "INSERT INTO account VALUES(1)");
}

}  // namespace
}  // namespace perdure::sql
