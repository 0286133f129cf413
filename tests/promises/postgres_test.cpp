// SPDX-License-Identifier: Apache-2.0
//
// PostgreSQL breaks under callers that have configured nothing but its address.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "promises/support/sql_places.hpp"

namespace perdure::promises {
namespace {

ReadBooks books_at(const live::Postgres& server) {
    return [&server](const std::string& way) { return books_of(server, way); };
}

class PromisesPostgres : public ::testing::Test {
protected:
    void SetUp() override {
        if (!live::Postgres::missing().empty()) GTEST_SKIP() << live::Postgres::missing();
    }
    static void restart(const Drill& drill, Duration takes = 100ms) {
        live::Postgres server{postgres_for_drills()};
        prepare(server);
        SqlWays sql{postgres_at(loopback(server.port())), postgres_work(takes), drill.pool};
        expect_promises(run_drill(
            drill, sql.ways(), books_at(server), [&] { server.stop(); }, [&] { server.start(); }));
    }
};

TEST_F(PromisesPostgres, a_restart_under_32_callers_loses_none) {
    restart({.name = "PostgreSQL restarted, 32 callers"});
}

TEST_F(PromisesPostgres, a_restart_under_32_transactions_in_flight_loses_none) {
    restart({.name = "PostgreSQL restarted, 32 transactions in flight", .pool = 32}, 300ms);
}

}  // namespace
}  // namespace perdure::promises
