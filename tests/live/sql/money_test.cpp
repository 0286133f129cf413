// SPDX-License-Identifier: Apache-2.0
//
// Is what callers were told about their transfers what the database did, while COMMITs are lost, sessions
// ended and servers killed? `make money` makes ten times as many.
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "live/sql/support/money_places.hpp"

namespace perdure::live {
namespace {

sql::DatabaseOptions with_tokens(sql::TokenUse use) {
    return {.tokens = {.use = use, .purge_every = {}}};
}

void expect_no_lies(const Account& account, const MoneySize& size) {
    EXPECT_EQ(account.lost, 0);
    EXPECT_EQ(account.doubled, 0);
    EXPECT_EQ(account.ghosts, 0);
    EXPECT_EQ(account.late, 0);
    EXPECT_TRUE(account.lies.empty()) << account.lies.front();
    // Most of what was asked for is done, in spite of all.
    EXPECT_GE(account.success * 10, size.transfers * 9);
}

template <class Place>
Account run(const std::string& name, const MoneySize& size, sql::TokenUse tokens,
            Asks asks = Asks::nobody) {
    // With a token a zombie is waited for, and who wants the same accounts waits with it.
    const Crowd crowd = tokens == sql::TokenUse::off ? Crowd::large : Crowd::small;
    std::cout << name << ": " << size.transfers << " transfers, seed " << size.seed << "\n";
    const MoneyOutcome outcome = run_money<Place>(
        {.name = name,
         .size = size,
         .faults = money_faults(size.seed),
         .on_wrong = OnWrong::keep_evidence,
         .crowd = crowd,
         .database = with_tokens(tokens),
         .caller = [&](sql::Database& bank) { return with_transact(bank, asks); }});
    std::cout << name << ": " << outcome;
    if (!money_switch("no-proxy")) {
        EXPECT_GT(outcome.cuts, 0u);
    }
    if (crowd == Crowd::large) {
        EXPECT_GT(outcome.deadlocks, 0);
    }
    expect_no_lies(outcome.account, size);
    EXPECT_EQ(outcome.damage, "") << "the server could not recover its data";
    return outcome.account;
}

class MoneyPostgres : public ::testing::Test {
protected:
    void SetUp() override {
        if (!Postgres::missing().empty()) GTEST_SKIP() << Postgres::missing();
    }
};

TEST_F(MoneyPostgres, is_neither_lost_nor_doubled_with_tokens) {
    const Account account =
        run<PostgresPlace>("postgres, tokens", money_size({}), sql::TokenUse::create);
    EXPECT_EQ(account.unknown, 0);
}

// After a crash the server's word is not believed, and what was being committed stays unknown.
TEST_F(MoneyPostgres, is_neither_lost_nor_doubled_by_the_word_of_the_server) {
    run<PostgresPlace>("postgres, transaction ids", money_size({}), sql::TokenUse::off);
}

TEST_F(MoneyPostgres, follows_a_synchronous_standby_that_is_promoted) {
    const MoneySize size = money_size({.transfers = 1'000});
    const SqlFaults faults = money_faults(size.seed);
    std::cout << "postgres, promotion: " << size.transfers << " transfers, seed " << size.seed
              << "\n";
    Postgres primary;
    sql::Database before{PostgresPlace::driver({primary.port()})};
    found_bank(before);
    before.clear();
    const auto standby = primary.make_standby("second");
    primary.set("synchronous_standby_names", "second");
    ASSERT_TRUE(becomes_true(
        [&] { return primary.sql("SELECT sync_state FROM pg_stat_replication") == "sync"; }));
    auto first = std::make_unique<SqlLink>(primary.port(), faults);
    auto second = std::make_unique<SqlLink>(standby->port(), faults);
    MoneyBook book{size.transfers, 10s};
    {
        sql::Database bank{PostgresPlace::driver({first->port(), second->port()}),
                           with_tokens(sql::TokenUse::create)};
        const Tellers tellers{book, size.seed, with_transact(bank)};
        tellers.await(size.transfers / 2);
        primary.kill9();
        standby->promote();
        tellers.await(size.transfers);
    }
    drop_link(second, faults);
    EXPECT_TRUE(becomes_true([&] { return PostgresPlace::alone(*standby); }));
    sql::Database after{PostgresPlace::driver({standby->port()})};
    const Account account = book.audit(read_books(after));
    std::cout << "postgres, promotion: " << account << "\n" << book.failures();
    expect_no_lies(account, size);
    EXPECT_EQ(account.unknown, 0);
}

class MoneyMariadb : public ::testing::Test {
protected:
    void SetUp() override {
        if (!Mariadb::missing().empty()) GTEST_SKIP() << Mariadb::missing();
    }
};

TEST_F(MoneyMariadb, is_neither_lost_nor_doubled_with_tokens) {
    const Account account =
        run<MariadbPlace>("mariadb, tokens", money_size({}), sql::TokenUse::create);
    EXPECT_EQ(account.unknown, 0);
}

TEST_F(MoneyMariadb, is_neither_lost_nor_doubled_by_the_word_of_the_caller) {
    run<MariadbPlace>("mariadb, landed", money_size({}), sql::TokenUse::off, Asks::landed);
}

// The third posting of a transfer, written on purpose.
TEST_F(MoneyMariadb, keeps_the_evidence_of_a_wrong_result) {
    const MoneySize size{.transfers = 100, .kills = 1, .seed = 7};
    const MoneyOutcome outcome = run_money<MariadbPlace>(
        {.name = "mariadb, planted",
         .size = size,
         .on_wrong = OnWrong::keep_evidence,
         .caller = [](sql::Database& bank) -> Tellers::Call {
             return [&bank, transact = with_transact(bank)](const Transfer& transfer) {
                 auto moved = transact(transfer);
                 if (moved && transfer.id == 90)
                     (void)bank.execute({.safety = Safety::idempotent},
                                        "insert into posting(transfer, account, cents, serial) "
                                        "values (90, 1, 1, -5)");
                 return moved;
             };
         }});
    EXPECT_EQ(outcome.account.wrong, (WrongTransfers{{90, "1 rows, 3 postings"}}));
    ASSERT_FALSE(outcome.kept.empty());
    const std::string report = read_file(outcome.kept + "/report.txt");
    EXPECT_NE(report.find("test.posting\tcheck\tstatus\tOK"), std::string::npos) << report;
    EXPECT_NE(report.find("\n90\t1\t1\t-5\t"), std::string::npos) << report;
    EXPECT_NE(read_file(outcome.kept + "/calls.jsonl").find("transfer"), std::string::npos);
    EXPECT_NE(read_file(outcome.kept + "/told.txt").find("\n90 s at "), std::string::npos);
    EXPECT_FALSE(read_file(outcome.kept + "/server/data/test/posting.ibd").empty());
    std::filesystem::remove_all(outcome.kept);
}

}  // namespace
}  // namespace perdure::live
