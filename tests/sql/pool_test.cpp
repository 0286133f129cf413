// SPDX-License-Identifier: Apache-2.0
//
// Are sessions used again when they are good, dropped when they are not, and never more than allowed?
#include <gtest/gtest.h>

#include <latch>
#include <stop_token>
#include <thread>

#include "perdure/sql/manual.hpp"
#include "sql/bank.hpp"

namespace perdure::sql {
namespace {

DatabaseOptions with_sessions(int most) {
    DatabaseOptions options;
    options.pool.max_connections = most;
    return options;
}

TEST(SqlPool, uses_a_good_session_again) {
    Bank bank;
    for (int i = 0; i < 5; ++i) {
        EXPECT_TRUE(bank.database.query("select 1"));
        EXPECT_TRUE(transact(bank.database, {}, insert(i)));
        EXPECT_FALSE(bank.database.query("select nonsense"));
    }
    EXPECT_EQ(bank.faults.counts().opens, 1);
    EXPECT_EQ(bank.database.counts().idle, 1);
}

TEST(SqlPool, drops_a_session_that_broke) {
    Bank bank;
    EXPECT_TRUE(bank.database.query("select 1"));
    bank.faults.execute({Planned::fail_before});
    EXPECT_TRUE(bank.database.query("select 1"));
    EXPECT_EQ(bank.faults.counts().opens, 2);
    EXPECT_EQ(bank.database.counts().idle, 1);
}

TEST(SqlPool, opens_sessions_before_they_are_needed) {
    Bank bank;
    EXPECT_TRUE(bank.database.prewarm(3));
    EXPECT_EQ(bank.database.counts().idle, 3);
    EXPECT_TRUE(bank.database.query("select 1"));
    EXPECT_EQ(bank.faults.counts().opens, 3);
    bank.database.clear();
    bank.faults.open({Planned::fail_before});
    EXPECT_FALSE(bank.database.prewarm(1)) << "and does not repeat that";
    EXPECT_EQ(bank.database.counts().in_use, 0);
}

TEST(SqlPool, closes_what_is_idle_when_told_and_what_is_in_use_when_it_comes_back) {
    Bank bank;
    ASSERT_TRUE(bank.database.prewarm(2));
    auto held = WithoutRetries{bank.database}.begin();
    ASSERT_TRUE(held);
    bank.database.clear();
    EXPECT_EQ(bank.database.counts().idle, 0);
    EXPECT_TRUE(held->commit());
    EXPECT_EQ(bank.database.counts().idle, 0);
    EXPECT_TRUE(bank.database.query("select 1"));
    EXPECT_EQ(bank.faults.counts().opens, 3);
}

TEST(SqlPool, is_cleared_by_a_failure_that_says_the_servers_have_changed_places) {
    for (const Failure& moved :
         {Failure{.cause = Cause::unavailable, .effect = Effect::none, .rule = "failover"},
          Failure{.cause = Cause::stale_route,
                  .effect = Effect::none,
                  .remedies = Remedy::refresh_routing_account}}) {
        Bank bank;
        ASSERT_TRUE(bank.database.prewarm(3));
        bank.faults.execute({{Planned::fail_before, moved}});
        EXPECT_TRUE(bank.database.query("select 1"));
        EXPECT_EQ(bank.database.counts().idle, 1) << "only the one that was made since";
        EXPECT_EQ(bank.faults.counts().opens, 4);
    }
}

TEST(SqlPool, does_not_use_a_session_whose_file_was_taken_away_nor_make_a_new_file) {
    const OwnFolder folder;
    const std::string file = folder.file("moving.db");
    Database database{*sqlite(file)};
    ASSERT_TRUE(database.execute("create table thing (id integer)"));
    ASSERT_EQ(database.counts().idle, 1);
    std::filesystem::rename(file, folder.file("moved.db"));
    const auto done = database.execute({.deadline = 300ms}, "create table thing (id integer)");
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().effect, Effect::none) << to_string(done.error());
    EXPECT_FALSE(std::filesystem::exists(file));
    std::filesystem::rename(folder.file("moved.db"), file);
    EXPECT_TRUE(database.execute("insert into thing values (1)"));
}

TEST(SqlPool, makes_the_next_one_wait_until_its_deadline) {
    Bank bank{with_sessions(1)};
    auto held = WithoutRetries{bank.database}.begin();
    ASSERT_TRUE(held);
    const auto done = bank.database.query({.deadline = 50ms}, "select 1");
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().cause, Cause::exhausted);
    EXPECT_EQ(done.error().code, "pool-full");
    EXPECT_EQ(done.error().effect, Effect::none);
    EXPECT_NE(done.error().message.find("max_connections"), std::string::npos);
    EXPECT_LT(done.error().elapsed, 550ms);
    EXPECT_EQ(bank.database.counts().waiting, 0);
    EXPECT_TRUE(held->commit());
    EXPECT_TRUE(bank.database.query("select 1"));
}

TEST(SqlPool, gives_its_place_back_when_no_session_could_be_opened) {
    Bank bank{with_sessions(1)};
    bank.faults.open({Planned::fail_before, Planned::fail_after});
    EXPECT_TRUE(bank.database.query("select 1"));
    EXPECT_EQ(bank.database.counts().in_use, 0);
}

TEST(SqlPoolThreads, are_stopped_while_they_wait_for_a_session) {
    Bank bank{with_sessions(1)};
    auto held = WithoutRetries{bank.database}.begin();
    ASSERT_TRUE(held);
    std::stop_source stop;
    const std::jthread stopper{[&] {
        while (bank.database.counts().waiting == 0) std::this_thread::yield();
        stop.request_stop();
    }};
    const auto done = transact(bank.database, {.stop = stop.get_token()}, insert(1));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().cause, Cause::cancelled);
    EXPECT_EQ(done.error().stop, perdure::Stop::cancelled);
    EXPECT_EQ(done.error().effect, Effect::none);
    EXPECT_EQ(bank.database.counts().waiting, 0);
}

TEST(SqlPoolThreads, are_handed_a_session_in_the_order_they_came) {
    Bank bank{with_sessions(1)};
    auto held = WithoutRetries{bank.database}.begin();
    ASSERT_TRUE(held);
    std::vector<int> order;  // written by whoever has the only session
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&bank, &order, i] {
            EXPECT_TRUE(transact(bank.database, {}, [&](Transaction&) -> Result<void> {
                order.push_back(i);
                return {};
            }));
        });
        while (bank.database.counts().waiting != i + 1) std::this_thread::yield();
    }
    held->roll_back();
    threads.clear();
    EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
    EXPECT_EQ(bank.faults.counts().opens, 1);
}

}  // namespace
}  // namespace perdure::sql
