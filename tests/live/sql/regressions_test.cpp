// SPDX-License-Identifier: Apache-2.0
//
// What only a real server does: procedures that commit in the middle, statements that commit by
// themselves, and another cluster behind the same name. Is an error then never taken for "nothing was
// done"?
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "live/support/mariadb.hpp"
#include "live/support/postgres.hpp"
#include "perdure/call/block_on.hpp"
#include "perdure/sql/async.hpp"
#include "perdure/sql/mariadb.hpp"
#include "perdure/sql/postgres.hpp"
#include "perdure/time/loop.hpp"
#include "sql/bank.hpp"

namespace perdure::sql {
namespace {

// One for all tests of a suite, with an empty table.
template <class Server>
class OnServer : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        if (Server::missing().empty()) server = std::make_unique<Server>();
    }
    static void TearDownTestSuite() { server.reset(); }
    void SetUp() override {
        if (!server) GTEST_SKIP() << Server::missing();
        server->sql("drop table if exists thing; create table thing (id integer)");
    }
    static std::string things() { return server->sql("select count(*) from thing"); }

    inline static std::unique_ptr<Server> server;
};

// It may have done its work, and did it once.
void expect_run_once(const Result<Done>& done) {
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().effect, Effect::unknown) << to_string(done.error());
    EXPECT_EQ(done.error().attempts, 1);
}

class PostgresPartly : public OnServer<live::Postgres> {
protected:
    static std::shared_ptr<Driver> driver() { return *postgres(server->url()); }
    static Bounds soon() { return {.deadline = Deadline::in(5s, system_clock().now())}; }
};

TEST_F(PostgresPartly, done_by_a_procedure_or_a_block_that_commits_is_unknown_and_not_repeated) {
    server->sql("create or replace procedure pay() language plpgsql as $$ begin "
                "insert into thing values (1); commit; "
                "raise exception 'lost' using errcode = '40001'; end $$");
    Database database{driver(), {.plan = hasty(strategy(Product::postgres))}};
    expect_run_once(database.execute("call pay()"));
    EXPECT_EQ(things(), "1");
    expect_run_once(
        database.execute("/* twice */ DO $$ begin insert into thing values (2); commit; "
                         "raise exception 'lost' using errcode = '40P01'; end $$"));
    EXPECT_EQ(things(), "2");
    EXPECT_EQ(database.counts().in_use, 0);
}

TEST_F(PostgresPartly, done_by_a_stream_is_not_begun_again) {
    Database database{driver(), {.codes = {.also_transient = {"22012"}}}};
    std::string seen;
    const auto note = [&](const Row& row) -> Result<void> {
        PERDURE_TRY_VALUE(const int number, row.get<int>(0));
        seen += std::to_string(number);
        return {};
    };
    const auto done =
        database.stream(note, "select g, 1 / (4 - g) from generate_series(1, 5) as g");
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "22012");
    EXPECT_EQ(seen, "123");
}

TEST_F(PostgresPartly, done_by_an_insert_whose_rows_were_refused_is_unknown) {
    Database database{driver(), {.most_bytes = 1}};
    const auto done =
        database.query({.safety = Safety::once}, "insert into thing values (1) returning id");
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "result-too-large");
    EXPECT_EQ(done.error().effect, Effect::unknown);
    EXPECT_EQ(things(), "1");
}

// A switch to another cluster behind the same name: there the number is a stranger's.
TEST_F(PostgresPartly, known_transactions_of_another_cluster_are_not_judged_by_their_number) {
    auto old = *driver()->connect({.bounds = soon()}, system_clock());
    auto fresh = *driver()->connect({.bounds = soon()}, system_clock());
    enum class Became : std::uint8_t { committed, rolled_back, still_open };
    for (const Became became : {Became::committed, Became::rolled_back, Became::still_open}) {
        SCOPED_TRACE(static_cast<int>(became));
        auto begun = old->begin({.noting = Noting::transaction}, soon());
        ASSERT_TRUE(begun) << to_string(begun.error());
        RowBuffer none{1000};
        ASSERT_TRUE(old->run({"insert into thing values (1)"}, none, soon()));
        ASSERT_TRUE(old->note(begun->doubt, soon()));
        Doubt foreign = begun->doubt;
        foreign.fence = "7000000000000000001" + foreign.fence.substr(foreign.fence.find('/'));
        if (became == Became::committed) {
            ASSERT_TRUE(old->commit(soon()));
        }
        if (became == Became::rolled_back) old->roll_back(soon());
        const auto outcome = fresh->outcome_of(foreign, soon());
        ASSERT_TRUE(outcome) << to_string(outcome.error());
        EXPECT_EQ(outcome->verdict(), Verdict::unknown);
        const auto remains = fresh->end_old(foreign, soon());
        ASSERT_TRUE(remains) << to_string(remains.error());
        EXPECT_EQ(*remains, Remains::cannot_tell);
        if (became == Became::still_open) {
            EXPECT_TRUE(old->commit(soon())) << "a stranger's session is left alone";
        }
    }
}

class MariadbPartly : public OnServer<live::Mariadb> {
protected:
    static std::shared_ptr<Driver> driver() {
        return *mariadb("mariadb://root@127.0.0.1:" + std::to_string(server->port()) + "/test");
    }
};

TEST_F(MariadbPartly, done_by_a_procedure_is_unknown_and_not_repeated) {
    Database database{driver(), {.plan = hasty(strategy(Product::mariadb))}};
    ASSERT_TRUE(database.execute("create or replace procedure pay() begin "
                                 "insert into thing values (1); "
                                 "signal sqlstate '40001' set mysql_errno = 1213; end"));
    expect_run_once(database.execute("call pay()"));
    EXPECT_EQ(things(), "1");
}

TEST_F(MariadbPartly, done_by_an_insert_whose_rows_were_refused_is_unknown) {
    Database database{driver(), {.most_bytes = 1}};
    const auto done =
        database.query({.safety = Safety::once}, "insert into thing values (1) returning id");
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().effect, Effect::unknown);
    EXPECT_EQ(things(), "1");
}

// CREATE TABLE commits what was there, the token too; the rest of the body is not done.
TEST_F(MariadbPartly, done_by_an_implicit_commit_is_no_success_with_and_without_a_token) {
    const std::string_view body[] = {"insert into thing values (1)",
                                     "create table if not exists another (id integer)",
                                     "insert into thing values (2)"};
    const auto waiting = [&](Database& database) {
        return transact(database, {}, [&](Transaction& tx) -> Result<void> {
            for (const std::string_view text : body) PERDURE_TRY(tx.execute(text));
            return {};
        });
    };
    const auto awaited = [&](Database& database) {
        const auto run = [&](AsyncTransaction& tx) -> Task<Result<void>> {
            for (const std::string_view text : body) {
                auto running = tx.execute(text);
                auto done = co_await running;
                if (!done) co_return done.take_failure();
            }
            co_return Result<void>{};
        };
        return block_on(default_executor(), start_transact(database, {}, run));
    };
    int expected = 0;
    for (const bool tokens : {false, true}) {
        Database database{driver(), tokens ? with_tokens() : DatabaseOptions{}};
        for (const bool waits : {true, false}) {
            const auto done = waits ? waiting(database) : awaited(database);
            ASSERT_FALSE(done) << "tokens " << tokens << ", waiting " << waits;
            EXPECT_EQ(done.error().code, "implicit-commit");
            EXPECT_EQ(done.error().effect, Effect::unknown);
            EXPECT_EQ(done.error().attempts, 1);
            EXPECT_EQ(things(), std::to_string(++expected)) << "the first row, once";
        }
    }
}

// It is in a transaction again afterwards, and looks as if nothing had happened.
TEST_F(MariadbPartly, done_by_a_procedure_that_ends_the_transaction_it_was_called_in_is_unknown) {
    Database plain{driver()};
    ASSERT_TRUE(plain.execute("create or replace procedure split() begin "
                              "insert into thing values (2); commit; start transaction; end"));
    int expected = 0;
    for (const bool tokens : {false, true}) {
        SCOPED_TRACE(tokens);
        Database database{driver(), tokens ? with_tokens() : DatabaseOptions{}};
        int runs = 0;
        const auto done = transact(database, {}, [&](Transaction& tx) -> Result<void> {
            PERDURE_TRY(tx.execute("insert into thing values (1)"));
            PERDURE_TRY(tx.execute("call split()"));
            if (++runs == 1) return fail({.cause = Cause::contended, .effect = Effect::none});
            PERDURE_TRY(tx.execute("insert into thing values (3)"));
            return {};
        });
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().effect, Effect::unknown) << to_string(done.error());
        EXPECT_EQ(done.error().attempts, 1);
        EXPECT_EQ(things(), std::to_string(expected += 2));
    }
}

}  // namespace
}  // namespace perdure::sql
