// SPDX-License-Identifier: Apache-2.0
//
// When a part of the work may stand although a call failed: is that told, and is nothing repeated?
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "perdure/call/block_on.hpp"
#include "perdure/sql/async.hpp"
#include "perdure/time/loop.hpp"
#include "sql/bank.hpp"
#include "sql/staged.hpp"

namespace perdure::sql {
namespace {

Failure nobody_knows() {
    return {.cause = Cause::timed_out, .effect = Effect::unknown, .code = "no-answer"};
}
Failure lost_to_another() {
    return {.cause = Cause::contended, .effect = Effect::none, .code = "40001"};
}

enum class Form { waiting, awaited };

// A transaction whose body says by itself that nobody knows what it has done.
Result<void> transact_in_doubt(Database& database, Form form, const TransactOptions& options,
                               int& runs) {
    if (form == Form::waiting)
        return transact(database, options, [&](Transaction& tx) -> Result<void> {
            ++runs;
            PERDURE_TRY(tx.execute("insert into thing values (1)"));
            return fail(nobody_knows());
        });
    const auto body = [&runs](AsyncTransaction& tx) -> Task<Result<void>> {
        ++runs;
        auto adding = tx.execute("insert into thing values (1)");
        auto added = co_await adding;
        if (!added) co_return added.take_failure();
        co_return fail(nobody_knows());
    };
    return block_on(default_executor(), start_transact(database, options, body));
}

TEST(PartlyDoneTask, of_a_body_in_doubt_is_neither_repeated_nor_resolved_by_the_transactions_fate) {
    const auto never_asked = [](Transaction&) -> Result<bool> {
        ADD_FAILURE() << "there was no COMMIT to ask about";
        return false;
    };
    for (const Form form : {Form::waiting, Form::awaited})
        for (const bool tokens : {false, true})
            for (const bool caller_knows : {false, true}) {
                SCOPED_TRACE(::testing::Message() << "awaited " << (form == Form::awaited)
                                                  << " tokens " << tokens << caller_knows);
                Bank bank{tokens ? with_tokens() : DatabaseOptions{}};
                TransactOptions options;
                if (caller_knows) options.landed = never_asked;
                int runs = 0;
                const auto done = transact_in_doubt(bank.database, form, options, runs);
                ASSERT_FALSE(done);
                EXPECT_EQ(done.error().effect, Effect::unknown) << to_string(done.error());
                EXPECT_EQ(done.error().code, "no-answer");
                EXPECT_EQ(runs, 1);
                EXPECT_EQ(bank.things(), 0);
                EXPECT_EQ(bank.database.counts().in_use, 0);
            }
}

// As MariaDB's CREATE TABLE does it: the statement commits what was there, and the token with it.
TEST(PartlyDoneTask, of_a_statement_that_ended_the_transaction_is_no_success_whatever_is_found) {
    const Landed<void> fates[] = {Landed<void>::yes(), Landed<void>::no(), Landed<void>::pending(),
                                  Landed<void>::unknown()};
    for (const Form form : {Form::waiting, Form::awaited})
        for (const bool tokens : {false, true})
            for (const Landed<void>& fate : fates) {
                SCOPED_TRACE(::testing::Message()
                             << "awaited " << (form == Form::awaited) << " tokens " << tokens
                             << " fate " << static_cast<int>(fate.verdict()));
                const auto stage = std::make_shared<Stage>();
                stage->fate = fate;
                stage->run = [](auto) -> Result<Done> { return fail(nobody_knows()); };
                Database database{std::make_shared<StagedDriver>(stage),
                                  tokens ? with_tokens() : DatabaseOptions{}};
                int runs = 0;
                const auto done = transact_in_doubt(database, form, {.deadline = 2s}, runs);
                ASSERT_FALSE(done);
                EXPECT_EQ(done.error().effect, Effect::unknown);
                EXPECT_EQ(runs, 1);
                EXPECT_EQ(stage->asked, 0);
            }
}

TEST(PartlyDone, is_told_also_if_the_body_swallows_the_failure) {
    const auto stage = std::make_shared<Stage>();
    stage->fate = Landed<void>::yes();
    stage->run = [](auto) -> Result<Done> { return fail(nobody_knows()); };
    Database database{std::make_shared<StagedDriver>(stage)};
    const auto done = transact(database, {}, [](Transaction& tx) -> Result<void> {
        EXPECT_FALSE(tx.execute("create table another (id integer)"));
        return {};
    });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().effect, Effect::unknown);
    EXPECT_EQ(stage->runs, 1);
    EXPECT_EQ(stage->asked, 0);
}

TEST(PartlyDone, of_a_stream_is_never_begun_again_even_if_its_error_is_named_transient) {
    const struct {
        Planned fails;
        int executions;
        int rows;
        bool succeeds;
    } cases[] = {{Planned::fail_midway, 1, 1, false}, {Planned::fail_before, 2, 3, true}};
    for (const auto& [fails, executions, rows, succeeds] : cases)
        for (const Cause cause : {Cause::unavailable, Cause::invalid}) {
            Bank bank{{.codes = {.also_transient = {"E"}}}};
            const Failure named{
                .cause = cause, .effect = Effect::none, .retry_after = never, .code = "E"};
            bank.faults.execute({{fails, named}});
            int seen = 0;
            const auto count = [&](const Row&) -> Result<void> {
                ++seen;
                return {};
            };
            const auto done =
                bank.database.stream(count, "select 1 union all select 2 union all select 3");
            EXPECT_EQ(done.has_value(), succeeds);
            EXPECT_EQ(seen, rows);
            EXPECT_EQ(bank.faults.counts().executions, executions);
            if (done) continue;
            EXPECT_EQ(done.error().attempts, 1);
            EXPECT_NE(done.error().message.find("rows had been handed out"), std::string::npos);
        }
}

// The rows are there; only we did not want to see them.
TEST(PartlyDone, is_a_write_whose_rows_were_refused) {
    const std::string_view writes = "insert into thing values (1), (2) returning id";
    Bank bank{{.most_bytes = 1}};
    const auto asked = bank.database.query({.safety = Safety::once}, writes);
    ASSERT_FALSE(asked);
    EXPECT_EQ(asked.error().code, "result-too-large");
    EXPECT_EQ(asked.error().effect, Effect::unknown);
    EXPECT_EQ(bank.things(), 2);

    const struct {
        const char* what;
        Result<void> (*on_row)(const Row&);
    } refusals[] = {
        {"its own failure", [](const Row&) -> Result<void> { return fail(lost_to_another()); }},
        {"a failure of no other kind than ours",
         [](const Row& row) -> Result<void> {
             PERDURE_TRY(row.get<int>("no such column"));
             return {};
         }},
    };
    std::int64_t things = 2;
    for (const auto& [what, on_row] : refusals) {
        SCOPED_TRACE(what);
        const auto done = bank.database.stream({.safety = Safety::once}, on_row, writes);
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().effect, Effect::unknown) << to_string(done.error());
        EXPECT_EQ(done.error().attempts, 1);
        EXPECT_EQ(bank.things(), things += 2) << "once";
    }
}

TEST(PartlyDone, is_a_procedure_or_a_batch_that_failed_and_a_plain_statement_is_not) {
    const struct {
        Product product;
        std::string_view text;
        Effect effect;
    } cases[] = {
        {Product::postgres, "call pay()", Effect::unknown},
        {Product::postgres, "do $$ begin commit; end $$", Effect::unknown},
        {Product::mariadb, "CALL pay()", Effect::unknown},
        {Product::odbc, "{call pay}", Effect::unknown},
        {Product::sqlserver, "exec pay", Effect::unknown},
        {Product::sqlserver, "update a set b = 1; update b set b = 1", Effect::unknown},
        {Product::odbc, "update a set b = 1; update b set b = 1", Effect::unknown},
        {Product::odbc, "update a set b = '; call pay'", Effect::none},
        {Product::postgres, "update a set b = 1", Effect::none},
        {Product::postgres, "insert into a values ('a; call b')", Effect::none},
    };
    for (const auto& [product, text, effect] : cases) {
        SCOPED_TRACE(text);
        const auto stage = std::make_shared<Stage>();
        stage->traits.product = product;
        stage->run = [](auto) -> Result<Done> { return fail(lost_to_another()); };
        Database database{std::make_shared<StagedDriver>(stage),
                          {.plan = hasty(strategy(product))}};
        const auto done = database.execute(text);
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().effect, effect);
        EXPECT_EQ(stage->runs == 1, effect == Effect::unknown) << stage->runs;
    }
}

}  // namespace
}  // namespace perdure::sql
