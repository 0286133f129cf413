// SPDX-License-Identifier: Apache-2.0
//
// Does a transaction happen as a whole, begin from nothing each time, and end by its deadline?
#include "perdure/sql/transact.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <stop_token>
#include <thread>
#include <vector>

#include "perdure/sql/manual.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/virtual_clock.hpp"
#include "sql/bank.hpp"

namespace perdure::sql {
namespace {

using perdure::testing::FixedRandom;
using perdure::testing::VirtualClock;

// Runs on for as long as it is let.
constexpr std::string_view endless_count =
    "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";

TEST(Transact, gives_what_its_body_returned) {
    Bank bank;
    EXPECT_EQ(transact(bank.database, {}, insert(7)).value_or(-1), 7);
    const auto moved =
        transact(bank.database, {}, [](Transaction&) -> Result<std::unique_ptr<int>> {
            return std::make_unique<int>(9);
        });
    ASSERT_TRUE(moved);
    EXPECT_EQ(**moved, 9);
    EXPECT_EQ(bank.things(), 1);
}

TEST(Transact, gives_a_value_that_can_only_be_moved_also_after_a_lost_commit) {
    Bank bank{with_tokens()};
    bank.faults.commit({Planned::fail_after});
    const auto moved =
        transact(bank.database, {}, [](Transaction& tx) -> Result<std::unique_ptr<int>> {
            PERDURE_TRY(tx.execute("insert into thing values (1)"));
            return std::make_unique<int>(9);
        });
    ASSERT_TRUE(moved) << to_string(moved.error());
    EXPECT_EQ(**moved, 9);
}

TEST(Transact, gives_the_value_of_the_attempt_that_landed) {
    Bank bank{with_tokens()};
    bank.faults.commit({Planned::fail_before, Planned::fail_after});
    int run = 0;
    const auto which = transact(bank.database, {}, [&](Transaction& tx) -> Result<int> {
        PERDURE_TRY(tx.execute("insert into thing values (1)"));
        return ++run;
    });
    EXPECT_EQ(which.value_or(-1), 2);
    EXPECT_EQ(bank.things(), 1);
}

TEST(Transact, rolls_back_what_its_body_refuses_and_tells_that_failure) {
    Bank bank;
    const auto done = transact(bank.database, {}, [](Transaction& tx) -> Result<void> {
        PERDURE_TRY(tx.execute("insert into thing values (1)"));
        return fail({.cause = Cause::conflict, .code = "no-funds", .message = "too little"});
    });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "no-funds");
    EXPECT_EQ(done.error().effect, Effect::none);
    EXPECT_EQ(bank.things(), 0);
    EXPECT_EQ(bank.faults.counts().roll_backs, 1);
    EXPECT_EQ(bank.database.counts().idle, 1) << "the session is used again";
}

TEST(Transact, is_not_half_done_where_its_body_goes_on_after_an_error) {
    Bank bank;
    ASSERT_TRUE(bank.plain.execute("create unique index one on thing (id)"));
    for (const char* wrong : {"insert into thing values (1)", "no such statement", "commit",
                              "insert into thing values (?)"}) {
        const auto done = transact(bank.database, {}, [&](Transaction& tx) -> Result<void> {
            PERDURE_TRY(tx.execute("insert into thing values (1)"));
            const auto first = tx.execute(wrong);
            const auto second = tx.execute("insert into thing values (2)");
            EXPECT_EQ(second.error(), first.error());
            return {};
        });
        EXPECT_FALSE(done) << wrong;
        EXPECT_EQ(bank.things(), 0) << wrong;
    }
}

TEST(Transact, reads_only_when_that_is_all_it_said) {
    Bank bank;
    const auto done = transact(bank.database, {.access = Access::read_only}, insert(1));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().attempts, 1);
    EXPECT_EQ(bank.things(), 0);
    bank.faults.commit({Planned::fail_before, Planned::fail_after});
    EXPECT_TRUE(transact(bank.database, {.access = Access::read_only}, [](Transaction& tx) {
        return tx.query("select 1");
    })) << "and is repeated without a question: it left nothing";
}

TEST(Transact, sees_its_own_rows_buffered_and_streamed) {
    Bank bank;
    EXPECT_TRUE(transact(bank.database, {}, [](Transaction& tx) -> Result<void> {
        for (int i = 1; i <= 3; ++i) PERDURE_TRY(tx.execute("insert into thing values (?)", i));
        PERDURE_TRY_VALUE(const Rows rows, tx.query("select sum(id) from thing"));
        EXPECT_EQ(rows.single<int>().value_or(-1), 6);
        int sum = 0;
        const auto add = [&](const Row& row) -> Result<void> {
            sum += row.get<int>(0).value_or(0);
            return {};
        };
        PERDURE_TRY(tx.stream(add, "select id from thing where id > ?", 1));
        EXPECT_EQ(sum, 5);
        return {};
    }));
}

TEST(Transact, waits_by_the_class_of_the_error) {
    VirtualClock clock;
    FixedRandom ceiling{1.0};
    Watching watching;
    Bank bank{{.plan = strategy(Product::sqlite)}, {clock, ceiling, &watching}};
    const Failure busy = failure_of(row_of(Product::sqlite, "5"), During::in_transaction);
    bank.faults.execute({{Planned::fail_before, busy},
                         {Planned::fail_before, busy},
                         Planned::fail_before,
                         Planned::fail_before});
    EXPECT_TRUE(transact(bank.database, {}, insert(1)));
    EXPECT_EQ(watching.waits, (std::vector<Duration>{5ms, 10ms, 50ms, 100ms}));
}

TEST(Transact, keeps_time_before_its_deadline_to_resolve_a_lost_commit) {
    Bank bank{with_tokens()};
    bool seen = false;
    EXPECT_TRUE(transact(bank.database, {.deadline = 9s}, [&](Transaction& tx) -> Result<void> {
        seen = true;
        EXPECT_LE(tx.attempt().deadline.at(), tx.attempt().call_deadline.at() - 900ms);
        return {};
    }));
    EXPECT_TRUE(seen);
}

TEST(Transact, ends_a_statement_at_its_deadline) {
    Bank bank;
    const auto done = transact(bank.database, {.deadline = 60ms},
                               [](Transaction& tx) { return tx.query(endless_count); });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().cause, Cause::timed_out);
    EXPECT_EQ(done.error().effect, Effect::none);
    EXPECT_LT(done.error().elapsed, 500ms);
    EXPECT_EQ(bank.database.counts().in_use, 0);
}

TEST(Transact, waits_for_a_lock_no_longer_than_its_deadline) {
    Bank bank;
    auto held = WithoutRetries{bank.plain}.begin();
    ASSERT_TRUE(held);
    const auto done = transact(bank.database, {.deadline = 100ms}, insert(1));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().effect, Effect::none);
    EXPECT_LT(done.error().elapsed, 600ms);
    EXPECT_TRUE(held->commit());
    EXPECT_TRUE(transact(bank.database, {}, insert(1)));
}

// Asked to stop once it is in the middle of what is to be stopped.
template <class Call>
Failure stopped_while(std::stop_source& stop, std::latch& there, Call call) {
    const std::jthread stopper{[&] {
        there.wait();
        stop.request_stop();
    }};
    const auto done = call();
    EXPECT_FALSE(done);
    return done ? Failure{} : done.error();
}

TEST(TransactThreads, are_stopped_in_a_statement) {
    Bank bank;
    std::stop_source stop;
    std::latch there{1};
    const Failure failure = stopped_while(stop, there, [&] {
        return transact(bank.database, {.stop = stop.get_token()}, [&](Transaction& tx) {
            there.count_down();
            return tx.query(endless_count);
        });
    });
    EXPECT_EQ(failure.cause, Cause::cancelled);
    EXPECT_EQ(failure.effect, Effect::none);
    EXPECT_EQ(bank.database.counts().in_use, 0);
}

TEST(TransactThreads, are_stopped_between_two_attempts) {
    Plan patient = strategy(Product::sqlite);
    patient.deadline = 1h;
    patient.rule.backoff = {.base = 10min, .cap = 10min, .jitter = Jitter::none};
    Bank bank{{.plan = patient}};
    std::stop_source stop;
    std::latch there{1};
    const Failure failure = stopped_while(stop, there, [&] {
        return transact(bank.database, {.stop = stop.get_token()},
                        [&](Transaction&) -> Result<void> {
                            there.count_down();
                            return fail({.cause = Cause::unavailable, .effect = Effect::none});
                        });
    });
    EXPECT_EQ(failure.stop, perdure::Stop::cancelled);
    EXPECT_EQ(failure.effect, Effect::none);
}

TEST(TransactThreads, add_up_exactly_on_one_file) {
    DatabaseOptions options = with_tokens();
    options.pool.max_connections = 3;
    Bank bank{options};
    ASSERT_TRUE(bank.plain.execute("insert into thing values (0)"));
    bank.faults.by_chance({.seed = 11,
                           .open = {.fail_before = 0.02},
                           .execute = {.fail_before = 0.03, .fail_after = 0.03},
                           .commit = {.fail_before = 0.05, .fail_after = 0.05}});
    constexpr int each = 40;
    std::atomic<int> done = 0;
    std::atomic<int> most_in_use = 0;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < each; ++i) {
                const auto added =
                    transact(bank.database, {}, [&](Transaction& tx) -> Result<void> {
                        const net::PoolCounts counts = bank.database.counts();
                        if (counts.in_use > most_in_use) most_in_use = counts.in_use;
                        PERDURE_TRY(tx.execute("update thing set id = id + 1"));
                        return {};
                    });
                if (added) ++done;
                else EXPECT_EQ(added.error().effect, Effect::none) << to_string(added.error());
            }
        });
    threads.clear();
    EXPECT_EQ(bank.plain.query("select id from thing")->single<int>().value_or(-1), done);
    EXPECT_GT(done, each);
    EXPECT_LE(most_in_use, 3);
    EXPECT_EQ(bank.database.counts().in_use, 0);
}

}  // namespace
}  // namespace perdure::sql
