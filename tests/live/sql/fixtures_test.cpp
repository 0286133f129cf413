// SPDX-License-Identifier: Apache-2.0
//
// Do the servers, and the link that loses COMMITs, do what the other tests here rely on? Asked with the
// bare client libraries.
#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <mysql.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "live/support/mariadb.hpp"
#include "live/support/pgbouncer.hpp"
#include "live/support/postgres.hpp"
#include "live/support/sql_link.hpp"

namespace perdure::live {
namespace {

// A session of libpq's: what a statement says first, its state if it fails.
class Pg {
public:
    explicit Pg(const std::string& url) : connection_{PQconnectdb(url.c_str()), &PQfinish} {}
    [[nodiscard]] bool good() const { return PQstatus(connection_.get()) == CONNECTION_OK; }
    std::string say(const std::string& sql) const {
        const std::unique_ptr<PGresult, void (*)(PGresult*)> result{
            PQexec(connection_.get(), sql.c_str()), &PQclear};
        if (PQresultStatus(result.get()) == PGRES_TUPLES_OK)
            return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
        if (PQresultStatus(result.get()) == PGRES_COMMAND_OK) return PQcmdStatus(result.get());
        const char* state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
        return state ? state : "lost";
    }

private:
    std::unique_ptr<PGconn, void (*)(PGconn*)> connection_;
};

// The same with Connector/C: the first cell, "ok", or the error's number.
class My {
public:
    explicit My(std::uint16_t port) : connection_{mysql_init(nullptr), &mysql_close} {
        const unsigned seconds = 2;
        mysql_options(connection_.get(), MYSQL_OPT_READ_TIMEOUT, &seconds);
        mysql_real_connect(connection_.get(), "127.0.0.1", "root", "", "test", port, nullptr, 0);
    }
    [[nodiscard]] bool good() const { return mysql_errno(connection_.get()) == 0; }
    std::string say(const std::string& sql) const {
        if (mysql_query(connection_.get(), sql.c_str()) != 0)
            return std::to_string(mysql_errno(connection_.get()));
        const std::unique_ptr<MYSQL_RES, void (*)(MYSQL_RES*)> result{
            mysql_store_result(connection_.get()), &mysql_free_result};
        // An error may come in the place of the first row.
        if (mysql_errno(connection_.get()) != 0)
            return std::to_string(mysql_errno(connection_.get()));
        if (!result) return "ok";
        const MYSQL_ROW row = mysql_fetch_row(result.get());
        return row && row[0] ? row[0] : "";
    }

private:
    std::unique_ptr<MYSQL, void (*)(MYSQL*)> connection_;
};

class PostgresFixtureBrief : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        if (!Postgres::missing().empty()) return;
        shared = std::make_unique<Postgres>();
        shared->sql("CREATE TABLE seen(id int)");
    }
    static void TearDownTestSuite() { shared.reset(); }
    void SetUp() override {
        if (!shared) GTEST_SKIP() << Postgres::missing();
        shared->sql("TRUNCATE seen");
    }
    [[nodiscard]] static std::string rows() { return shared->sql("SELECT count(*) FROM seen"); }
    [[nodiscard]] static std::string open_transactions() {
        return shared->sql(
            "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'");
    }

    static inline std::unique_ptr<Postgres> shared;
};

TEST_F(PostgresFixtureBrief, stops_and_starts_again_with_what_was_committed) {
    const Pg before{shared->url()};
    EXPECT_EQ(before.say("INSERT INTO seen VALUES (1)"), "INSERT 0 1");
    const std::uint16_t port = shared->port();
    shared->restart();
    EXPECT_EQ(before.say("SELECT 1"), "lost");
    EXPECT_EQ(shared->port(), port);
    EXPECT_EQ(rows(), "1");
    shared->stop(Stop::immediate);
    EXPECT_FALSE(Pg{shared->url()}.good());
    shared->start();
    EXPECT_EQ(rows(), "1");
}

TEST_F(PostgresFixtureBrief, is_killed_with_all_its_processes_and_recovers) {
    for (int round = 1; round <= 3; ++round) {
        const Pg open{shared->url()};
        const Pg done{shared->url()};
        EXPECT_EQ(open.say("BEGIN; INSERT INTO seen VALUES (1)"), "INSERT 0 1");
        EXPECT_EQ(done.say("INSERT INTO seen VALUES (2)"), "INSERT 0 1");
        shared->kill9();
        EXPECT_FALSE(Pg{shared->url()}.good());
        shared->start();
        EXPECT_EQ(rows(), std::to_string(round));
    }
}

TEST_F(PostgresFixtureBrief, changes_a_setting_while_it_runs) {
    shared->set("lock_timeout", "77ms");
    EXPECT_EQ(Pg{shared->url()}.say("SHOW lock_timeout"), "77ms");
    shared->set("lock_timeout", "0");
}

TEST_F(PostgresFixtureBrief, lets_a_commit_wait_for_a_standby_that_is_not_there) {
    const Pg waits{shared->url()};
    waits.say("BEGIN; INSERT INTO seen VALUES (1)");
    const std::string pid = waits.say("SELECT pg_backend_pid()");
    shared->set("synchronous_standby_names", "ghost");
    std::string tag;
    {
        // A cancelled wait ends with success: it is committed here.
        std::jthread commits{[&] { tag = waits.say("COMMIT"); }};
        EXPECT_TRUE(becomes_true([&] {
            return shared->sql("SELECT wait_event FROM pg_stat_activity WHERE pid = " + pid) ==
                   "SyncRep";
        }));
        shared->sql("SELECT pg_cancel_backend(" + pid + ")");
    }
    EXPECT_EQ(tag, "COMMIT");
    shared->set("synchronous_standby_names", "");
}

TEST_F(PostgresFixtureBrief, has_a_standby_that_is_promoted) {
    shared->sql("INSERT INTO seen VALUES (1)");
    const auto standby = shared->make_standby("second");
    shared->set("synchronous_standby_names", "second");
    EXPECT_TRUE(becomes_true(
        [&] { return shared->sql("SELECT sync_state FROM pg_stat_replication") == "sync"; }));
    EXPECT_EQ(Pg{shared->url()}.say("INSERT INTO seen VALUES (2)"), "INSERT 0 1");
    EXPECT_EQ(Pg{standby->url()}.say("INSERT INTO seen VALUES (3)"), "25006");
    shared->kill9();
    standby->promote();
    const Pg promoted{standby->url()};
    EXPECT_EQ(promoted.say("SELECT count(*) FROM seen"), "2");
    EXPECT_EQ(promoted.say("INSERT INTO seen VALUES (3)"), "INSERT 0 1");
    shared->start();
    shared->set("synchronous_standby_names", "");
}

TEST_F(PostgresFixtureBrief, shares_sessions_through_pgbouncer) {
    if (!Pgbouncer::missing().empty()) GTEST_SKIP() << Pgbouncer::missing();
    const Pgbouncer bouncer{shared->port(), {.sessions = 1}};
    const Pg one{bouncer.url()};
    const Pg two{bouncer.url()};
    const std::string pid = one.say("SELECT pg_backend_pid()");
    EXPECT_EQ(two.say("SELECT pg_backend_pid()"), pid);
}

TEST_F(PostgresFixtureBrief, loses_a_commit_as_the_link_is_told) {
    SqlLink link{shared->port()};
    struct Row {
        Lost what;
        const char* rows;
    };
    for (const Row& row : {Row{Lost::before, "0"}, Row{Lost::after, "1"}, Row{Lost::answered, "1"},
                           Row{Lost::late, "1"}}) {
        shared->sql("TRUNCATE seen");
        const Pg session{postgres_url(link.port())};
        session.say("BEGIN; INSERT INTO seen VALUES (1)");
        link.cut_next(row.what);
        EXPECT_EQ(session.say("COMMIT"), "lost");
        if (row.what == Lost::late) {
            EXPECT_EQ(rows(), "0");
        }
        if (row.what == Lost::answered) {
            EXPECT_EQ(rows(), "1");
        }
        EXPECT_TRUE(becomes_true([&] { return open_transactions() == "0" && rows() == row.rows; }))
            << row.rows;
    }
    EXPECT_EQ(link.cuts(), 4u);
}

TEST_F(PostgresFixtureBrief, keeps_a_transaction_whose_client_is_gone) {
    SqlLink link{shared->port()};
    const Pg session{postgres_url(link.port())};
    session.say("BEGIN; INSERT INTO seen VALUES (1)");
    const std::string pid = session.say("SELECT pg_backend_pid()");
    link.cut_next(Lost::half_open);
    EXPECT_EQ(session.say("COMMIT"), "lost");
    EXPECT_EQ(open_transactions(), "1");
    EXPECT_EQ(shared->sql("SELECT pg_terminate_backend(" + pid + ", 2000)"), "t");
    EXPECT_EQ(open_transactions(), "0");
    EXPECT_EQ(rows(), "0");

    const Pg brief{postgres_url(link.port())};
    brief.say("BEGIN; INSERT INTO seen VALUES (1)");
    link.cut_next(Lost::half_open, 1, {.open_for = 100ms});
    EXPECT_EQ(brief.say("COMMIT"), "lost");
    EXPECT_TRUE(becomes_true([&] { return open_transactions() == "0"; }));
    EXPECT_EQ(rows(), "0");
}

TEST_F(PostgresFixtureBrief, loses_the_same_commits_for_the_same_seed) {
    const auto lost = [&](std::uint64_t seed) {
        SqlLink link{shared->port(), {.before = 0.2, .answered = 0.2, .seed = seed}};
        std::string pattern;
        std::optional<Pg> session;
        for (int i = 0; i < 40; ++i) {
            if (!session) session.emplace(postgres_url(link.port()));
            session->say("BEGIN");
            const bool committed = session->say("COMMIT") == "COMMIT";
            pattern += committed ? '.' : 'x';
            if (!committed) session.reset();
        }
        return pattern;
    };
    const std::string first = lost(7);
    EXPECT_NE(first.find('x'), std::string::npos);
    EXPECT_NE(first.find('.'), std::string::npos);
    EXPECT_EQ(lost(7), first);
    EXPECT_NE(lost(8), first);
}

class MariadbFixtureBrief : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        if (!Mariadb::missing().empty()) return;
        shared = std::make_unique<Mariadb>();
        shared->sql("CREATE TABLE seen(id int)");
    }
    static void TearDownTestSuite() { shared.reset(); }
    void SetUp() override {
        if (!shared) GTEST_SKIP() << Mariadb::missing();
        shared->sql("DELETE FROM seen");
    }
    [[nodiscard]] static std::string rows() { return shared->sql("SELECT count(*) FROM seen"); }
    // Not innodb_trx: whoever reads it again within 100 ms is shown the old rows.
    [[nodiscard]] static std::string idle_sessions() {
        return shared->sql(
            "SELECT count(*) FROM information_schema.processlist WHERE command = 'Sleep'");
    }

    static inline std::unique_ptr<Mariadb> shared;
};

TEST_F(MariadbFixtureBrief, is_stopped_and_killed_and_comes_back_with_what_was_committed) {
    const My open{shared->port()};
    EXPECT_EQ(open.say("BEGIN"), "ok");
    EXPECT_EQ(open.say("INSERT INTO seen VALUES (1)"), "ok");
    EXPECT_EQ(My{shared->port()}.say("INSERT INTO seen VALUES (2)"), "ok");
    shared->kill9();
    EXPECT_FALSE(My{shared->port()}.good());
    shared->start();
    EXPECT_EQ(open.say("COMMIT"), "2013");
    EXPECT_EQ(rows(), "1");
    shared->restart();
    EXPECT_EQ(rows(), "1");
}

TEST_F(MariadbFixtureBrief, loses_a_commit_as_the_link_is_told) {
    SqlLink link{shared->port()};
    struct Row {
        Lost what;
        const char* rows;
    };
    for (const Row& row : {Row{Lost::before, "0"}, Row{Lost::after, "1"}, Row{Lost::answered, "1"},
                           Row{Lost::late, "1"}, Row{Lost::unanswered, "1"}}) {
        shared->sql("DELETE FROM seen");
        const My session{link.port()};
        session.say("BEGIN");
        session.say("INSERT INTO seen VALUES (1)");
        link.cut_next(row.what);
        EXPECT_EQ(session.say("COMMIT"), "2013");
        if (row.what == Lost::answered) {
            EXPECT_EQ(rows(), "1");
        }
        EXPECT_TRUE(becomes_true([&] { return idle_sessions() == "0" && rows() == row.rows; }))
            << row.rows;
    }
}

TEST_F(MariadbFixtureBrief, keeps_a_transaction_whose_client_is_gone) {
    SqlLink link{shared->port()};
    const My session{link.port()};
    const std::string id = session.say("SELECT connection_id()");
    session.say("BEGIN");
    session.say("INSERT INTO seen VALUES (1)");
    link.cut_next(Lost::half_open);
    EXPECT_EQ(session.say("COMMIT"), "2013");
    EXPECT_EQ(idle_sessions(), "1");
    EXPECT_EQ(My{shared->port()}.say("SELECT * FROM seen FOR UPDATE NOWAIT"), "1205");
    shared->sql("KILL " + id);
    EXPECT_TRUE(becomes_true([&] { return idle_sessions() == "0"; }));
    EXPECT_EQ(rows(), "0");
}

}  // namespace
}  // namespace perdure::live
