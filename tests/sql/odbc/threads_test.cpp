// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "sql/odbc/fault_server.hpp"

namespace perdure::sql {
namespace {

// A driver that heeds no timeout, in every place where it may hang.
class OdbcThreads : public FaultServer {
protected:
    static Duration took(TimePoint since) { return system_clock().now() - since; }
};

TEST_F(OdbcThreads, leaves_a_connect_that_hangs_at_the_deadline) {
    plan("open 1 hang");
    const TimePoint start = system_clock().now();
    const auto session = driver_->connect({.bounds = within(50ms)}, system_clock());
    EXPECT_LT(took(start), 550ms);
    ASSERT_FALSE(session);
    EXPECT_EQ(session.error().cause, Cause::timed_out);
    EXPECT_EQ(session.error().code, "deadline");
    EXPECT_EQ(session.error().effect, Effect::none);
    release();
    await("closes", 1);  // it came about after all, and was closed
}

TEST_F(OdbcThreads, leaves_a_statement_that_hangs_and_calls_it_unknown) {
    auto session = connect();
    plan("execute 1 hang");
    const TimePoint start = system_clock().now();
    const auto done = run(*session, "insert into t values (1)", {}, within(50ms));
    EXPECT_LT(took(start), 550ms);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "deadline");
    EXPECT_EQ(done.error().effect, Effect::unknown);
    EXPECT_EQ(session->state(), State::broken);
    EXPECT_FALSE(session->still_good());
    const auto after = run(*session, "insert into t values (1)");
    ASSERT_FALSE(after);
    EXPECT_EQ(after.error().effect, Effect::none);
    session.reset();
    EXPECT_EQ(count("links"), 1) << "the driver has not come back yet";
    release();
    await("links", 0);
    EXPECT_EQ(count("rows"), 1) << "unknown was the right word";
}

TEST_F(OdbcThreads, leaves_a_statement_in_a_transaction_which_then_is_rolled_back) {
    auto session = connect();
    ASSERT_TRUE(session->begin({}, within(5s)));
    plan("execute 1 hang");
    const auto done = run(*session, "insert into t values (1)", {}, within(50ms));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().effect, Effect::none);
    EXPECT_EQ(session->state(), State::broken);
    const auto committed = session->commit(within(1s));
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().effect, Effect::none);
    release();
    await("links", 0);
    EXPECT_EQ(count("rows"), 0);
}

TEST_F(OdbcThreads, leaves_a_commit_that_hangs_and_calls_it_unknown) {
    auto session = connect();
    ASSERT_TRUE(session->begin({}, within(5s)));
    ASSERT_TRUE(run(*session, "insert into t values (1)"));
    plan("commit 1 hang");
    const TimePoint start = system_clock().now();
    const auto committed = session->commit(within(50ms));
    EXPECT_LT(took(start), 550ms);
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().effect, Effect::unknown);
    EXPECT_EQ(committed.error().code, "deadline");
    EXPECT_EQ(session->state(), State::broken);
    release();
    await("links", 0);
    EXPECT_EQ(count("rows"), 1);
}

TEST_F(OdbcThreads, ends_by_the_stop_token) {
    auto session = connect();
    plan("execute 1 hang");
    std::stop_source source;
    std::jthread stopper{[&] {
        await("executes", 1);
        source.request_stop();
    }};
    const auto done = run(*session, "insert into t values (1)", {}, {.stop = source.get_token()});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().cause, Cause::cancelled);
    EXPECT_EQ(done.error().code, "stopped");
    release();
}

TEST_F(OdbcThreads, asks_the_driver_to_break_off_what_nobody_waits_for) {
    auto session = connect();
    plan("execute 1 wait");
    EXPECT_FALSE(run(*session, "insert into t values (1)", {}, within(50ms)));
    await("cancels", 1);
    await("links", 0);  // without release(): the cancelled call came back
    EXPECT_EQ(count("rows"), 0);
}

TEST_F(OdbcThreads, sends_nothing_after_the_deadline) {
    const auto session = connect();
    const long before = count("executes");
    const auto late = run(*session, "insert into t values (1)", {}, within(0ms));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().effect, Effect::none);
    EXPECT_EQ(session->state(), State::idle) << "nothing was cut off";
    std::stop_source stopped;
    stopped.request_stop();
    const auto begun = session->begin({}, {.stop = stopped.get_token()});
    ASSERT_FALSE(begun);
    EXPECT_EQ(begun.error().code, "stopped");
    EXPECT_EQ(count("executes"), before);

    ASSERT_TRUE(session->begin({}, within(5s)));
    ASSERT_TRUE(run(*session, "insert into t values (1)"));
    const auto committed = session->commit(within(0ms));
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().effect, Effect::none);
    EXPECT_EQ(session->state(), State::failed) << "it can only be rolled back now";
    EXPECT_FALSE(session->commit(within(5s)));
    EXPECT_EQ(count("commits"), 0);
    EXPECT_EQ(count("rows"), 0);
}

// The sink is gone when the driver comes back, and so is the session.
TEST_F(OdbcThreads, touches_nothing_of_the_callers_after_it_was_left) {
    for (int i = 0; i < 20; ++i) {
        plan("execute 1 hang");
        {
            auto session = connect();
            auto rows = std::make_unique<RowBuffer>(1 << 20);
            const auto text = std::make_unique<std::string>("select echo ?");
            const auto value = std::make_unique<std::string>(1000, 'v');
            const std::vector<Parameter> parameters{*value};
            EXPECT_FALSE(session->run({*text, parameters}, *rows, within(2ms)));
        }
        release();
        await("links", 0);
    }
}

TEST_F(OdbcThreads, serves_many_threads_with_a_session_each) {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 20; ++i) {
                const auto session = connect();
                ASSERT_TRUE(session->begin({}, within(10s)));
                ASSERT_TRUE(run(*session, "insert into t values (?)", {i}));
                ASSERT_TRUE(session->commit(within(10s)));
            }
        });
    threads.clear();
    EXPECT_EQ(count("rows"), 160);
    await("links", 0);
}

}  // namespace
}  // namespace perdure::sql
