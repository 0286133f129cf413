// SPDX-License-Identifier: Apache-2.0
//
// A failure that the table calls final, and a user who knows better: for all calls of a database, or for
// one of them.
#include <gtest/gtest.h>

#include <string>

#include "perdure/call/block_on.hpp"
#include "perdure/sql/async.hpp"
#include "perdure/time/loop.hpp"
#include "sql/bank.hpp"

namespace perdure::sql {
namespace {

bool is_syntax_error(const Failure& failure) {
    return failure.message.find("syntax error") != std::string::npos;
}

enum class Says { nothing, the_database, the_call };

struct Case {
    Says who;
    int attempts;  // four are those of the default rule
};
constexpr Case cases[] = {{Says::nothing, 1}, {Says::the_database, 4}, {Says::the_call, 4}};

DatabaseOptions of_database(const Case& one) {
    DatabaseOptions options;
    if (one.who == Says::the_database) options.also_repeat = is_syntax_error;
    return options;
}

template <class Options>
Options of_call(const Case& one) {
    Options options;
    if (one.who == Says::the_call) options.also_repeat = is_syntax_error;
    return options;
}

constexpr auto nothing_of = [](const Row&) -> Result<void> { return {}; };

// Each in a database of its own: the default plan's budget is made for one that answers sometimes.
TEST(AlsoRepeatInSql, reaches_a_statement_a_query_and_a_stream) {
    using Call = Failure (*)(Database&, const StatementOptions&);
    const Call calls[] = {[](Database& database, const StatementOptions& options) {
                              return database.execute(options, "insrt").error();
                          },
                          [](Database& database, const StatementOptions& options) {
                              return database.query(options, "selct 1").error();
                          },
                          [](Database& database, const StatementOptions& options) {
                              return database.stream(options, nothing_of, "selct 1").error();
                          },
                          [](Database& database, const StatementOptions& options) {
                              auto task = start_execute(database, options, StatementCopy{"insrt"});
                              return block_on(default_executor(), std::move(task)).error();
                          }};
    for (const Case& one : cases)
        for (const Call& call : calls) {
            SCOPED_TRACE(::testing::Message() << static_cast<int>(one.who) << " " << &call - calls);
            Bank bank{of_database(one)};
            EXPECT_EQ(call(bank.database, of_call<StatementOptions>(one)).attempts, one.attempts);
        }
}

TEST(AlsoRepeatInSql, reaches_a_transaction) {
    for (const Case& one : cases) {
        SCOPED_TRACE(static_cast<int>(one.who));
        Bank bank{of_database(one)};
        const auto options = of_call<TransactOptions>(one);
        int runs = 0;
        const auto done = transact(bank.database, options, [&](Transaction& tx) -> Result<void> {
            ++runs;
            PERDURE_TRY(tx.execute("insert into thing values (1)"));
            PERDURE_TRY(tx.execute("insrt"));
            return {};
        });
        EXPECT_EQ(done.error().attempts, one.attempts);
        EXPECT_EQ(runs, one.attempts);
        EXPECT_EQ(bank.things(), 0);
    }
}

TEST(AlsoRepeatInSql, reaches_a_transaction_that_is_awaited) {
    for (const Case& one : cases) {
        SCOPED_TRACE(static_cast<int>(one.who));
        Bank bank{of_database(one)};
        const auto body = [](AsyncTransaction& tx) -> Task<Result<void>> {
            auto running = tx.execute("insrt");
            auto done = co_await running;
            if (!done) co_return done.take_failure();
            co_return Result<void>{};
        };
        auto task = start_transact(bank.database, of_call<TransactOptions>(one), body);
        EXPECT_EQ(block_on(default_executor(), std::move(task)).error().attempts, one.attempts);
    }
}

TEST(AlsoRepeatInSql, sees_the_bodys_own_failures) {
    Bank bank;
    const auto changed = [](const Failure& failure) { return failure.code == "row-changed"; };
    int runs = 0;
    const auto done =
        transact(bank.database, {.also_repeat = changed}, [&](Transaction&) -> Result<int> {
            if (++runs < 3)
                return fail(
                    {.cause = Cause::conflict, .effect = Effect::none, .code = "row-changed"});
            return runs;
        });
    EXPECT_EQ(done.value_or(-1), 3);
}

TEST(AlsoRepeatInSql, overrules_codes_that_are_not_transient) {
    Bank bank{{.codes = {.not_transient = {"1"}}}};
    EXPECT_EQ(bank.database.execute("insrt").error().attempts, 1);
    EXPECT_EQ(bank.database.execute({.also_repeat = is_syntax_error}, "insrt").error().attempts, 4);
}

TEST(AlsoRepeatInSql, makes_nothing_safe_that_may_have_happened) {
    Bank bank{{.also_repeat = [](const Failure&) { return true; }}};
    int runs = 0;
    const auto done = transact(bank.database, {}, [&](Transaction& tx) -> Result<void> {
        ++runs;
        PERDURE_TRY(tx.execute("insert into thing values (1)"));
        return fail({.cause = Cause::invalid, .effect = Effect::unknown, .code = "no-answer"});
    });
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(done.error().effect, Effect::unknown);
}

}  // namespace
}  // namespace perdure::sql
