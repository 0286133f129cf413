// SPDX-License-Identifier: Apache-2.0
//
// Are statements that begin or end a transaction, or may do so within, known for what they are?
#include "sql/keywords.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "sql/bank.hpp"

namespace perdure::sql {
namespace {

constexpr std::string_view controlling[] = {
    "begin",
    "BEGIN IMMEDIATE",
    "  /* c */ COMMIT",
    "-- first\ncommit",
    "# first\nrollback",
    "/* a */ /* b */ end",
    ";;begin",
    "Rollback To x",
    "savepoint a",
    "release a",
    "abort",
    "start transaction read only",
    "START /* now */ TRANSACTION",
    "prepare transaction 'x'",
    "set autocommit = 0",
    "xa start 'x'",
    "save transaction a",
};
constexpr std::string_view harmless[] = {
    "",
    "   ",
    "select 1",
    "insert into begin_log values (1)",
    "beginning",
    "update t set a = 'commit'",
    "/* commit */ select 1",
    "-- begin\nselect 1",
    "start slave",
    "prepare p from 'select 1'",
    "set names utf8mb4",
    "with commits as (select 1) select * from commits",
    "endless",
    "/* never closed",
};

TEST(Keywords, know_what_begins_or_ends_a_transaction) {
    for (const std::string_view text : controlling)
        EXPECT_TRUE(nature_of(text).controls_transactions) << text;
    for (const std::string_view text : harmless)
        EXPECT_FALSE(nature_of(text).controls_transactions) << text;
}

// A setting for the transaction alone, as row-level security has it, ends with the transaction.
TEST(Keywords, know_what_outlasts_the_transaction) {
    for (const std::string_view text :
         {"set search_path = x", "select set_config('app.tenant', ?, false)",
          "select set_config('app.tenant', ?, is_local) from t", "select set_config('a', 'b')",
          "select set_config('a', 'b', true), set_config('c', 'd', false)",
          "select set_config('a', 'true, true)', false)", "select set_config",
          "select set_config('a', E'\\', true)', false)", "select set_config('a', $$x$$, true)",
          "select set_config('a', 'b', true or false)", "reset all", "discard all"})
        EXPECT_TRUE(nature_of(text).changes_session) << text;
    for (const std::string_view text :
         {"set local search_path = x", "select set_config('app.tenant', ?, true)",
          "SELECT SET_CONFIG ( 'app.tenant' , ? , TRUE )",
          "select set_config('a', coalesce(?, 'x, false'), true)",
          "select set_config('a', 'b', true), set_config('c', 'd', true)", "select 1",
          "select pg_catalog.set_config('a', 'it''s', true)"})
        EXPECT_FALSE(nature_of(text).changes_session) << text;
}

// A procedure or a block may commit in its middle: an error does not undo what came before.
TEST(Keywords, know_what_may_commit_in_the_middle) {
    for (const std::string_view text :
         {"call pay()", "  CALL pay()", "/* c */ call pay(?)", "-- c\ncall pay()", "{call pay(?)}",
          "{ CALL pay }", "do $$ begin commit; end $$", "Exec pay", "execute pay", "exec pay 1, 2",
          "execute immediate 'call pay()'", "declare @a int; exec pay", "if 1 = 1 exec pay",
          "while 1 = 1 exec pay"})
        EXPECT_TRUE(nature_of(text).may_commit_midway) << text;
    for (const std::string_view text :
         {"", "select 1", "insert into t values ('a; call b')", "update t set call = 1",
          "/* call pay() */ select 1", "-- call pay()\nselect 1", "calls", "do_it", "executed",
          "with call as (select 1) select * from call", "/* never closed call pay()"})
        EXPECT_FALSE(nature_of(text).may_commit_midway) << text;
}

TEST(Keywords, know_several_statements_from_one) {
    for (const std::string_view text :
         {"select 1; select 2", "update a set b = 1;update b set b = 1;", "select 'a'; call b",
          "select ';' ; select 2", "select \"a;\" from t; select 2",
          "insert into t values ('it''s'); delete from t", "select 1; /* c */ select 2",
          "-- it's the first\nupdate a set b = 1; update b set b = 1",
          "/* it's */ update a set b = 1; update b set b = 1"})
        EXPECT_TRUE(has_several(text)) << text;
    for (const std::string_view text :
         {"", ";", "select 1", "select 1;", "select 1 ; ;\n", "select 1; -- and that was it",
          "select 1; /* done */", "insert into t values ('a; call b')", "select 'it''s; fine'",
          "select `a;b` from t", "select \"a;b\" from t"})
        EXPECT_FALSE(has_several(text)) << text;
}

TEST(Keywords, are_refused_outside_with_the_call_and_the_remedy) {
    Bank bank;
    for (const std::string_view text : controlling) {
        const auto done = bank.database.execute(text);
        ASSERT_FALSE(done) << text;
        EXPECT_EQ(done.error().code, "use-transact") << text;
        EXPECT_EQ(done.error().cause, Cause::invalid);
        EXPECT_NE(done.error().message.find("sql::transact()"), std::string::npos);
        EXPECT_NE(done.error().message.find("sql::WithoutRetries"), std::string::npos);
        EXPECT_FALSE(bank.database.query(text)) << text;
    }
    EXPECT_EQ(bank.database.execute("  /* c */ COMMIT").error().message.find("\"commit\""), 0u);
    EXPECT_EQ(bank.faults.counts().opens, 0);
}

TEST(Keywords, are_refused_inside_a_transaction_which_goes_on) {
    Bank bank;
    const auto done = transact(bank.database, {}, [](Transaction& tx) -> Result<void> {
        PERDURE_TRY(tx.execute("insert into thing values (1)"));
        const auto refused = tx.execute("commit");
        EXPECT_FALSE(refused);
        EXPECT_EQ(refused.error().code, "use-transact");
        EXPECT_NE(refused.error().message.find("inside sql::transact()"), std::string::npos);
        return fail({.cause = Cause::invalid, .code = "changed-my-mind"});
    });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "changed-my-mind");
    EXPECT_EQ(bank.things(), 0) << "the COMMIT in the middle was not carried out";
}

}  // namespace
}  // namespace perdure::sql
