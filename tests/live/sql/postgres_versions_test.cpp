// SPDX-License-Identifier: Apache-2.0
//
// PostgreSQL 12, 15 and 18: does the driver keep its promises on the oldest and on the newest as on
// Debian's own?
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "live/support/postgres.hpp"
#include "perdure/sql/database.hpp"
#include "perdure/sql/postgres.hpp"
#include "sql/postgres/fence.hpp"

namespace perdure::sql {
namespace {

// One server of each version for all tests of a suite, with an empty table.
class OnEachPostgres : public ::testing::TestWithParam<int> {
protected:
    static void TearDownTestSuite() { servers.clear(); }
    void SetUp() override {
        if (const std::string why = live::Postgres::missing(GetParam()); !why.empty())
            GTEST_SKIP() << why;
        std::unique_ptr<live::Postgres>& kept = servers[GetParam()];
        // Nobody but the tests takes transaction ids, and what is not committed stays in memory.
        if (!kept)
            kept = std::make_unique<live::Postgres>(live::PostgresOptions{
                .version = GetParam(),
                .settings = {"wal_writer_delay=10s", "autovacuum=off", "checkpoint_timeout=1h"}});
        server = kept.get();
        server->sql("drop table if exists thing; create table thing (id integer)");
    }
    [[nodiscard]] std::string things() const { return server->sql("select count(*) from thing"); }

    inline static std::map<int, std::unique_ptr<live::Postgres>> servers;
    live::Postgres* server = nullptr;
};

class PostgresServer : public OnEachPostgres {
protected:
    [[nodiscard]] std::string fence() const {
        return server->sql("select " + std::string{pg::fence_columns});
    }
};

TEST_P(PostgresServer, is_of_its_version_and_recovers_from_a_kill) {
    EXPECT_EQ(server->sql("select current_setting('server_version_num')::int / 10000"),
              std::to_string(GetParam()));
    server->sql("insert into thing values (1)");
    server->kill9();
    server->start();
    EXPECT_EQ(things(), "1");
}

TEST_P(PostgresServer, has_another_fence_after_a_crash_and_the_same_after_a_clean_restart) {
    const std::string before = fence();
    EXPECT_EQ(fence(), before);
    server->restart();
    EXPECT_EQ(fence(), before);
    server->kill9();
    server->start();
    const std::string killed = fence();
    EXPECT_NE(killed, before);
    server->stop(live::Stop::immediate);
    server->start();
    EXPECT_NE(fence(), killed);
}

TEST_P(PostgresServer, answers_statements_outside_of_transactions) {
    Database database{*postgres(server->url())};
    ASSERT_TRUE(database.execute("insert into thing values (?)", 7));
    const auto rows = database.query("select id from thing where id = ?", 7);
    ASSERT_TRUE(rows) << to_string(rows.error());
    EXPECT_EQ(rows->single<int>().value_or(-1), 7);
}

INSTANTIATE_TEST_SUITE_P(Versions, PostgresServer, ::testing::Values(12, 15, 18),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace perdure::sql
