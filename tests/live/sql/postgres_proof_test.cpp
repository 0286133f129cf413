// SPDX-License-Identifier: Apache-2.0
//
// What does a transaction ask of PostgreSQL besides the user's own statements, and when? What becomes
// of a lost COMMIT on a server that lacks the functions? And does the server stop when we have gone?
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "live/support/pgbouncer.hpp"
#include "live/support/postgres.hpp"
#include "perdure/sql/postgres.hpp"
#include "sql/bank.hpp"

namespace perdure::sql {
namespace {

class PostgresProof : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        if (live::Postgres::missing().empty())
            server = std::make_unique<live::Postgres>(
                live::PostgresOptions{.settings = {"allow_system_table_mods=on"}});
    }
    static void TearDownTestSuite() { server.reset(); }
    void SetUp() override {
        if (!server) GTEST_SKIP() << live::Postgres::missing();
        server->sql("drop table if exists thing; create table thing (id integer)");
    }
    std::shared_ptr<Driver> faulty() { return with_faults(*postgres(server->url()), faults); }
    static std::string things() { return server->sql("select count(*) from thing"); }
    static std::int64_t next_number() {
        return std::stoll(server->sql("select pg_snapshot_xmax(pg_current_snapshot())"));
    }

    inline static std::unique_ptr<live::Postgres> server;
    PlannedFaults faults;
};

// As a function that the server does not have.
class Without {
public:
    Without(live::Postgres& server, std::string function)
        : server_{server}, function_{std::move(function)} {
        server_.sql("alter function pg_catalog." + function_ + "() rename to hidden");
    }
    Without(const Without&) = delete;
    Without& operator=(const Without&) = delete;
    ~Without() { server_.sql("alter function pg_catalog.hidden() rename to " + function_); }

private:
    live::Postgres& server_;
    std::string function_;
};

constexpr std::string_view counting = "select count(*) from thing";

TEST_F(PostgresProof, of_a_snapshot_that_lasts_begins_after_lock_table) {
    Database other{*postgres(server->url())};
    const struct {
        Isolation isolation;
        TokenUse tokens;
    } cases[] = {
        {Isolation::repeatable_read, TokenUse::off},
        {Isolation::serializable, TokenUse::off},
        {Isolation::repeatable_read, TokenUse::create},
        {Isolation::serializable, TokenUse::create},
    };
    for (const auto& [isolation, tokens] : cases) {
        SCOPED_TRACE(static_cast<int>(isolation) * 10 + static_cast<int>(tokens));
        Database ours{*postgres(server->url()), {.tokens = {.use = tokens}}};
        server->sql("truncate thing");
        const auto seen =
            transact(ours, {.isolation = isolation}, [&](Transaction& tx) -> Result<std::int64_t> {
                PERDURE_TRY(other.execute("insert into thing values (1)"));
                PERDURE_TRY(tx.execute("lock table thing in share mode"));
                PERDURE_TRY_VALUE(const auto rows, tx.query(counting));
                return rows.single<std::int64_t>();
            });
        EXPECT_EQ(seen.value_or(-1), 1);
    }
}

TEST_F(PostgresProof, of_the_server_default_that_lasts_begins_after_lock_table_too) {
    Database ours{*postgres(server->url() + "?options=-c%20default_transaction_isolation%3D"
                                            "repeatable%5C%20read"),
                  with_tokens()};
    Database other{*postgres(server->url())};
    const auto seen = transact(ours, {}, [&](Transaction& tx) -> Result<std::int64_t> {
        PERDURE_TRY(other.execute("insert into thing values (1)"));
        PERDURE_TRY(tx.execute("lock table thing in share mode"));
        PERDURE_TRY_VALUE(const auto rows, tx.query(counting));
        return rows.single<std::int64_t>();
    });
    ASSERT_TRUE(seen) << to_string(seen.error());
    EXPECT_EQ(*seen, 1);
}

TEST_F(PostgresProof, of_a_token_that_comes_late_still_runs_the_work_once) {
    Database ours{faulty(), with_tokens()};
    const Token token = Token::make();
    const TransactOptions options{.isolation = Isolation::repeatable_read, .token = token};
    faults.commit({Planned::fail_after});
    EXPECT_EQ(transact(ours, options, insert(7)).value_or(-1), 7) << "found out by the token";
    const auto again = transact(ours, options, insert(8));
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, "token-taken");
    EXPECT_EQ(again.error().effect, Effect::applied);
    EXPECT_EQ(things(), "1");
    // A body that says nothing leaves its token too.
    const Token empty = Token::make();
    const auto nothing = [](Transaction&) -> Result<int> { return 3; };
    const TransactOptions idle{.isolation = Isolation::repeatable_read, .token = empty};
    EXPECT_EQ(transact(ours, idle, nothing).value_or(-1), 3);
    EXPECT_EQ(transact(ours, idle, nothing).error().code, "token-taken");
    // And without a value, to find it done is to have done it.
    const auto quiet = [](Transaction& tx) -> Result<void> {
        PERDURE_TRY(tx.execute("insert into thing values (9)"));
        return {};
    };
    EXPECT_TRUE(transact(ours, options, quiet));
    EXPECT_EQ(things(), "1");
}

TEST_F(PostgresProof, costs_no_transaction_id_where_nothing_is_written) {
    Database ours{*postgres(server->url())};
    const auto read = [](Transaction& tx) -> Result<void> {
        PERDURE_TRY(tx.query(counting));
        return {};
    };
    ASSERT_TRUE(transact(ours, {}, read));
    const std::int64_t before = next_number();
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(transact(ours, {}, read));
    EXPECT_EQ(next_number(), before);
}

TEST_F(PostgresProof, of_a_commit_that_had_nothing_to_commit_needs_no_question) {
    Database ours{faulty()};
    faults.commit({Planned::fail_before});
    const auto seen = transact(ours, {}, [](Transaction& tx) -> Result<std::int64_t> {
        PERDURE_TRY_VALUE(const auto rows, tx.query(counting));
        return rows.single<std::int64_t>();
    });
    EXPECT_EQ(seen.value_or(-1), 0) << "it was read again";
}

// What the first write of a transaction is decides when its number is asked for; all ways must end in it.
TEST_F(PostgresProof, of_a_lost_commit_is_there_whichever_statement_wrote_first) {
    server->sql("create or replace function add_thing() returns int language sql as "
                "'insert into thing values (1) returning id'");
    for (const std::string_view statement :
         {"insert into thing values (1)", "insert into thing values (1) returning id",
          "with new as (insert into thing values (1) returning id) select * from new",
          "select add_thing()", "do 'begin insert into thing values (1); end'"}) {
        SCOPED_TRACE(statement);
        server->sql("truncate thing");
        Database ours{faulty()};
        const auto body = [&](Transaction& tx) -> Result<int> {
            PERDURE_TRY(tx.query(statement));
            return 1;
        };
        faults.commit({Planned::fail_after});
        const auto done = transact(ours, {}, body);
        ASSERT_TRUE(done) << to_string(done.error());
        EXPECT_EQ(things(), "1");
        faults.commit({Planned::fail_before});
        ASSERT_TRUE(transact(ours, {}, body));
        EXPECT_EQ(things(), "2");
    }
}

TEST_F(PostgresProof, of_a_notification_is_there_though_no_row_was_written) {
    Database ours{faulty()};
    for (const std::string_view statement :
         {"select pg_notify('news', 'x')", "notify news", "SELECT PG_NOTIFY('news', 'y')"}) {
        SCOPED_TRACE(statement);
        int ran = 0;
        faults.commit({Planned::fail_after});
        const auto done = transact(ours, {}, [&](Transaction& tx) -> Result<void> {
            ++ran;
            PERDURE_TRY(tx.execute(statement));
            return {};
        });
        EXPECT_TRUE(done) << to_string(done.error());
        EXPECT_EQ(ran, 1) << "listeners would hear it twice";
    }
}

TEST_F(PostgresProof, that_is_missing_is_named_and_tokens_make_up_for_it) {
    for (const char* const function : {"pg_current_xact_id_if_assigned", "pg_control_system"}) {
        SCOPED_TRACE(function);
        server->sql("truncate thing");
        const Without hidden{*server, function};
        Database ours{faulty()};
        ASSERT_TRUE(transact(ours, {}, insert(1))) << "it works, with less proved";
        faults.commit({Planned::fail_after});
        const auto lost = transact(ours, {}, insert(2));
        ASSERT_FALSE(lost);
        EXPECT_EQ(lost.error().effect, Effect::unknown);
        EXPECT_NE(lost.error().message.find("cannot be read (42883)"), std::string::npos)
            << lost.error().message;
        EXPECT_NE(lost.error().message.find("Tokens"), std::string::npos);
        Database with{faulty(), with_tokens()};
        faults.commit({Planned::fail_after});
        EXPECT_EQ(transact(with, {}, insert(3)).value_or(-1), 3);
        EXPECT_EQ(things(), "3");
    }
}

TEST_F(PostgresProof, that_a_session_was_lost_ends_it_before_the_work_is_repeated) {
    Database ours{*postgres(server->url())};
    std::string first;
    int attempts = 0;
    const auto done = transact(ours, {}, [&](Transaction& tx) -> Result<void> {
        PERDURE_TRY_VALUE(const auto pid, tx.query("select pg_backend_pid()::text"));
        PERDURE_TRY(tx.execute("insert into thing values (1)"));
        if (++attempts > 1) return {};
        first = pid.single<std::string>().value();
        server->sql("select pg_terminate_backend(" + first + ")");
        PERDURE_TRY(tx.execute("insert into thing values (2)"));
        return {};
    });
    ASSERT_TRUE(done) << to_string(done.error());
    EXPECT_EQ(attempts, 2);
    EXPECT_EQ(things(), "1");
    EXPECT_EQ(server->sql("select count(*) from pg_stat_activity where pid = " + first), "0");
}

// A write by itself that takes longer than its time: the server ends it and says so.
TEST_F(PostgresProof, that_a_write_by_itself_was_cut_off_comes_from_the_server) {
    server->sql("create or replace function slow() returns int language sql as "
                "'select pg_sleep(30); select 1'");
    Database ours{*postgres(server->url())};
    // A short deadline, so that the test is.
    const auto late = ours.execute({.deadline = 1s}, "insert into thing select slow()");
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().effect, Effect::none) << to_string(late.error());
    EXPECT_EQ(things(), "0");
    EXPECT_EQ(server->sql("select count(*) from pg_stat_activity where state = 'active' and "
                          "query like 'insert%slow%'"),
              "0");
    // The limit went with its statement.
    EXPECT_EQ(ours.query("select current_setting('statement_timeout')")
                  .value()
                  .single<std::string>()
                  .value(),
              "0");
}

TEST_F(PostgresProof, that_a_write_by_itself_failed_at_its_end_is_not_lost) {
    server->sql("drop table if exists unique_thing; create table unique_thing (id int unique "
                "deferrable initially deferred)");
    Database ours{*postgres(server->url())};
    ASSERT_TRUE(ours.execute("insert into unique_thing values (1)"));
    const auto twice = ours.execute("insert into unique_thing values (1)");
    ASSERT_FALSE(twice) << "it fails when the server commits, after it has counted the row";
    EXPECT_EQ(twice.error().code, "23505");
    EXPECT_EQ(twice.error().effect, Effect::none);
    EXPECT_EQ(ours.execute("insert into unique_thing values (2), (3)").value().affected, 2);
    EXPECT_EQ(ours.counts().in_use, 0);
}

TEST_F(PostgresProof, works_behind_a_pooler_as_well) {
    if (!live::Pgbouncer::missing().empty()) GTEST_SKIP() << live::Pgbouncer::missing();
    live::Pgbouncer pooler{server->port()};
    Database ours{with_faults(*postgres(pooler.url(), {.pooler = Pooler::transaction}), faults)};
    ASSERT_TRUE(ours.execute("insert into thing values (0)"));
    faults.commit({Planned::fail_after});
    EXPECT_EQ(transact(ours, {}, insert(1)).value_or(-1), 1);
    faults.commit({Planned::fail_before});
    EXPECT_EQ(transact(ours, {}, insert(2)).value_or(-1), 2);
    EXPECT_EQ(things(), "3");
    const auto late =
        ours.execute({.deadline = 1s}, "insert into thing select 1 from pg_sleep(30)");
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().effect, Effect::none) << to_string(late.error());
}

}  // namespace
}  // namespace perdure::sql
