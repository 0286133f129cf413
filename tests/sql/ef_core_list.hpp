// SPDX-License-Identifier: Apache-2.0
//
// What Entity Framework Core's tests pin down about its execution strategies, by the numbers of
// docs/reference/ef-core-conformance.md, where every difference in the counts is explained.
#pragma once

#include "perdure/testing/fixed_random.hpp"
#include "sql/ef_core_place.hpp"

namespace perdure::sql {
namespace {

TEST_P(EfCore, p02_a_database_retries_when_it_was_told_nothing) {
    EXPECT_GT(strategy(product()).rule.attempts, 1);
    EXPECT_GT(ef_core(product()).rule.attempts, 1);
    EXPECT_FALSE(plain().begin());
}

TEST_P(EfCore, p03_a_transaction_begun_by_hand_is_refused_by_the_call_and_with_the_remedy) {
    Database database = open();
    const auto begun = database.begin();
    ASSERT_FALSE(begun);
    EXPECT_EQ(begun.error().code, "use-transact");
    EXPECT_EQ(begun.error().cause, Cause::invalid);
    const std::string& says = begun.error().message;
    for (const std::string_view word : {std::string_view{"begin()"}, database.driver().name(),
                                        std::string_view{"sql::transact(database"},
                                        std::string_view{"sql::WithoutRetries plain{database}"}})
        EXPECT_NE(says.find(word), std::string::npos) << says;
    EXPECT_FALSE(database.execute("begin"));
    EXPECT_FALSE(database.query("begin"));
    EXPECT_EQ(faults.counts().opens, 0);
}

TEST_P(EfCore, p06_the_second_call_retries_as_often_as_the_first) {
    Database database = open_like_ef_core();
    for (int i = 0; i < 2; ++i) {
        faults.execute({Planned::fail_before, Planned::fail_before, Planned::fail_before,
                        Planned::fail_before, Planned::fail_before, Planned::fail_before});
        EXPECT_TRUE(transact(database, {}, insert(i)));
    }
    EXPECT_EQ(faults.counts().executions, 14);
    EXPECT_EQ(things(), 2);
}

TEST_P(EfCore,
       p07_without_retries_a_transaction_begun_by_hand_is_allowed_on_two_databases_at_once) {
    Plan once = plan();
    once.rule.attempts = 1;
    Database first{driver_of(GetParam()), {.plan = once}};
    Database second{driver_of(GetParam()), {.plan = once}};
    for (Database* database : {&first, &second})
        ASSERT_TRUE(database->execute("create table if not exists thing (id integer)"));
    auto one = first.begin();
    auto other = second.begin();
    ASSERT_TRUE(one) << to_string(one.error());
    ASSERT_TRUE(other) << to_string(other.error());
    for (auto* begun : {&one, &other}) {
        EXPECT_TRUE((**begun)->execute("insert into thing (id) values (1)"));
        EXPECT_TRUE((*begun)->commit());
    }
    EXPECT_GE(count_things(first).value_or(-1), 1);
    EXPECT_GE(count_things(second).value_or(-1), 1);
}

TEST_P(EfCore, p08_success_at_once_asks_neither_the_rules_nor_chance) {
    testing::ListedRandom random{{0.5}};
    Database database{
        driver_of(GetParam()), {.plan = plan()}, {.random = random, .observer = &watching}};
    int runs = 0;
    EXPECT_TRUE(transact(database, {}, [&](Transaction&) -> Result<void> {
        ++runs;
        return {};
    }));
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(random.drawn(), 0u);
    EXPECT_TRUE(watching.waits.empty());
    EXPECT_EQ(watching.asked, 0);
}

TEST_P(EfCore, p09_three_transient_failures_and_a_success_are_four_runs) {
    Database database = open();
    faults.execute({Planned::fail_before, Planned::fail_before, Planned::fail_before});
    int runs = 0;
    const auto wrapped = [&](Transaction& tx) -> Result<void> {
        ++runs;
        auto done = tx.execute("insert into thing (id) values (1)");
        if (done) return {};
        done.error().message = "while the order was saved: " + done.error().message;
        return done.take_failure();
    };
    EXPECT_TRUE(transact(database, {}, wrapped));
    EXPECT_EQ(runs, 4);
    EXPECT_EQ(things(), 1);
}

TEST_P(EfCore, p10_a_final_failure_after_transient_ones_is_told_as_it_is) {
    Database database = open();
    faults.execute({Planned::fail_before, Planned::fail_before, Planned::fail_before});
    int runs = 0;
    const auto done = transact(database, {}, [&](Transaction& tx) -> Result<void> {
        if (++runs == 4) return fail({.cause = Cause::conflict, .code = "E4", .message = "as is"});
        PERDURE_TRY(tx.execute("insert into thing (id) values (1)"));
        return {};
    });
    ASSERT_FALSE(done);
    EXPECT_EQ(runs, 4);
    EXPECT_EQ(done.error().cause, Cause::conflict);
    EXPECT_EQ(done.error().code, "E4");
    EXPECT_EQ(done.error().message, "as is");
    EXPECT_EQ(done.error().stop, perdure::Stop::permanent);
    EXPECT_EQ(done.error().first_cause, Cause::unavailable);
    EXPECT_EQ(things(), 0);
}

TEST_P(EfCore, p11_a_limit_of_three_attempts_gives_the_last_failure_and_says_why_it_stopped) {
    Plan three = ef_core_plan();
    three.rule.attempts = 3;
    Database database = open_without_tokens(three);
    int runs = 0;
    const auto done = transact(database, {}, [&](Transaction&) -> Result<void> {
        return fail(transient("E" + std::to_string(++runs)));
    });
    ASSERT_FALSE(done);
    EXPECT_EQ(runs, 3);
    EXPECT_EQ(done.error().code, "E3");
    EXPECT_EQ(done.error().stop, perdure::Stop::attempts);
    EXPECT_EQ(done.error().attempts, 3);
}

TEST_P(EfCore, p12_the_users_codes_are_held_against_the_failure_itself) {
    Database database = open({.codes = {.also_transient = {"row-changed"}}});
    int runs = 0;
    EXPECT_TRUE(transact(database, {}, [&](Transaction&) -> Result<void> {
        if (++runs == 1) return fail({.cause = Cause::conflict, .code = "row-changed"});
        return {};
    }));
    EXPECT_EQ(runs, 2);
    const auto other = transact(database, {}, [&](Transaction&) -> Result<void> {
        return fail({.cause = Cause::conflict, .code = "another"});
    });
    EXPECT_EQ(other.error().attempts, 1);
}

TEST_P(EfCore, p14_another_delay_does_not_lift_the_limit) {
    Plan plan = ef_core_plan();
    plan.rule.backoff = {.base = 1us, .jitter = Jitter::none, .curve = Curve::constant};
    Database database = open_without_tokens(plan);
    const auto done =
        transact(database, {}, [](Transaction&) -> Result<void> { return fail(transient("E")); });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().attempts, 7);
    EXPECT_EQ(watching.waits, std::vector<Duration>(6, 1us));
}

// 16 and 17 the way EF Core does it, with the caller's verification.
TEST_P(EfCore, p16_a_commit_that_was_rolled_back_is_run_again_once) {
    Database database = open_like_ef_core();
    faults.commit({Planned::fail_before});
    const auto verify = [&]() -> Result<bool> {
        PERDURE_TRY_VALUE(const auto count, count_things(database));
        return count > 0;
    };
    EXPECT_EQ(transact_like_ef_core(database, {}, insert(7), verify).value_or(-1), 7);
    EXPECT_EQ(watching.waits, std::vector<Duration>{0ms}) << "one retry, without a delay";
    EXPECT_EQ(faults.counts().opens, 3) << "attempt, verification, attempt";
    EXPECT_EQ(things(), 1);
}

TEST_P(EfCore, p17_a_commit_that_was_done_is_not_run_again) {
    Database database = open_like_ef_core();
    faults.commit({Planned::fail_after});
    const auto verify = [&]() -> Result<bool> {
        PERDURE_TRY_VALUE(const auto count, count_things(database));
        return count > 0;
    };
    EXPECT_EQ(transact_like_ef_core(database, {}, insert(7), verify).value_or(-1), 7);
    EXPECT_TRUE(watching.waits.empty());
    EXPECT_EQ(faults.counts().opens, 2);
    EXPECT_EQ(things(), 1);
}

TEST_P(EfCore, p16_and_p17_hold_for_our_own_transact_with_the_same_opens) {
    for (const bool done : {false, true}) {
        PlannedFaults own;
        Database database{with_faults(driver_of(GetParam()), own), with_tokens({.plan = plan()})};
        ASSERT_TRUE(database.execute("create table if not exists thing (id integer)"));
        database.clear();
        const int before = own.counts().opens;
        const auto had = count_things(database).value_or(-1);
        database.clear();
        own.commit({done ? Planned::fail_after : Planned::fail_before});
        Diagnostics diagnostics;
        EXPECT_EQ(transact(database, {.diagnostics = &diagnostics}, insert(7)).value_or(-1), 7);
        EXPECT_EQ(diagnostics.attempts().size(), done ? 1u : 2u);
        EXPECT_EQ(diagnostics.times_asked(), 1);
        EXPECT_EQ(own.counts().opens - before - 1, done ? 2 : 3);
        EXPECT_EQ(count_things(database).value_or(-1), had + 1);
    }
}

TEST_P(EfCore, p18_every_form_survives_both_kinds_of_lost_commit) {
    Database database = open();
    const auto nothing = [](Transaction& tx) -> Result<void> {
        PERDURE_TRY(tx.execute("insert into thing (id) values (1)"));
        return {};
    };
    std::int64_t expected = 0;
    for (const Planned lost : {Planned::fail_before, Planned::fail_after})
        for (const Isolation isolation : {Isolation::server_default, Isolation::read_committed,
                                          Isolation::repeatable_read, Isolation::serializable}) {
            SCOPED_TRACE(static_cast<int>(isolation));
            faults.commit({lost});
            EXPECT_TRUE(transact(database, {.isolation = isolation}, nothing));
            faults.commit({lost});
            EXPECT_EQ(transact(database, {.isolation = isolation}, insert(7)).value_or(-1), 7);
            EXPECT_EQ(things(), expected += 2);
        }
}

TEST_P(EfCore, p19_two_parts_that_share_a_transaction_are_both_there_once) {
    for (const Planned lost : {Planned::fail_before, Planned::fail_after}) {
        Database database = open();
        const std::int64_t before = things();
        faults.commit({lost});
        EXPECT_TRUE(transact(database, {}, [](Transaction& tx) -> Result<void> {
            PERDURE_TRY(tx.transact(insert(1)));
            PERDURE_TRY(tx.transact(insert(2)));
            return {};
        }));
        EXPECT_EQ(things(), before + 2);
    }
}

TEST_P(EfCore, p20_a_failure_before_commit_is_never_asked_about) {
    for (const Planned how : {Planned::fail_before, Planned::fail_after}) {
        Database database = open();
        const FaultCounts before = faults.counts();
        faults.execute({Planned::pass, how});
        Diagnostics diagnostics;
        EXPECT_TRUE(
            transact(database, {.diagnostics = &diagnostics}, [](Transaction& tx) -> Result<void> {
                PERDURE_TRY(tx.execute("insert into thing (id) values (1)"));
                PERDURE_TRY(tx.execute("insert into thing (id) values (2)"));
                return {};
            }));
        EXPECT_EQ(diagnostics.times_asked(), 0);
        EXPECT_EQ(faults.counts().opens - before.opens, 2);
        EXPECT_EQ(faults.counts().executions - before.executions, 4);
    }
    EXPECT_EQ(things(), 4);
}

}  // namespace
}  // namespace perdure::sql
