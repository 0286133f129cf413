// SPDX-License-Identifier: Apache-2.0
//
// The list goes on: 21 to 28.
#pragma once

#include <stop_token>

#include "sql/ef_core_place.hpp"

namespace perdure::sql {
namespace {

TEST_P(EfCore, p21_what_the_caller_holds_stays_open_and_what_the_strategy_took_is_given_back) {
    Database database = open();
    Result<ManualTransaction> held = WithoutRetries{plain()}.begin();
    ASSERT_TRUE(held);
    ASSERT_TRUE((*held)->query("select 1"));
    if (product() != Product::sqlite) {  // who holds one there keeps all others from writing
        faults.execute({Planned::fail_before});
        EXPECT_TRUE(transact(database, {}, insert(1)));
    }
    EXPECT_EQ(plain().counts().in_use, 1);
    EXPECT_TRUE((*held)->query("select 1"));
    EXPECT_TRUE(held->commit());
    EXPECT_EQ(plain().counts().in_use, 0);
    faults.execute({Planned::fail_before});
    EXPECT_TRUE(transact(database, {}, insert(1)));
    EXPECT_EQ(database.counts().in_use, 0);
    EXPECT_EQ(database.counts().idle, 1);
}

TEST_P(EfCore, p22_who_joins_a_transaction_joins_it_anew_in_each_attempt) {
    Database database = open();
    faults.execute({Planned::pass, Planned::pass, Planned::fail_before});
    std::vector<const Transaction*> joined;
    EXPECT_TRUE(transact(database, {}, [&](Transaction& tx) -> Result<void> {
        PERDURE_TRY(tx.execute("insert into thing (id) values (1)"));
        return tx.transact([&](Transaction& inner) -> Result<void> {
            EXPECT_EQ(&inner, &tx);
            EXPECT_FALSE(inner.failure()) << "nothing is left of the attempt before";
            joined.push_back(&inner);
            PERDURE_TRY(inner.execute("insert into thing (id) values (2)"));
            PERDURE_TRY(inner.execute("insert into thing (id) values (3)"));
            return {};
        });
    }));
    EXPECT_EQ(joined.size(), 2u);
    EXPECT_EQ(faults.counts().executions, 6);
    EXPECT_EQ(faults.counts().opens, 2);
    EXPECT_EQ(things(), 3);
}

TEST_P(EfCore, p23_a_query_is_repeated_and_gives_the_whole_list) {
    Database database = open();
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE(plain().execute("insert into thing (id) values (?)", i));
    for (const Planned how : {Planned::fail_before, Planned::fail_midway, Planned::fail_after}) {
        const int before = faults.counts().executions;
        faults.execute({how});
        const auto rows = database.query("select id from thing order by id");
        ASSERT_TRUE(rows) << to_string(rows.error());
        EXPECT_EQ(rows->size(), 3u);
        EXPECT_EQ(faults.counts().executions - before, 2);

        faults.execute({how});
        const auto in_a_transaction = transact(
            database, {.access = Access::read_only}, [](Transaction& tx) -> Result<std::size_t> {
                PERDURE_TRY_VALUE(const Rows all, tx.query("select id from thing"));
                return all.size();
            });
        EXPECT_EQ(in_a_transaction.value_or(0), 3u);
    }
}

TEST_P(EfCore, p24_opening_a_session_is_repeated) {
    Database database = open();
    faults.open({Planned::fail_before});
    EXPECT_TRUE(database.query("select 1"));
    EXPECT_EQ(faults.counts().opens, 2);
    database.clear();
    faults.open({Planned::fail_after});
    EXPECT_TRUE(database.execute("insert into thing (id) values (1)"));
    EXPECT_EQ(faults.counts().opens, 4);
    EXPECT_EQ(things(), 1);
}

TEST_P(EfCore, p25_beginning_a_transaction_is_repeated_and_leaves_nothing_open) {
    for (const Planned how : {Planned::fail_before, Planned::fail_after}) {
        Database database = open();
        const int before = faults.counts().opens;
        const std::int64_t had = things();
        faults.begin({how});
        EXPECT_TRUE(transact(database, {}, insert(1)));
        EXPECT_EQ(faults.counts().opens - before, 2);
        EXPECT_EQ(database.counts().in_use, 0);
        EXPECT_EQ(things(), had + 1);
    }
}

// Under the preset only: our own resolver has a count and a reserve of its own.
TEST_P(EfCore, p26_verification_shares_the_limit_of_the_operation) {
    Database database = open_like_ef_core();
    faults.execute(
        {Planned::fail_before, Planned::pass, Planned::fail_before, Planned::fail_before});
    faults.commit(
        {Planned::fail_before, Planned::fail_before, Planned::fail_before, Planned::fail_before});
    int verified = 0;
    const auto done = transact_like_ef_core(database, {}, insert(1), [&]() -> Result<bool> {
        ++verified;
        return false;
    });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().stop, perdure::Stop::attempts);
    EXPECT_EQ(faults.counts().opens, 7);
    EXPECT_EQ(faults.counts().executions, 7);
    EXPECT_EQ(verified, 4);
    EXPECT_EQ(things(), 0);
}

TEST_P(EfCore, p26_a_verification_that_fails_is_asked_again_from_the_same_limit) {
    Database database = open_like_ef_core();
    faults.commit({Planned::fail_after});
    int verified = 0;
    const auto done = transact_like_ef_core(database, {}, insert(1), [&]() -> Result<bool> {
        if (++verified < 7) return fail(transient("verify"));
        return true;
    });
    EXPECT_TRUE(done) << "the seventh and last";
    EXPECT_EQ(faults.counts().begins, 1) << "and the operation was not run again";
    EXPECT_EQ(things(), 1);

    faults.commit({Planned::fail_after});
    const auto in_vain = transact_like_ef_core(
        database, {}, insert(1), []() -> Result<bool> { return fail(transient("verify")); });
    ASSERT_FALSE(in_vain);
    EXPECT_EQ(in_vain.error().code, "verify");
    EXPECT_EQ(in_vain.error().attempts, 7);
}

TEST_P(EfCore, p27_a_call_inside_an_attempt_is_made_once_and_its_failure_belongs_to_the_outer) {
    Database database = open();
    PlannedFaults inner_faults;
    Database inner{with_faults(driver_of(GetParam()), inner_faults), {.plan = plan()}};
    inner_faults.execute({Planned::fail_before});
    int runs = 0;
    EXPECT_TRUE(transact(database, {}, [&](Transaction& tx) -> Result<void> {
        ++runs;
        PERDURE_TRY(inner.query({.attempt = &tx.attempt()}, "select 1"));
        return {};
    }));
    EXPECT_EQ(runs, 2);
    EXPECT_EQ(inner_faults.counts().executions, 2);
}

TEST_P(EfCore, p28_cancellation_is_seen_before_each_attempt) {
    Database database = open();
    std::stop_source stop;
    int runs = 0;
    const auto stopped =
        transact(database, {.stop = stop.get_token()}, [&](Transaction&) -> Result<void> {
            ++runs;
            stop.request_stop();
            return fail(transient("E"));
        });
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().stop, perdure::Stop::cancelled);
    EXPECT_EQ(stopped.error().effect, Effect::none);
    EXPECT_EQ(runs, 1);

    const auto not_begun = transact(database, {.stop = stop.get_token()}, insert(1));
    ASSERT_FALSE(not_begun);
    EXPECT_EQ(not_begun.error().effect, Effect::none);
    EXPECT_EQ(things(), 0);
}

TEST_P(EfCore, p28_what_was_finished_before_the_cancellation_is_not_undone) {
    Database database = open();
    std::stop_source stop;
    EXPECT_TRUE(transact(database, {.stop = stop.get_token()}, insert(1)));
    stop.request_stop();
    EXPECT_EQ(things(), 1);
}

}  // namespace
}  // namespace perdure::sql
