// SPDX-License-Identifier: Apache-2.0
//
// Does who begins and commits by hand get exactly one try, and is nothing left behind?
#include "perdure/sql/manual.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "sql/bank.hpp"

namespace perdure::sql {
namespace {

TEST(WithoutRetries, commits_what_was_done_by_hand) {
    Bank bank;
    WithoutRetries plain{bank.database};
    auto tx = plain.begin();
    ASSERT_TRUE(tx);
    EXPECT_TRUE((*tx)->execute("insert into thing values (?)", 1));
    EXPECT_EQ((*tx)->query("select count(*) from thing")->single<int>().value_or(-1), 1);
    EXPECT_TRUE(tx->commit());
    EXPECT_EQ(bank.things(), 1);
    EXPECT_EQ(bank.database.counts().in_use, 0);
}

TEST(WithoutRetries, rolls_back_what_was_not_committed) {
    Bank bank;
    WithoutRetries plain{bank.database};
    {
        auto tx = plain.begin();
        ASSERT_TRUE((*tx)->execute("insert into thing values (1)"));
    }
    auto left = plain.begin();
    ASSERT_TRUE((*left)->execute("insert into thing values (2)"));
    left->roll_back();
    auto replaced = plain.begin();
    ASSERT_TRUE((*replaced)->execute("insert into thing values (3)"));
    ManualTransaction moved = *std::move(replaced);
    EXPECT_TRUE(moved.commit());
    EXPECT_EQ(bank.things(), 1);
    EXPECT_EQ(bank.database.counts().in_use, 0);
}

TEST(WithoutRetries, repeats_nothing) {
    Bank bank;
    WithoutRetries plain{bank.database};
    bank.faults.execute({Planned::fail_before});
    EXPECT_EQ(plain.query("select 1").error().code, "planned");
    bank.faults.execute({Planned::fail_after});
    EXPECT_EQ(plain.execute("insert into thing values (1)").error().effect, Effect::unknown);
    bank.faults.open({Planned::fail_before});
    EXPECT_FALSE(plain.begin());
    bank.faults.begin({Planned::fail_before});
    EXPECT_FALSE(plain.begin());
    EXPECT_EQ(bank.faults.counts().executions, 2);
    EXPECT_EQ(bank.faults.counts().begins, 1);
    EXPECT_TRUE(plain.query("select 1"));
}

TEST(WithoutRetries, tells_of_a_lost_commit_what_is_known_and_asks_nobody) {
    Bank bank;
    WithoutRetries plain{bank.database};
    for (const Planned lost : {Planned::fail_before, Planned::fail_after}) {
        bank.faults.commit({lost});
        auto tx = plain.begin();
        ASSERT_TRUE(tx);
        ASSERT_TRUE((*tx)->execute("insert into thing values (1)"));
        const auto committed = tx->commit();
        ASSERT_FALSE(committed);
        EXPECT_EQ(committed.error().effect, Effect::unknown);
    }
    EXPECT_EQ(bank.things(), 1);
    EXPECT_EQ(bank.faults.counts().commits, 2);
    EXPECT_EQ(bank.database.counts().in_use, 0);
}

TEST(WithoutRetries, does_not_commit_after_a_failure_that_ended_the_transaction) {
    Bank bank;
    WithoutRetries plain{bank.database};
    bank.faults.execute({Planned::pass, Planned::fail_before});
    auto tx = plain.begin();
    ASSERT_TRUE(tx);
    EXPECT_TRUE((*tx)->execute("insert into thing values (1)"));
    EXPECT_FALSE((*tx)->execute("insert into thing values (2)"));
    const auto committed = tx->commit();
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().effect, Effect::none);
    EXPECT_EQ(bank.faults.counts().commits, 0);
    EXPECT_EQ(bank.things(), 0);
}

TEST(WithoutRetries, refuses_statements_that_begin_or_end_a_transaction_all_the_same) {
    Bank bank;
    WithoutRetries plain{bank.database};
    EXPECT_EQ(plain.execute("begin").error().code, "use-transact");
    EXPECT_EQ(plain.query("commit").error().code, "use-transact");
    auto tx = plain.begin();
    ASSERT_TRUE(tx);
    EXPECT_EQ((*tx)->execute("rollback").error().code, "use-transact");
    EXPECT_EQ(tx->commit().error().code, "use-transact") << "what failed fails the whole";
    EXPECT_EQ((*tx)->execute("select 1").error().code, "use-transact") << "also after its end";
}

TEST(WithoutRetries, checks_parameters_and_the_size_of_results) {
    Bank bank{{.most_bytes = 10}};
    WithoutRetries plain{bank.database};
    EXPECT_EQ(plain.execute("insert into thing values (?)", "\xff").error().code,
              "parameter-encoding");
    EXPECT_EQ(plain.query("select 'a text'").error().code, "result-too-large");
}

TEST(Begin, is_allowed_on_a_database_with_one_attempt) {
    Plan once = strategy(Product::sqlite);
    once.rule.attempts = 1;
    Bank bank{{.plan = once}};
    auto tx = bank.database.begin(Isolation::serializable);
    ASSERT_TRUE(tx) << to_string(tx.error());
    EXPECT_TRUE((*tx)->execute("insert into thing values (1)"));
    EXPECT_TRUE(tx->commit());
    EXPECT_EQ(bank.things(), 1);
}

TEST(Begin, is_refused_on_a_database_that_retries_and_says_what_to_do) {
    Bank bank;
    const auto refused = bank.database.begin();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().cause, Cause::invalid);
    EXPECT_EQ(refused.error().code, "use-transact");
    for (const char* word : {"begin()", "bank.db", "sql::transact(database", "plain.begin()"})
        EXPECT_NE(refused.error().message.find(word), std::string::npos) << refused.error().message;
    EXPECT_EQ(bank.faults.counts().opens, 0);
}

}  // namespace
}  // namespace perdure::sql
