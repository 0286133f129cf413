// SPDX-License-Identifier: Apache-2.0
//
// Old tokens on real servers: are they found by the index, whatever else the table holds and however it
// was made? The servers' own counters tell; nothing here is timed (bench/README.md has times).
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "live/support/mariadb.hpp"
#include "live/support/postgres.hpp"
#include "perdure/sql/database.hpp"
#include "perdure/sql/mariadb.hpp"
#include "perdure/sql/postgres.hpp"
#include "sql/bank.hpp"

namespace perdure::sql {
namespace {

constexpr int old_tokens = 20'000;
constexpr int young_tokens = 5'000;

class PurgeOnPostgres : public ::testing::TestWithParam<int> {
protected:
    void SetUp() override {
        if (const std::string why = live::Postgres::missing(GetParam()); !why.empty())
            GTEST_SKIP() << why;
        // Its log has the plan of every statement, as it was run.
        server = std::make_unique<live::Postgres>(live::PostgresOptions{
            .version = GetParam(),
            .settings = {"session_preload_libraries=auto_explain",
                         "auto_explain.log_min_duration=0", "autovacuum=off"}});
        driver = *postgres(server->url());
    }
    void fill() const {
        server->sql("insert into perdure_token (token, created_at) select "
                    "md5(n::text)::uuid, now() - interval '2 days' + n * interval '1 ms' "
                    "from generate_series(1, " +
                    std::to_string(old_tokens) + ") n");
        server->sql("insert into perdure_token (token) select md5('young' || n)::uuid "
                    "from generate_series(1, " +
                    std::to_string(young_tokens) + ") n");
    }
    // How often the log has this line of a plan.
    [[nodiscard]] int planned(std::string_view line) const {
        std::ifstream log{server->socket_directory() + "/postgres.log"};
        int times = 0;
        for (std::string each; std::getline(log, each);)
            times += each.find(line) == std::string::npos ? 0 : 1;
        return times;
    }
    [[nodiscard]] std::string left() const {
        return server->sql("select count(*) from perdure_token");
    }
    [[nodiscard]] std::string valid_indexes() const {
        return server->sql("select count(*) from pg_index where indrelid = "
                           "'perdure_token'::regclass and not indisprimary and indisvalid");
    }

    std::unique_ptr<live::Postgres> server;
    std::shared_ptr<Driver> driver;
};

TEST_P(PurgeOnPostgres, deletes_the_old_ones_by_the_index) {
    Database database{driver, with_tokens()};
    ASSERT_TRUE(make_token_table(database));
    EXPECT_EQ(valid_indexes(), "1");
    fill();
    const auto purged = purge_tokens(database);
    ASSERT_TRUE(purged) << to_string(purged.error());
    EXPECT_EQ(*purged, old_tokens);
    // 20 batches and one that finds no more, each of a look for its end and a DELETE.
    EXPECT_EQ(planned("Scan using perdure_token_created_at") +
                  planned("Bitmap Index Scan on perdure_token_created_at"),
              42);
    EXPECT_EQ(planned("Sort Key"), 0);
    EXPECT_EQ(planned("Seq Scan on perdure_token"), 0);
    EXPECT_EQ(left(), std::to_string(young_tokens));
    EXPECT_EQ(database.purge_counts().tokens, std::uint64_t{old_tokens});
}

TEST_P(PurgeOnPostgres, adds_the_index_to_a_table_of_an_earlier_version) {
    server->sql("create schema ours; create table ours.old_token (token uuid primary key, "
                "attempt_id uuid, created_at timestamptz not null default now())");
    const Bounds bounds{.deadline = Deadline::in(60s, system_clock().now())};
    const auto session = *driver->connect({.bounds = bounds}, system_clock());
    const std::string valid = "select indisvalid from pg_index where indrelid = "
                              "'ours.old_token'::regclass and not indisprimary";
    for (int i = 0; i < 2; ++i) {
        const auto made = session->index_tokens("ours.old_token", bounds);
        ASSERT_TRUE(made) << to_string(made.error());
        EXPECT_EQ(server->sql(valid), "t");
    }
    // As it is left behind by a CREATE INDEX CONCURRENTLY that was interrupted.
    server->sql("update pg_index set indisvalid = false where indexrelid = "
                "'ours.old_token_created_at'::regclass");
    const auto again = session->index_tokens("ours.old_token", bounds);
    ASSERT_TRUE(again) << to_string(again.error());
    EXPECT_EQ(server->sql(valid), "t");
}

// The processes of one host purge at the same time of the hour.
TEST_P(PurgeOnPostgres, adds_the_index_once_when_several_processes_come_at_once) {
    server->sql("create table perdure_token (token uuid primary key, attempt_id uuid, "
                "created_at timestamptz not null default now())");
    server->sql("insert into perdure_token (token) select md5(n::text)::uuid "
                "from generate_series(1, 200000) n");
    const Bounds bounds{.deadline = Deadline::in(60s, system_clock().now())};
    {
        std::vector<std::jthread> processes;
        for (int i = 0; i < 4; ++i)
            processes.emplace_back([&] {
                const auto session = *driver->connect({.bounds = bounds}, system_clock());
                const auto made = session->index_tokens("perdure_token", bounds);
                EXPECT_TRUE(made) << to_string(made.error());
            });
    }
    EXPECT_EQ(valid_indexes(), "1");
}

INSTANTIATE_TEST_SUITE_P(Versions, PurgeOnPostgres, ::testing::Values(12, 15, 18),
                         [](const auto& one) { return std::to_string(one.param); });

class PurgeOnMariadb : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = live::Mariadb::missing(); !why.empty()) GTEST_SKIP() << why;
        server = std::make_unique<live::Mariadb>();
    }
    // Of all sessions since the server was started.
    [[nodiscard]] long read(std::string_view how) const {
        return std::stol(server->sql("select variable_value from information_schema.global_status "
                                     "where variable_name = 'Handler_read_" +
                                     std::string{how} + "'"));
    }

    std::unique_ptr<live::Mariadb> server;
};

TEST_F(PurgeOnMariadb, deletes_the_old_ones_by_the_index) {
    Database database{
        *mariadb("mariadb://root@127.0.0.1:" + std::to_string(server->port()) + "/test"),
        with_tokens()};
    ASSERT_TRUE(make_token_table(database));
    server->sql("insert into perdure_token (token, created_at) select unhex(md5(seq)), "
                "current_timestamp(6) - interval 2 day + interval seq * 1000 microsecond "
                "from seq_1_to_" +
                std::to_string(old_tokens));
    server->sql("insert into perdure_token (token) select unhex(md5(concat('young', seq))) "
                "from seq_1_to_" +
                std::to_string(young_tokens));
    const long walked = read("rnd_next");
    const long by_index = read("next");
    const auto purged = purge_tokens(database);
    ASSERT_TRUE(purged) << to_string(purged.error());
    EXPECT_EQ(*purged, old_tokens);
    // Asking for the counters reads a few rows too. Each token is read once to find the batch's end and
    // once to delete it; a walk through the table would read young ones in each of 21 batches.
    EXPECT_LT(read("rnd_next") - walked, young_tokens);
    EXPECT_LT(read("next") - by_index, 2 * old_tokens + 1'000);
    EXPECT_EQ(server->sql("select count(*) from perdure_token"), std::to_string(young_tokens));
}

// A zone whose clocks were set back by an hour three hours ago: the hour before has its texts twice.
TEST_F(PurgeOnMariadb, is_not_stopped_by_an_hour_that_a_change_of_clocks_repeats) {
    server->sql(
        "insert into time_zone (time_zone_id) values (1); "
        "insert into time_zone_name values ('Test/Autumn', 1); "
        "insert into time_zone_transition_type values (1, 0, 7200, 1, 'S'), (1, 1, 3600, 0, 'W'); "
        "insert into time_zone_transition values (1, 0, 0), "
        "(1, unix_timestamp() - 3 * 3600, 1)",
        "mysql");
    server->sql("set global time_zone = 'Test/Autumn'");
    Database database{
        *mariadb("mariadb://root@127.0.0.1:" + std::to_string(server->port()) + "/test"),
        with_tokens({.tokens = {.keep_for = 1h}})};
    ASSERT_TRUE(make_token_table(database));
    server->sql("set time_zone = '+00:00'; "
                "insert into perdure_token (token, created_at) select unhex(md5(seq)), "
                "current_timestamp(6) - interval 7200 + seq second from seq_1_to_18000");
    EXPECT_EQ(purge_tokens(database).value_or(-1), 18'000);
    EXPECT_EQ(purge_tokens(database).value_or(-1), 0);
    const auto zone = database.query("select @@session.time_zone");
    EXPECT_EQ(zone->single<std::string>().value_or(""), "Test/Autumn") << "as the session had it";
}

}  // namespace
}  // namespace perdure::sql
