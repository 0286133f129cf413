// SPDX-License-Identifier: Apache-2.0
//
// What becomes of asynchronous calls that outlive what began them: their place in the queue, their
// attempt, their database?
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "perdure/call/block_on.hpp"
#include "perdure/sql/async.hpp"
#include "perdure/sql/manual.hpp"
#include "perdure/time/loop.hpp"
#include "sql/bank.hpp"
#include "sql/staged.hpp"
#include "sql/wait_for.hpp"

namespace perdure::sql {
namespace {

// What was found out about attempts, in order; the first time, somebody is let go. Shared with the
// sessions: an attempt that was given up goes on when the call has ended.
class LetGoWhenAsked final : public Observer {
public:
    void on_event(const Event& event) noexcept override {
        if (event.kind != EventKind::landed) return;
        verdicts.push_back(event.verdict);
        if (verdicts.size() == 1) let_go.count_down();
    }
    std::vector<Verdict> verdicts{};
    std::latch let_go{1};
};

Plan with_attempts_of(Duration timeout) {
    Plan plan = hasty(strategy(Product::sqlite));
    plan.attempt_timeout = timeout;
    return plan;
}

TEST(OutlivedTask, of_a_statement_counts_its_deadline_from_the_call_and_not_from_a_free_thread) {
    constexpr int calls =
        24;  // with two threads, one after the other, they would take 12 deadlines
    constexpr Duration deadline = 100ms;
    DatabaseOptions options;
    options.pool.max_connections = 1;
    Bank bank{options};
    auto held = WithoutRetries{bank.database}.begin();
    ASSERT_TRUE(held);
    std::atomic<int> succeeded = 0;
    const TimePoint start = system_clock().now();
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < calls; ++i)
            threads.emplace_back([&, i] {
                const StatementOptions soon{.deadline = deadline};
                const bool done =
                    i % 2 == 0
                        ? wait_for(start_query(bank.database, soon, StatementCopy{"select 1"}))
                              .has_value()
                        : wait_for(start_execute(bank.database, soon,
                                                 StatementCopy{"insert into thing values (1)"}))
                              .has_value();
                if (done) ++succeeded;
            });
    }
    EXPECT_LT(system_clock().now() - start, deadline + 500ms);
    EXPECT_EQ(succeeded, 0);
    EXPECT_TRUE(held->commit());
    EXPECT_EQ(bank.things(), 0);
}

enum class Leaves { moved, destroyed };

TEST(OutlivedTask, goes_on_when_its_database_is_moved_or_destroyed) {
    for (const Leaves leaves : {Leaves::moved, Leaves::destroyed}) {
        SCOPED_TRACE(leaves == Leaves::moved ? "moved" : "destroyed");
        std::atomic<bool> entered = false;
        std::latch let_go{1};
        const auto stage = std::make_shared<Stage>();
        stage->run = [&](auto) -> Result<Done> {
            entered = true;
            entered.notify_all();
            let_go.wait();
            return Done{};
        };
        DatabaseOptions options;
        options.pool.max_connections = 1;
        auto database = std::make_unique<Database>(std::make_shared<StagedDriver>(stage), options);
        std::atomic<int> succeeded = 0;
        std::vector<std::jthread> threads;
        const auto begin = [&](auto call) {
            threads.emplace_back([&succeeded, begun = std::move(call)]() mutable {
                if (wait_for(std::move(begun))) ++succeeded;
            });
        };
        const auto body = [](AsyncTransaction& tx) -> Task<Result<void>> {
            auto adding = tx.execute("insert into thing values (1)");
            auto added = co_await adding;
            if (!added) co_return added.take_failure();
            co_return Result<void>{};
        };
        begin(start_execute(*database, {}, StatementCopy{"insert into thing values (1)"}));
        begin(start_query(*database, {}, StatementCopy{"select 1"}));
        begin(start_transact(*database, {}, body));
        // One has the session, one waits for it, one has no thread yet or has one by chance.
        entered.wait(false);
        while (database->counts().waiting == 0) std::this_thread::yield();
        std::unique_ptr<Database> other;
        if (leaves == Leaves::moved) other = std::make_unique<Database>(std::move(*database));
        database.reset();
        let_go.count_down();
        threads.clear();
        EXPECT_EQ(succeeded, 3);
        EXPECT_EQ(stage->runs, 3);
    }
}

// A slow disk: the attempt is given up while its COMMIT is under way. Nobody can see it yet, and yet
// it will come.
TEST(OutlivedTask, whose_commit_is_still_under_way_is_not_taken_for_lost) {
    const auto observer = std::make_shared<LetGoWhenAsked>();
    const auto committed = std::make_shared<std::atomic<bool>>(false);
    const auto stage = std::make_shared<Stage>();
    stage->traits = {.product = Product::sqlite};
    stage->commit = [observer, committed]() -> Result<void> {
        observer->let_go.wait();
        *committed = true;
        return {};
    };
    Database database{std::make_shared<StagedDriver>(stage),
                      {.plan = with_attempts_of(50ms)},
                      {.observer = observer.get()}};
    const auto is_there = [committed](Transaction&) -> Result<bool> { return committed->load(); };
    int runs = 0;
    const auto body = [&runs](AsyncTransaction&) -> Task<Result<std::string>> {
        ++runs;
        co_return "a receipt that does not fit into the text itself";
    };
    const auto done =
        wait_for(start_transact(database, {.deadline = 5s, .landed = is_there}, body));
    ASSERT_FALSE(observer->verdicts.empty());
    EXPECT_EQ(observer->verdicts.front(), Verdict::pending);
    EXPECT_EQ(runs, 1);
    ASSERT_TRUE(done) << to_string(done.error());
    EXPECT_EQ(*done, "a receipt that does not fit into the text itself");
}

// Whoever must find out about a lost COMMIT, or repeats it, finds a place although there is only one.
TEST(OutlivedTask, of_a_lost_commit_is_resolved_and_repeated_with_a_single_session) {
    for (const Planned lost : {Planned::fail_before, Planned::fail_after}) {
        DatabaseOptions options = with_tokens();
        options.pool.max_connections = 1;
        Bank bank{options};
        bank.faults.commit({lost});
        const auto body = [](AsyncTransaction& tx) -> Task<Result<int>> {
            auto adding = tx.execute("insert into thing values (7)");
            auto added = co_await adding;
            if (!added) co_return added.take_failure();
            co_return 7;
        };
        const auto done = wait_for(start_transact(bank.database, {.deadline = 2s}, body));
        EXPECT_TRUE(done) << to_string(done.error());
        EXPECT_EQ(bank.things(), 1);
        EXPECT_EQ(bank.database.counts().in_use, 0);
    }
}

// The body has ended by saying that nobody knows; its attempt is given up while it is rolled back.
TEST(OutlivedTask, of_a_body_in_doubt_is_not_taken_for_one_that_was_cut_off) {
    const auto observer = std::make_shared<LetGoWhenAsked>();
    const auto stage = std::make_shared<Stage>();
    stage->roll_back = [observer] { observer->let_go.wait(); };
    Database database{std::make_shared<StagedDriver>(stage),
                      {.plan = with_attempts_of(50ms)},
                      {.observer = observer.get()}};
    int runs = 0;
    const auto body = [&runs](AsyncTransaction&) -> Task<Result<int>> {
        ++runs;
        co_return fail({.cause = Cause::timed_out, .effect = Effect::unknown, .code = "mail"});
    };
    const auto done = wait_for(start_transact(database, {.deadline = 2s}, body));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().effect, Effect::unknown) << to_string(done.error());
    EXPECT_EQ(runs, 1);
}

// A procedure may have committed a part before the attempt was given up, or may do so later.
TEST(OutlivedTask, whose_procedure_is_still_under_way_is_not_taken_for_undone) {
    const auto observer = std::make_shared<LetGoWhenAsked>();
    const auto stage = std::make_shared<Stage>();
    stage->traits = {.product = Product::mariadb};
    stage->run = [observer](std::string_view text) -> Result<Done> {
        if (text != "call pay()") return Done{};
        observer->let_go.wait();
        return fail({.cause = Cause::contended, .effect = Effect::none, .code = "1213"});
    };
    Database database{std::make_shared<StagedDriver>(stage),
                      {.plan = with_attempts_of(50ms)},
                      {.observer = observer.get()}};
    int runs = 0;
    const auto body = [&runs](AsyncTransaction& tx) -> Task<Result<int>> {
        ++runs;
        auto calling = tx.execute("call pay()");
        auto called = co_await calling;
        if (!called) co_return called.take_failure();
        co_return 7;
    };
    const auto done = wait_for(start_transact(database, {.deadline = 2s}, body));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().effect, Effect::unknown) << to_string(done.error());
    EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace perdure::sql
