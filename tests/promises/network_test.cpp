// SPDX-License-Identifier: Apache-2.0
//
// The network is cut between a database and callers that have configured nothing but its address. What
// the server has done meanwhile it has done, and its answers are late or lost.
#include <gtest/gtest.h>

#include <string>

#include "promises/support/cable.hpp"
#include "promises/support/sql_places.hpp"

namespace perdure::promises {
namespace {

class PromisesNetwork : public ::testing::Test {
protected:
    template <class Server>
    static void cut(const Drill& drill, Server& server, Duration time) {
        prepare(server);
        Cable cable{server.port()};
        if (!cable.missing().empty()) GTEST_SKIP() << cable.missing();
        SqlWays sql{driver_for(server, cable.address()), work_for(server), drill.pool};
        expect_promises(run_drill(
            drill, sql.ways(), [&](const std::string& way) { return counts_of(server, way); },
            [&] { cable.cut(); },
            [&] {
                stay_broken(time);
                cable.mend();
            }));
    }
    static void cut_postgres(const Drill& drill, Duration time) {
        if (!live::Postgres::missing().empty()) GTEST_SKIP() << live::Postgres::missing();
        live::Postgres server{postgres_for_drills()};
        cut(drill, server, time);
    }
    static void cut_mariadb(const Drill& drill, Duration time) {
        if (!live::Mariadb::missing().empty()) GTEST_SKIP() << live::Mariadb::missing();
        live::Mariadb server{mariadb_for_drills()};
        cut(drill, server, time);
    }

private:
    // Both wish to see a certificate of a server that is not on the loopback; these have none.
    static MakeDriver driver_for(const live::Postgres&, const std::string& address) {
        return postgres_at(address, "?sslmode=disable");
    }
    static MakeDriver driver_for(const live::Mariadb&, const std::string& address) {
        return mariadb_at(address, "?tls=off");
    }
    // Half of the time of a call is its COMMIT, so that the cut catches some in it.
    static SqlWork work_for(const live::Postgres& server) {
        server.sql("create function slow_commit() returns trigger language plpgsql as "
                   "'begin perform pg_sleep(0.05); return null; end'");
        for (const std::string way : way_keys)
            server.sql("create constraint trigger slow_commit after insert on rows_of_" + way +
                       " deferrable initially deferred for each row execute function "
                       "slow_commit()");
        return postgres_work(50ms);
    }
    static SqlWork work_for(const live::Mariadb&) { return mariadb_work(); }
};
using PromisesNetworkFull = LongForm<PromisesNetwork>;

// A little less, so that it is mended within the five seconds.
TEST_F(PromisesNetwork, cut_for_5_s_before_postgres_loses_none) {
    cut_postgres({.name = "PostgreSQL, the network cut for 5 s, 32 callers"}, 4800ms);
}

TEST_F(PromisesNetworkFull, cut_for_1_s_before_postgres_loses_none) {
    cut_postgres({.name = "PostgreSQL, the network cut for 1 s, 32 callers"}, 1s);
}

// Longer than the deadline: what was being committed cannot be asked for in time.
TEST_F(PromisesNetworkFull, cut_for_20_s_before_postgres_says_no_wrong_word) {
    cut_postgres(
        {.name = "PostgreSQL, the network cut for 20 s, 32 callers", .doubts = Doubts::may_remain},
        20s);
}

TEST_F(PromisesNetworkFull, cut_for_1_s_before_mariadb_loses_none) {
    cut_mariadb(
        {.name = "MariaDB, the network cut for 1 s, 32 callers", .doubts = Doubts::may_remain}, 1s);
}

TEST_F(PromisesNetworkFull, cut_for_20_s_before_mariadb_says_no_wrong_word) {
    cut_mariadb(
        {.name = "MariaDB, the network cut for 20 s, 32 callers", .doubts = Doubts::may_remain},
        20s);
}

TEST_F(PromisesNetworkFull, cut_for_5_s_before_mariadb_loses_none) {
    cut_mariadb(
        {.name = "MariaDB, the network cut for 5 s, 32 callers", .doubts = Doubts::may_remain},
        4800ms);
}

}  // namespace
}  // namespace perdure::promises
