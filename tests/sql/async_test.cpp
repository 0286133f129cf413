// SPDX-License-Identifier: Apache-2.0
//
// Do coroutines get the same as those who wait, also when an attempt overruns or is stopped?
#include "perdure/sql/async.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "perdure/call/block_on.hpp"
#include "perdure/call/sleep.hpp"
#include "perdure/time/loop.hpp"
#include "sql/bank.hpp"
#include "sql/wait_for.hpp"

namespace perdure::sql {
namespace {

// The asynchronous twin of insert().
auto inserting(int id) {
    return [id](AsyncTransaction& tx) -> Task<Result<int>> {
        auto adding = tx.execute("insert into thing (id) values (?)", id);
        auto added = co_await adding;
        if (!added) co_return added.take_failure();
        co_return id;
    };
}

TEST(SqlTask, of_a_statement_and_a_query_give_what_the_waiting_calls_give) {
    Bank bank;
    const auto done = wait_for(start_execute(
        bank.database, {}, StatementCopy{"insert into thing values (?)", std::string{"7"}}));
    ASSERT_TRUE(done) << to_string(done.error());
    EXPECT_EQ(done->affected, 1);
    const auto rows =
        wait_for(start_query(bank.database, {}, StatementCopy{"select id from thing"}));
    ASSERT_TRUE(rows);
    EXPECT_EQ(rows->single<int>().value_or(-1), 7);
    const auto refused = wait_for(start_execute(bank.database, {}, StatementCopy{"begin"}));
    EXPECT_EQ(refused.error().code, "use-transact");
}

TEST(SqlTask, of_a_query_is_repeated_and_of_a_statement_only_if_that_is_harmless) {
    Bank bank;
    bank.faults.execute({Planned::fail_before});
    EXPECT_TRUE(wait_for(start_query(bank.database, {}, StatementCopy{"select 1"})));
    bank.faults.execute({Planned::fail_after});
    const auto done =
        wait_for(start_execute(bank.database, {}, StatementCopy{"insert into thing values (1)"}));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().effect, Effect::unknown);
    EXPECT_EQ(bank.things(), 1);
}

TEST(SqlTask, of_a_transaction_gives_its_value) {
    Bank bank;
    EXPECT_EQ(wait_for(start_transact(bank.database, {}, inserting(7))).value_or(-1), 7);
    EXPECT_EQ(bank.things(), 1);
    EXPECT_EQ(bank.database.counts().in_use, 0);
}

TEST(SqlTask, of_a_transaction_is_rolled_back_when_its_body_fails) {
    Bank bank;
    const auto body = [](AsyncTransaction& tx) -> Task<Result<void>> {
        auto adding = tx.execute("insert into thing values (1)");
        auto added = co_await adding;
        if (!added) co_return added.take_failure();
        co_return fail({.cause = Cause::conflict, .code = "no-funds"});
    };
    const auto done = wait_for(start_transact(bank.database, {}, body));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "no-funds");
    EXPECT_EQ(done.error().effect, Effect::none);
    EXPECT_EQ(bank.things(), 0);
}

// EF Core's point 18, the asynchronous forms.
TEST(SqlTask, p18_survives_faults_at_every_place) {
    const struct {
        const char* where;
        void (PlannedFaults::*plan)(std::initializer_list<Fault>);
    } places[] = {{"open", &PlannedFaults::open},
                  {"begin", &PlannedFaults::begin},
                  {"execute", &PlannedFaults::execute},
                  {"commit", &PlannedFaults::commit}};
    for (const auto& [where, plan] : places)
        for (const Planned lost : {Planned::fail_before, Planned::fail_after}) {
            SCOPED_TRACE(where);
            Bank bank{with_tokens()};
            (bank.faults.*plan)({lost});
            const auto done = wait_for(start_transact(bank.database, {}, inserting(7)));
            EXPECT_EQ(done.value_or(-1), 7);
            EXPECT_EQ(bank.things(), 1);
            EXPECT_EQ(bank.database.counts().in_use, 0);
        }
}

TEST(SqlTask, of_a_lost_commit_stays_unknown_without_a_token) {
    Bank bank;
    bank.faults.commit({Planned::fail_after});
    const auto done = wait_for(start_transact(bank.database, {}, inserting(7)));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().effect, Effect::unknown);
    EXPECT_EQ(done.error().attempts, 1);
    EXPECT_EQ(bank.things(), 1);
}

TEST(SqlTask, of_a_zombie_is_resolved_by_its_token) {
    for (const Ending ending : {Ending::rolls_back, Ending::commits}) {
        Bank bank{with_tokens()};
        bank.faults.commit({Fault::zombie(ending, 30ms)});
        EXPECT_EQ(wait_for(start_transact(bank.database, {}, inserting(7))).value_or(-1), 7);
        EXPECT_EQ(bank.things(), 1);
    }
}

// EF Core's point 13: where the caller's code goes on.
TEST(SqlTask, p13_runs_every_attempt_on_the_executors_thread) {
    Bank bank{with_tokens()};
    bank.faults.commit({Planned::fail_before});
    auto here = std::make_shared<std::vector<bool>>();
    const auto body = [here](AsyncTransaction& tx) -> Task<Result<void>> {
        here->push_back(default_executor().here());
        auto adding = tx.execute("insert into thing values (1)");
        auto added = co_await adding;
        here->push_back(default_executor().here());
        if (!added) co_return added.take_failure();
        co_return Result<void>{};
    };
    EXPECT_TRUE(wait_for(start_transact(bank.database, {}, body)));
    EXPECT_EQ(*here, (std::vector<bool>(4, true)));
}

TEST(SqlTask, passes_an_exception_of_its_body_through_and_rolls_back) {
    Bank bank;
    const auto body = [](AsyncTransaction& tx) -> Task<Result<void>> {
        auto adding = tx.execute("insert into thing values (1)");
        auto added = co_await adding;
        if (added) throw std::runtime_error{"mine"};
        co_return added.take_failure();
    };
    EXPECT_THROW(static_cast<void>(wait_for(start_transact(bank.database, {}, body))),
                 std::runtime_error);
    EXPECT_TRUE(transact(bank.database, {}, insert(2))) << "no lock is left behind";
    EXPECT_EQ(bank.things(), 1);
}

TEST(SqlTask, runs_a_transaction_of_ones_own_token_once) {
    Bank bank{with_tokens()};
    const Token token = Token::make();
    EXPECT_EQ(wait_for(start_transact(bank.database, {.token = token}, inserting(7))).value_or(-1),
              7);
    const auto again = wait_for(start_transact(bank.database, {.token = token}, inserting(7)));
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().effect, Effect::applied);
    const auto nothing = [](AsyncTransaction& tx) -> Task<Result<void>> {
        auto adding = tx.execute("insert into thing values (1)");
        auto added = co_await adding;
        if (!added) co_return added.take_failure();
        co_return Result<void>{};
    };
    EXPECT_TRUE(wait_for(start_transact(bank.database, {.token = token}, nothing)));
    EXPECT_EQ(bank.things(), 1);
}

// The first body goes on after its attempt was given up; it must not commit beside its successor.
TEST(SqlTask, that_overruns_its_attempt_can_no_longer_commit) {
    Plan plan = hasty(strategy(Product::sqlite));
    plan.attempt_timeout = 80ms;
    Bank bank{with_tokens({.plan = plan})};
    auto runs = std::make_shared<int>(0);
    auto first_ended = std::make_shared<std::latch>(1);
    const auto body = [runs, first_ended](AsyncTransaction& tx) -> Task<Result<int>> {
        const int run = ++*runs;
        auto adding = tx.execute("insert into thing values (?)", run);
        auto added = co_await adding;
        if (run == 1) {
            Executor& executor = default_executor();
            auto nap = sleep_until(executor, executor.clock().now() + 110ms);
            co_await nap;  // deaf to the stop
            first_ended->count_down();
            co_return run;
        }
        if (!added) co_return added.take_failure();
        co_return run;
    };
    const auto done = wait_for(start_transact(bank.database, {.deadline = 3s}, body));
    first_ended->wait();
    ASSERT_TRUE(done) << to_string(done.error());
    EXPECT_EQ(*done, 2);
    const auto rows = bank.plain.query("select id from thing");
    ASSERT_EQ(rows->size(), 1u);
    EXPECT_EQ(rows->single<int>().value_or(-1), 2);
}

TEST(SqlTask, is_stopped_in_a_statement_and_leaves_nothing) {
    Bank bank;
    std::stop_source stop;
    const auto body = [&stop](AsyncTransaction& tx) -> Task<Result<Rows>> {
        auto adding = tx.execute("insert into thing values (1)");
        auto added = co_await adding;
        if (!added) co_return added.take_failure();
        stop.request_stop();
        auto asking = tx.query("with recursive n(i) as (select 1 union all select i + 1 from n) "
                               "select count(*) from n");
        auto rows = co_await asking;
        co_return rows;
    };
    const auto done = wait_for(start_transact(bank.database, {.stop = stop.get_token()}, body));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().stop, perdure::Stop::cancelled);
    EXPECT_EQ(bank.things(), 0);
}

TEST(SqlTask, that_was_stopped_before_it_began_does_nothing) {
    Bank bank;
    std::stop_source stop;
    stop.request_stop();
    const auto done =
        wait_for(start_transact(bank.database, {.stop = stop.get_token()}, inserting(1)));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().effect, Effect::none);
    EXPECT_EQ(bank.things(), 0);
}

TEST(SqlTaskThreads, add_up_exactly_with_fewer_sessions_than_tasks) {
    DatabaseOptions options = with_tokens();
    options.pool.max_connections = 2;
    Bank bank{options};
    ASSERT_TRUE(bank.plain.execute("insert into thing values (0)"));
    bank.faults.by_chance({.seed = 5,
                           .execute = {.fail_before = 0.03},
                           .commit = {.fail_before = 0.05, .fail_after = 0.05}});
    std::atomic<int> done = 0;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 10; ++i) {
                const auto body = [](AsyncTransaction& tx) -> Task<Result<void>> {
                    auto adding = tx.execute("update thing set id = id + 1");
                    auto added = co_await adding;
                    if (!added) co_return added.take_failure();
                    co_return Result<void>{};
                };
                const auto added = wait_for(start_transact(bank.database, {}, body));
                if (added) ++done;
                else EXPECT_EQ(added.error().effect, Effect::none) << to_string(added.error());
            }
        });
    threads.clear();
    EXPECT_EQ(bank.plain.query("select id from thing")->single<int>().value_or(-1), done);
    EXPECT_GT(done, 40);
}

}  // namespace
}  // namespace perdure::sql
