// SPDX-License-Identifier: Apache-2.0
//
// Old tokens are deleted by a thread of the database, or when somebody says so; who fails to is heard.
#include <gtest/gtest.h>

#include <cstdint>
#include <latch>
#include <string>
#include <string_view>

#include "perdure/testing/thread_limit.hpp"
#include "sql/bank.hpp"

namespace perdure::sql {
namespace {

void add_old_tokens(Bank& bank, int count) {
    const auto added = bank.plain.execute(
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < ?) "
        "insert into perdure_token (token, created_at) "
        "select randomblob(16), strftime('%s', 'now') - 100000 from n",
        count);
    EXPECT_TRUE(added);
}

TEST(Purge, deletes_tokens_by_age) {
    Bank bank{with_tokens({.tokens = {.keep_for = 1h}})};
    ASSERT_TRUE(transact(bank.database, {}, insert(1)));
    add_old_tokens(bank, 2'500);
    EXPECT_EQ(purge_tokens(bank.database).value_or(-1), 2'500);
    EXPECT_EQ(bank.tokens(), 1) << "the young one stays";
    EXPECT_EQ(purge_tokens(bank.database).value_or(-1), 0);
    const PurgeCounts counts = bank.database.purge_counts();
    EXPECT_EQ(counts.runs, 2u);
    EXPECT_EQ(counts.tokens, 2'500u);
    EXPECT_EQ(counts.failures, 0u);
}

TEST(Purge, that_fails_says_why) {
    for (const TokenUse use : {TokenUse::use, TokenUse::create}) {
        Bank bank{{.tokens = {.use = use, .purge_every = {}}}};
        EXPECT_FALSE(purge_tokens(bank.database)) << "there is no table yet";
        const PurgeCounts counts = bank.database.purge_counts();
        EXPECT_EQ(counts.runs, 0u);
        EXPECT_EQ(counts.failures, use == TokenUse::create ? 2u : 1u) << "with that of the index";
        EXPECT_NE(counts.last_failure.find("perdure_token"), std::string::npos)
            << counts.last_failure;
    }
}

// Waits for the first batch that the database's own thread has tried.
class FirstBatch final : public Observer {
public:
    void on_event(const Event& event) noexcept override {
        if (event.kind == EventKind::finished && event.operation == "purge-tokens" && !ended_) {
            ended_ = true;
            failed = event.failure != nullptr;
            ended.count_down();
        }
    }
    std::latch ended{1};
    bool failed = false;

private:
    bool ended_ = false;
};

// Every 20 ms, because nobody wants to wait for the default's hour; otherwise the defaults.
DatabaseOptions purging_soon(TokenUse use) { return {.tokens = {.use = use, .purge_every = 20ms}}; }

TEST(Purge, is_done_by_a_thread_which_adds_the_index_to_an_old_table) {
    FirstBatch batch;
    Bank bank{purging_soon(TokenUse::create), {.observer = &batch}};
    ASSERT_TRUE(bank.plain.execute("create table perdure_token (token blob not null primary key, "
                                   "created_at integer not null default (cast(strftime('%s','now') "
                                   "as integer)), attempt_id blob) without rowid"));
    add_old_tokens(bank, 10);
    ASSERT_TRUE(transact(bank.database, {}, insert(1)));
    batch.ended.wait();
    EXPECT_FALSE(batch.failed);
    EXPECT_EQ(bank.tokens(), 1) << "the young one stays";
    const auto index = bank.plain.query("select count(*) from sqlite_master where name = ?",
                                        "perdure_token_created_at");
    EXPECT_EQ(index->single<int>().value_or(-1), 1);
}

TEST(Purge, that_fails_on_its_thread_is_seen_by_observers) {
    FirstBatch batch;
    Bank bank{purging_soon(TokenUse::use), {.observer = &batch}};
    // Deleting fails, inserting does not.
    ASSERT_TRUE(make_token_table(bank.plain));
    add_old_tokens(bank, 1);
    ASSERT_TRUE(bank.plain.execute("create trigger stay before delete on perdure_token begin "
                                   "select raise(abort, 'tokens stay'); end"));
    ASSERT_TRUE(transact(bank.database, {}, insert(1)));
    batch.ended.wait();
    EXPECT_TRUE(batch.failed);
    EXPECT_EQ(bank.tokens(), 2);
    EXPECT_TRUE(transact(bank.database, {}, insert(2))) << "calls go on";
}

TEST(Purge, of_the_default_ends_with_its_database) {
    Bank bank{{.tokens = {.use = TokenUse::create}}};
    EXPECT_TRUE(transact(bank.database, {}, insert(1)));
    EXPECT_EQ(bank.database.purge_counts().failures, 0u);
}

TEST(Purge, without_a_thread_is_counted_and_tried_again_by_the_next_transaction) {
    FirstBatch batch;
    Bank bank{purging_soon(TokenUse::create), {.observer = &batch}};
    {
        const testing::ThreadLimit none{0};
        EXPECT_TRUE(transact(bank.database, {}, insert(1))) << "not the transaction's concern";
    }
    const PurgeCounts counts = bank.database.purge_counts();
    EXPECT_EQ(counts.failures, 1u);
    EXPECT_NE(counts.last_failure.find("no thread could be started"), std::string::npos)
        << counts.last_failure;
    EXPECT_TRUE(transact(bank.database, {}, insert(2)));
    batch.ended.wait();
    EXPECT_FALSE(batch.failed);
}

}  // namespace
}  // namespace perdure::sql
