// SPDX-License-Identifier: Apache-2.0
//
// MariaDB breaks under callers that have configured nothing but its address.
#include <gtest/gtest.h>

#include <functional>
#include <string>

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

TEST_F(PromisesMariadbFull, a_kill_under_90_transactions_in_flight_loses_none) {
    drill_with({.name = "MariaDB killed (SIGKILL), 90 transactions in flight",
                .callers = 90,
                .pool = 90,
                .doubts = Doubts::may_remain},
               kill9, 600ms);
}

}  // namespace
}  // namespace perdure::promises
