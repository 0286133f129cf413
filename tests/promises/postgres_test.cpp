// SPDX-License-Identifier: Apache-2.0
//
// PostgreSQL breaks under callers that have configured nothing but its address.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "live/support/pgbouncer.hpp"
#include "perdure/sql/manual.hpp"
#include "promises/support/small_disk.hpp"
#include "promises/support/sql_places.hpp"

namespace perdure::promises {
namespace {

ReadCounts counts_at(const live::Postgres& server) {
    return [&server](const std::string& way) { return counts_of(server, way); };
}

class PromisesPostgres : public ::testing::Test {
protected:
    using Strike = std::function<void(live::Postgres&)>;

    void SetUp() override {
        if (!live::Postgres::missing().empty()) GTEST_SKIP() << live::Postgres::missing();
    }
    static void drill_with(const Drill& drill, const Strike& strike, Duration takes = 100ms) {
        live::Postgres server{postgres_for_drills()};
        prepare(server);
        SqlWays sql{postgres_at(loopback(server.port())), postgres_work(takes), drill.pool};
        expect_promises(run_drill(
            drill, sql.ways(), counts_at(server), [&] { strike(server); },
            [&] { server.start(); }));
    }
    static void stop(live::Postgres& server) { server.stop(); }
    static void kill9(live::Postgres& server) { server.kill9(); }
};
using PromisesPostgresFull = LongForm<PromisesPostgres>;

TEST_F(PromisesPostgres, a_restart_under_32_callers_loses_none) {
    drill_with({.name = "PostgreSQL restarted, 32 callers"}, stop);
}

TEST_F(PromisesPostgresFull, a_restart_under_16_callers_loses_none) {
    drill_with({.name = "PostgreSQL restarted, 16 callers", .callers = 16}, stop);
}

TEST_F(PromisesPostgresFull, a_restart_under_200_callers_loses_none) {
    drill_with({.name = "PostgreSQL restarted, 200 callers", .callers = 200}, stop);
}

TEST_F(PromisesPostgresFull, a_restart_under_32_transactions_in_flight_loses_none) {
    drill_with({.name = "PostgreSQL restarted, 32 transactions in flight", .pool = 32}, stop,
               300ms);
}

TEST_F(PromisesPostgresFull, a_restart_under_90_transactions_in_flight_loses_none) {
    drill_with(
        {.name = "PostgreSQL restarted, 90 transactions in flight", .callers = 90, .pool = 90},
        stop, 600ms);
}

// Whoever logs in waits for two seconds.
TEST_F(PromisesPostgresFull, a_restart_after_which_logins_are_slow_loses_none) {
    drill_with({.name = "PostgreSQL restarted, a login takes 2 s, 10 callers", .callers = 10},
               [](live::Postgres& server) {
                   server.set("post_auth_delay", "2");
                   server.stop();
               });
}

// After a crash the server's word about a transaction is not believed.
TEST_F(PromisesPostgresFull, a_kill_under_32_callers_loses_none) {
    drill_with({.name = "PostgreSQL killed (SIGKILL), 32 callers", .doubts = Doubts::may_remain},
               kill9);
}

TEST_F(PromisesPostgresFull, a_failover_to_a_synchronous_standby_loses_none) {
    live::Postgres primary{postgres_for_drills()};
    prepare(primary);
    const auto standby = primary.make_standby("second");
    primary.set("synchronous_standby_names", "second");
    ASSERT_TRUE(live::becomes_true(
        [&] { return primary.sql("SELECT sync_state FROM pg_stat_replication") == "sync"; }));
    SqlWays sql{postgres_at(loopback(primary.port()) + "," + loopback(standby->port())),
                postgres_work()};
    const auto both = [&](const std::string& way) {
        ServerCounts counts = counts_of(*standby, way);
        const ServerCounts logged = logged_by(primary, way);
        counts.requests += logged.requests;
        counts.connects += logged.connects;
        return counts;
    };
    expect_promises(run_drill(
        {.name = "PostgreSQL failed over to a synchronous standby, 32 callers",
         .doubts = Doubts::may_remain},
        sql.ways(), both, [&] { primary.kill9(); }, [&] { standby->promote(); }));
}

// In its session mode, which asks for no setting of the driver.
TEST_F(PromisesPostgresFull, a_restart_of_pgbouncer_under_32_callers_loses_none) {
    if (!live::Pgbouncer::missing().empty()) GTEST_SKIP() << live::Pgbouncer::missing();
    live::Postgres server{postgres_for_drills()};
    prepare(server);
    live::Pgbouncer pooler{server.port(),
                           {.sessions = 40,
                            .users = {way_keys.begin(), way_keys.end()},
                            .settings = {"pool_mode = session"}}};
    SqlWays sql{postgres_at(loopback(pooler.port())), postgres_work()};
    expect_promises(run_drill(
        {.name = "PgBouncer restarted, 32 callers"}, sql.ways(), counts_at(server),
        [&] { pooler.stop(); }, [&] { pooler.start(); }));
}

// Rows too large for the room that is left in a page; the log of transactions is on another disk.
TEST_F(PromisesPostgresFull, a_disk_that_is_full_for_2_s_loses_none) {
    SmallDisk disk{"postgres", 24};
    if (!disk.missing().empty()) GTEST_SKIP() << disk.missing();
    live::Postgres server{postgres_for_drills()};
    server.sql("create tablespace small location '" + disk.path() + "'");
    prepare(server, ", filler text default repeat('x', 6000)", " tablespace small");
    for (const std::string way : way_keys)
        server.sql("alter table rows_of_" + way + " alter filler set storage plain");
    SqlWays sql{postgres_at(loopback(server.port())), postgres_work()};
    expect_promises(run_drill(
        {.name = "PostgreSQL's disk full, 32 callers"}, sql.ways(), counts_at(server),
        [&] { disk.fill(); },
        [&] {
            stay_broken(2s);
            disk.make_room();
        }));
}

// Every call wants one of four rows, which somebody else locks for three seconds.
TEST_F(PromisesPostgresFull, a_lock_storm_under_32_callers_loses_none) {
    live::Postgres server{postgres_for_drills()};
    prepare(server);
    server.sql("create table hot(id bigint primary key, n bigint not null); "
               "insert into hot select i, 0 from generate_series(0, 3) i; "
               "grant all on hot to public");
    SqlWork work = postgres_work(20ms);
    work.statements.insert(work.statements.begin() + 1,
                           "update hot set n = n + 1 where id = (?::bigint) % 4");
    SqlWays sql{postgres_at(loopback(server.port())), work};
    sql::Database other{postgres_at(loopback(server.port()))("postgres")};
    auto locks = sql::WithoutRetries{other}.begin();
    ASSERT_TRUE(locks);
    expect_promises(run_drill(
        {.name = "PostgreSQL, four rows locked by another session, 32 callers"}, sql.ways(),
        counts_at(server), [&] { EXPECT_TRUE((*locks)->query("select id from hot for update")); },
        [&] {
            stay_broken(3s);
            EXPECT_TRUE(locks->commit());
        }));
}

}  // namespace
}  // namespace perdure::promises
