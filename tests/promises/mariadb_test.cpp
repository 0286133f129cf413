// SPDX-License-Identifier: Apache-2.0
//
// MariaDB breaks under callers that have configured nothing but its address.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "perdure/sql/manual.hpp"
#include "promises/support/sql_places.hpp"

namespace perdure::promises {
namespace {

class PromisesMariadb : public ::testing::Test {
protected:
    void SetUp() override {
        if (!live::Mariadb::missing().empty()) GTEST_SKIP() << live::Mariadb::missing();
    }
    static void drill_with(const Drill& drill, const std::function<void(live::Mariadb&)>& strike,
                           Duration takes = 100ms) {
        live::Mariadb server{mariadb_for_drills()};
        prepare(server);
        SqlWays sql{mariadb_at(loopback(server.port())), mariadb_work(takes), drill.pool};
        expect_promises(run_drill(
            drill, sql.ways(), [&](const std::string& way) { return counts_of(server, way); },
            [&] { strike(server); }, [&] { server.start(); }));
    }
    static void kill9(live::Mariadb& server) { server.kill9(); }
    static void stop(live::Mariadb& server) { server.stop(); }
};
using PromisesMariadbFull = LongForm<PromisesMariadb>;

// What was being committed stays unknown: without a token there is nothing to ask MariaDB for.
TEST_F(PromisesMariadb, a_kill_under_32_callers_loses_none) {
    drill_with({.name = "MariaDB killed (SIGKILL), 32 callers", .doubts = Doubts::may_remain},
               kill9);
}

TEST_F(PromisesMariadbFull, a_restart_under_32_callers_loses_none) {
    drill_with({.name = "MariaDB restarted, 32 callers", .doubts = Doubts::may_remain}, stop);
}

TEST_F(PromisesMariadbFull, a_restart_under_200_callers_loses_none) {
    drill_with(
        {.name = "MariaDB restarted, 200 callers", .callers = 200, .doubts = Doubts::may_remain},
        stop);
}

TEST_F(PromisesMariadbFull, a_failover_to_a_semisynchronous_replica_loses_none) {
    live::MariadbOptions first = mariadb_for_drills(), second = mariadb_for_drills();
    for (const char* const each : {"server-id=1", "log-bin=bin", "rpl-semi-sync-master-enabled=ON",
                                   "rpl-semi-sync-master-wait-point=AFTER_SYNC"})
        first.settings.emplace_back(each);
    for (const char* const each : {"server-id=2", "rpl-semi-sync-slave-enabled=ON", "read-only=ON"})
        second.settings.emplace_back(each);
    live::Mariadb primary{first};
    live::Mariadb replica{second};
    replica.sql("change master to master_host='127.0.0.1', master_user='root', master_port=" +
                std::to_string(primary.port()) + ", master_use_gtid=slave_pos; start slave");
    prepare(primary);
    ASSERT_TRUE(live::becomes_true([&] {
        return primary.sql("show status like 'Rpl_semi_sync_master_clients'").ends_with("1") &&
               replica.sql("show tables like 'rows\\_of\\_%'").find(way_keys[2]) !=
                   std::string::npos;
    }));
    SqlWays sql{mariadb_at(loopback(primary.port()) + "," + loopback(replica.port())),
                mariadb_work()};
    const auto both = [&](const std::string& way) {
        ServerCounts counts = counts_of(replica, way);
        const ServerCounts logged = logged_by(primary, way);
        counts.requests += logged.requests;
        counts.connects += logged.connects;
        return counts;
    };
    expect_promises(run_drill(
        {.name = "MariaDB failed over to a semisynchronous replica, 32 callers",
         .doubts = Doubts::may_remain},
        sql.ways(), both, [&] { primary.kill9(); },
        [&] { replica.sql("stop slave; set global read_only=0"); }));
}

// Every call wants one of four rows, which somebody else locks for three seconds.
TEST_F(PromisesMariadbFull, a_lock_storm_under_32_callers_loses_none) {
    live::Mariadb server{mariadb_for_drills()};
    prepare(server);
    server.sql("create table hot(id bigint primary key, n bigint not null) engine=InnoDB; "
               "insert into hot values (0, 0), (1, 0), (2, 0), (3, 0)");
    SqlWork work = mariadb_work(20ms);
    work.statements.insert(work.statements.begin() + 1,
                           "update hot set n = n + 1 where id = ? mod 4");
    SqlWays sql{mariadb_at(loopback(server.port())), work};
    sql::Database other{mariadb_at(loopback(server.port()))("root")};
    auto locks = sql::WithoutRetries{other}.begin();
    ASSERT_TRUE(locks);
    expect_promises(run_drill(
        {.name = "MariaDB, four rows locked by another session, 32 callers"}, sql.ways(),
        [&](const std::string& way) { return counts_of(server, way); },
        [&] { EXPECT_TRUE((*locks)->query("select id from hot for update")); },
        [&] {
            stay_broken(3s);
            EXPECT_TRUE(locks->commit());
        }));
}

TEST_F(PromisesMariadbFull, a_kill_under_90_transactions_in_flight_loses_none) {
    drill_with({.name = "MariaDB killed (SIGKILL), 90 transactions in flight",
                .callers = 90,
                .pool = 90,
                .doubts = Doubts::may_remain},
               kill9, 600ms);
}

}  // namespace
}  // namespace perdure::promises
