// SPDX-License-Identifier: Apache-2.0
//
// PostgreSQL 12, 15 and 18: does the driver keep its promises on the oldest and on the newest as on
// Debian's own?
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "live/support/postgres.hpp"
#include "live/support/sql_link.hpp"
#include "perdure/sql/postgres.hpp"
#include "sql/bank.hpp"

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
    // As a session of the driver sees it.
    [[nodiscard]] std::string fence() const {
        const Bounds bounds{.deadline = Deadline::in(10s, system_clock().now())};
        const auto driver = *postgres(server->url());
        const auto session = *driver->connect({.bounds = bounds}, system_clock());
        const auto begun = session->begin({.noting = Noting::transaction}, bounds);
        EXPECT_FALSE(begun->doubt.fence.empty());
        return begun->doubt.fence;
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

// Something that happens to the server between a lost COMMIT and the first question about it.
class BeforeTheQuestion final : public Observer {
public:
    void on_event(const Event& event) noexcept override {
        if (event.kind == EventKind::asking && then) std::exchange(then, {})();
    }
    std::function<void()> then{};
};

class PostgresVersion : public OnEachPostgres {
protected:
    // Directly if there is no link.
    Database database(const live::SqlLink* link, TokenUse tokens = TokenUse::off) {
        return Database{*postgres(link ? live::postgres_url(link->port()) : server->url()),
                        {.plan = hasty(strategy(Product::postgres)),
                         .tokens = {.use = tokens, .purge_every = {}}},
                        {.observer = &watching}};
    }
    // A transaction whose COMMIT is lost, and what happens to the server then.
    Result<int> lose(live::Lost what, TokenUse tokens, const std::function<void()>& then = {},
                     const std::string& statement = "insert into thing values (7)") {
        live::SqlLink link{server->port()};
        Database ours = database(&link, tokens);
        if (tokens != TokenUse::off) {
            EXPECT_TRUE(make_token_table(ours));
        }
        link.cut_next(what);
        watching.then = then;
        return transact(ours, {.deadline = 30s}, [&](Transaction& tx) -> Result<int> {
            PERDURE_TRY(tx.query("select count(*) from thing"));
            PERDURE_TRY(tx.query(statement));
            PERDURE_TRY_VALUE(const Rows id, tx.query("select txid_current()::text"));
            if (number.empty()) number = id.single<std::string>().value();
            return 7;
        });
    }
    void crash() const {
        server->kill9();
        server->start();
    }
    // Other transactions, until one has had this number.
    void use_again() const {
        const std::string insert = "insert into other values (1) returning txid_current()";
        ASSERT_TRUE(live::becomes_true(
            [&] { return std::stoull(server->sql(insert)) >= std::stoull(number); }));
        ASSERT_EQ(server->sql("select txid_status(" + number + ")"), "committed");
    }
    void expect_asked() const { EXPECT_FALSE(watching.then) << "nobody asked"; }
    // By the server's word, without a token.
    static void expect_known(const Result<int>& done) {
        ASSERT_TRUE(done) << to_string(done.error());
        EXPECT_EQ(*done, 7);
    }

    BeforeTheQuestion watching;
    std::string number;  // of the transaction that lose() began
};

TEST_P(PostgresVersion, commits_and_rolls_back_with_and_without_tokens) {
    for (const TokenUse tokens : {TokenUse::off, TokenUse::create}) {
        server->sql("truncate thing");
        Database ours = database(nullptr, tokens);
        const auto done = transact(ours, {}, insert(7));
        ASSERT_TRUE(done) << to_string(done.error());
        EXPECT_FALSE(transact(ours, {}, [](Transaction& tx) -> Result<int> {
            PERDURE_TRY(tx.execute("insert into thing values (8)"));
            return fail({.cause = Cause::invalid, .effect = Effect::none});
        }));
        EXPECT_EQ(server->sql("select id from thing"), "7");
    }
}

TEST_P(PostgresVersion, knows_that_a_commit_was_done_whose_answer_was_lost) {
    const auto alone = lose(live::Lost::answered, TokenUse::off);
    expect_known(alone);
    EXPECT_EQ(things(), "1");
    const auto with_a_token = lose(live::Lost::answered, TokenUse::create);
    ASSERT_TRUE(with_a_token) << to_string(with_a_token.error());
    EXPECT_EQ(things(), "2");
}

// Its words do not show that it writes.
TEST_P(PostgresVersion, knows_that_a_commit_was_done_of_a_function_that_wrote) {
    server->sql("create or replace function add_thing() returns integer language sql as "
                "'insert into thing values (7) returning id'");
    const auto done = lose(live::Lost::answered, TokenUse::off, {}, "select add_thing()");
    expect_known(done);
    EXPECT_EQ(things(), "1");
}

TEST_P(PostgresVersion, repeats_a_transaction_whose_commit_did_not_arrive) {
    const auto alone = lose(live::Lost::before, TokenUse::off);
    expect_known(alone);
    EXPECT_EQ(things(), "1");
    server->sql("truncate thing");
    const auto with_a_token = lose(live::Lost::before, TokenUse::create);
    ASSERT_TRUE(with_a_token) << to_string(with_a_token.error());
    EXPECT_EQ(things(), "1");
}

TEST_P(PostgresVersion, says_unknown_of_a_commit_that_a_crash_followed) {
    const auto done = lose(live::Lost::answered, TokenUse::off, [&] { crash(); });
    expect_asked();
    ASSERT_FALSE(done) << "numbers may have been handed out again";
    EXPECT_EQ(done.error().effect, Effect::unknown) << to_string(done.error());
    EXPECT_EQ(things(), "1");
}

TEST_P(PostgresVersion, does_not_take_a_number_used_again_after_a_crash_for_ours) {
    server->sql("create table if not exists other (id integer)");
    const auto done = lose(live::Lost::half_open, TokenUse::off, [&] {
        crash();
        use_again();
    });
    expect_asked();
    ASSERT_FALSE(done) << "the committed one was another";
    EXPECT_EQ(done.error().effect, Effect::unknown) << to_string(done.error());
    EXPECT_EQ(things(), "0");
}

TEST_P(PostgresVersion, finds_its_token_or_none_after_a_crash) {
    for (const live::Lost what : {live::Lost::answered, live::Lost::half_open}) {
        server->sql("truncate thing");
        const auto done = lose(what, TokenUse::create, [&] { crash(); });
        EXPECT_FALSE(watching.then) << "nobody asked";
        ASSERT_TRUE(done) << to_string(done.error());
        EXPECT_EQ(things(), "1");
    }
}

// Whoever locks a table first wants to see what is there then, not what was there at BEGIN.
TEST_P(PostgresVersion, takes_no_snapshot_before_the_first_statement_of_the_body) {
    Database ours = database(nullptr);
    for (const Isolation isolation : {Isolation::repeatable_read, Isolation::serializable}) {
        server->sql("truncate thing");
        const auto seen =
            transact(ours, {.isolation = isolation}, [&](Transaction& tx) -> Result<std::int64_t> {
                server->sql("insert into thing values (1)");
                PERDURE_TRY(tx.execute("lock table thing in share mode"));
                PERDURE_TRY_VALUE(const Rows rows, tx.query("select count(*) from thing"));
                return rows.single<std::int64_t>();
            });
        ASSERT_TRUE(seen) << to_string(seen.error());
        EXPECT_EQ(*seen, 1);
    }
}

TEST_P(PostgresVersion, takes_no_transaction_id_for_a_transaction_that_only_reads) {
    const std::string next = "select txid_snapshot_xmax(txid_current_snapshot())";
    Database ours = database(nullptr);
    const std::string before = server->sql(next);
    for (int i = 0; i < 10; ++i) {
        const auto done = transact(ours, {}, [](Transaction& tx) -> Result<std::int64_t> {
            PERDURE_TRY_VALUE(const Rows rows, tx.query("select count(*) from thing"));
            return rows.single<std::int64_t>();
        });
        ASSERT_TRUE(done) << to_string(done.error());
    }
    EXPECT_EQ(server->sql(next), before);
}

// As row-level security has it: the setting ends with the transaction.
TEST_P(PostgresVersion, keeps_the_session_after_set_config_for_the_transaction_alone) {
    Database ours = database(nullptr);
    std::set<std::int64_t> sessions;
    for (int i = 0; i < 5; ++i) {
        const auto session = transact(ours, {}, [](Transaction& tx) -> Result<std::int64_t> {
            PERDURE_TRY(tx.query("select set_config('app.tenant', ?, true)", "7"));
            PERDURE_TRY_VALUE(const Rows rows, tx.query("select pg_backend_pid()"));
            return rows.single<std::int64_t>();
        });
        ASSERT_TRUE(session) << to_string(session.error());
        sessions.insert(*session);
    }
    EXPECT_EQ(sessions.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Versions, PostgresVersion, ::testing::Values(12, 15, 18),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace perdure::sql
