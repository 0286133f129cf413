// SPDX-License-Identifier: Apache-2.0
//
// Do real ODBC drivers keep what the session interface promises? psqlODBC, MariaDB ODBC and sqliteodbc,
// each with its database behind it. The planned-fault driver of tests/sql stands for SQL Server.
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "live/support/mariadb.hpp"
#include "live/support/postgres.hpp"
#include "live/support/sql_link.hpp"
#include "perdure/sql/odbc.hpp"
#include "perdure/sql/transact.hpp"
#include "perdure/sql/violation.hpp"
#include "perdure/try.hpp"
#include "sql/bank.hpp"

namespace perdure::sql {
namespace {

std::string to_postgres(std::uint16_t port) {
    return "Driver={PostgreSQL Unicode};Server=127.0.0.1;Port=" + std::to_string(port) +
           ";Database=postgres;UID=postgres";
}
std::string to_mariadb(std::uint16_t port) {
    return "Driver={MariaDB Unicode};Server=127.0.0.1;Port=" + std::to_string(port) +
           ";Database=test;UID=root";
}

Result<void> add_two(Transaction& tx) {
    PERDURE_TRY(tx.execute("insert into thing values (?)", 1));
    PERDURE_TRY(tx.execute("insert into thing values (?)", 2));
    return {};
}

Database open_with_tokens(const std::string& connection) {
    return Database{*odbc(connection), {.tokens = {.use = TokenUse::create}}};
}

// Both rows, and once, whatever became of the first COMMIT.
template <class Server>
void expect_lost_commits_resolved(Server& server, std::string (*connection)(std::uint16_t)) {
    server.sql("create table thing (id integer)");
    live::SqlLink link{server.port()};
    Database database = open_with_tokens(connection(link.port()));
    ASSERT_TRUE(transact(database, {}, add_two));  // its token table is there now
    int expected = 2;
    for (const live::Lost lost : {live::Lost::before, live::Lost::answered}) {
        SCOPED_TRACE(static_cast<int>(lost));
        const std::uint64_t before = link.cuts();
        link.cut_next(lost);
        const auto done = transact(database, {}, add_two);
        EXPECT_TRUE(done) << to_string(done.error());
        EXPECT_EQ(link.cuts(), before + 1) << "nothing was lost, so nothing was shown";
        expected += 2;
        EXPECT_EQ(server.sql("select count(*) from thing"), std::to_string(expected));
    }
}

// By the state or by the number of the server behind it.
template <class Server>
void expect_violations_named(Server& server, std::string (*connection)(std::uint16_t)) {
    server.sql("create table thing (id integer primary key, "
               "age integer not null, constraint grown check (age > 0))");
    Database database{*odbc(connection(server.port()))};
    ASSERT_TRUE(database.execute("insert into thing values (1, 36)"));
    const std::pair<const char*, Violation> cases[] = {
        {"insert into thing values (1, 7)", Violation::unique},
        {"insert into thing values (2, null)", Violation::not_null},
        {"insert into thing values (2, -7)", Violation::check},
    };
    for (const auto& [statement, expected] : cases) {
        const auto done = database.execute(statement);
        ASSERT_FALSE(done) << statement;
        EXPECT_EQ(to_string(violation(done.error())), to_string(expected))
            << statement << ": " << to_string(done.error());
    }
}

void expect_bytes_kept(Database& database, const std::string& type) {
    ASSERT_TRUE(database.execute("create table piece (content " + type + ")"));
    const std::vector<std::byte> all{std::byte{0}, std::byte{0xff}, std::byte{'\''}};
    const auto done = database.execute("insert into piece values (?)", all);
    ASSERT_TRUE(done) << to_string(done.error());
    const auto rows = database.query("select content from piece");
    ASSERT_TRUE(rows) << to_string(rows.error());
    const auto content = rows->single<std::vector<std::byte>>();
    ASSERT_TRUE(content) << to_string(content.error());
    EXPECT_EQ(*content, all);
}

TEST(OdbcPostgres, names_the_constraint_that_was_violated_and_keeps_bytes) {
    if (!live::Postgres::missing().empty()) GTEST_SKIP() << live::Postgres::missing();
    live::Postgres server;
    expect_violations_named(server, to_postgres);
    Database database{*odbc(to_postgres(server.port()))};
    expect_bytes_kept(database, "bytea");
}

TEST(OdbcMariadb, names_the_constraint_that_was_violated_and_keeps_bytes) {
    if (!live::Mariadb::missing().empty()) GTEST_SKIP() << live::Mariadb::missing();
    live::Mariadb server;
    expect_violations_named(server, to_mariadb);
    Database database{*odbc(to_mariadb(server.port()))};
    expect_bytes_kept(database, "blob");
}

TEST(OdbcSqlite, keeps_bytes_and_tells_a_violation_without_its_kind) {
    const OwnFolder folder;
    Database database{*odbc("Driver={SQLite3};Database=" + folder.file("odbc.db"))};
    expect_bytes_kept(database, "blob");
    ASSERT_TRUE(database.execute("create table thing (id integer primary key)"));
    ASSERT_TRUE(database.execute("insert into thing values (1)"));
    const auto again = database.execute("insert into thing values (1)");
    ASSERT_FALSE(again);
    EXPECT_EQ(to_string(violation(again.error())), to_string(Violation::other))
        << to_string(again.error());
}

TEST(OdbcPostgres, resolves_a_lost_commit_by_its_token) {
    if (!live::Postgres::missing().empty()) GTEST_SKIP() << live::Postgres::missing();
    live::Postgres server;
    expect_lost_commits_resolved(server, to_postgres);
}

// psqlODBC itself says SQL_SUCCESS to that COMMIT.
TEST(OdbcPostgres, never_calls_the_commit_of_a_killed_session_a_success) {
    if (!live::Postgres::missing().empty()) GTEST_SKIP() << live::Postgres::missing();
    live::Postgres server;
    server.sql("create table thing (id integer)");
    auto driver = odbc(to_postgres(server.port()));
    ASSERT_TRUE(driver);
    const Bounds soon{.deadline = Deadline::in(10s, system_clock().now())};
    auto session = (*driver)->connect({.bounds = soon}, system_clock());
    ASSERT_TRUE(session) << to_string(session.error());
    ASSERT_TRUE((*session)->begin({}, soon));
    RowBuffer rows{1000};
    ASSERT_TRUE((*session)->run({.text = "insert into thing values (1)"}, rows, soon));
    server.sql(
        "select pg_terminate_backend(pid) from pg_stat_activity where state like 'idle in%'");
    EXPECT_FALSE((*session)->run({.text = "insert into thing values (2)"}, rows, soon));
    EXPECT_FALSE((*session)->commit(soon));
    EXPECT_EQ(server.sql("select count(*) from thing"), "0");
}

TEST(OdbcMariadb, resolves_a_lost_commit_by_its_token) {
    if (!live::Mariadb::missing().empty()) GTEST_SKIP() << live::Mariadb::missing();
    live::Mariadb server;
    expect_lost_commits_resolved(server, to_mariadb);
}

TEST(OdbcSqlite, transacts_and_reads_what_it_wrote) {
    const OwnFolder folder;
    Database database = open_with_tokens("Driver={SQLite3};Database=" + folder.file("odbc.db"));
    const auto created = database.execute("create table thing (id integer primary key)");
    ASSERT_TRUE(created) << to_string(created.error());
    const auto done = transact(database, {}, add_two);
    EXPECT_TRUE(done) << to_string(done.error());
    const auto again = transact(database, {}, add_two);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().effect, Effect::none);
    EXPECT_EQ(database.query("select count(*) from thing")->single<int>().value_or(0), 2);
}

}  // namespace
}  // namespace perdure::sql
