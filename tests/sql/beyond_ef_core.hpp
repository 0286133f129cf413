// SPDX-License-Identifier: Apache-2.0
//
// What Entity Framework Core has no tests for, because it has no answer or another one.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "perdure/sql/violation.hpp"
#include "sql/ef_core_place.hpp"

namespace perdure::sql {
namespace {

TEST_P(Beyond, a_zombie_that_rolls_back_is_waited_for_by_inserting_its_token_again) {
    Database database = open();
    faults.commit({Fault::zombie(Ending::rolls_back, 60ms)});
    EXPECT_EQ(transact(database, {}, insert(7)).value_or(-1), 7);
    EXPECT_EQ(faults.counts().begins, 2);
    EXPECT_EQ(things(), 1);
}

TEST_P(Beyond, a_zombie_that_commits_is_found_by_its_token_and_not_run_again) {
    Database database = open();
    faults.commit({Fault::zombie(Ending::commits, 60ms)});
    EXPECT_EQ(transact(database, {}, insert(7)).value_or(-1), 7);
    EXPECT_EQ(faults.counts().begins, 1);
    EXPECT_EQ(things(), 1);
}

// The mistake this library exists to avoid: EF Core's default on the same fault.
TEST_P(Beyond, a_commit_that_was_done_is_doubled_by_ef_core_without_verification_and_not_by_us) {
    Database careless = open_like_ef_core();
    faults.commit({Planned::fail_after});
    EXPECT_TRUE(transact_like_ef_core(careless, {}, insert(1)));
    EXPECT_EQ(things(), 2);
    Database database = open();
    faults.commit({Planned::fail_after});
    EXPECT_TRUE(transact(database, {}, insert(1)));
    EXPECT_EQ(things(), 3);
}

TEST_P(Beyond, a_lost_commit_without_token_is_known_only_by_the_servers_word_or_stays_unknown) {
    for (const Planned lost : {Planned::fail_before, Planned::fail_after}) {
        Database database = open_without_tokens(plan());
        const std::int64_t before = things();
        faults.commit({lost});
        const auto done = transact(database, {}, insert(1));
        if (database.driver().traits().notes_transactions) {
            EXPECT_TRUE(done) << to_string(done.error());
            EXPECT_EQ(things(), before + 1);
        } else {
            ASSERT_FALSE(done);
            EXPECT_EQ(done.error().effect, Effect::unknown);
            EXPECT_EQ(done.error().stop, perdure::Stop::unsafe);
            EXPECT_EQ(done.error().attempts, 1) << "nothing was run again";
            EXPECT_EQ(things(), before + (lost == Planned::fail_after ? 1 : 0));
        }
    }
}

TEST_P(Beyond, a_link_that_died_before_commit_is_never_a_success) {
    Plan once = plan();
    once.rule.attempts = 1;
    Database database = open({.plan = once});
    faults.execute({Planned::fail_before});
    const auto done = transact(database, {}, [](Transaction& tx) -> Result<void> {
        EXPECT_FALSE(tx.execute("insert into thing (id) values (1)"));
        EXPECT_FALSE(tx.execute("insert into thing (id) values (2)")) << "the same error again";
        EXPECT_TRUE(tx.failure());
        return {};  // swallowed
    });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "planned");
    EXPECT_EQ(done.error().effect, Effect::none);
    EXPECT_EQ(faults.counts().commits, 0) << "COMMIT was not even sent";
    EXPECT_EQ(things(), 0);
}

TEST_P(Beyond, a_body_that_swallows_a_transient_failure_is_run_again) {
    Database database = open();
    faults.execute({Planned::fail_before});
    int runs = 0;
    EXPECT_TRUE(transact(database, {}, [&](Transaction& tx) -> Result<void> {
        ++runs;
        static_cast<void>(tx.execute("insert into thing (id) values (1)"));
        return {};
    }));
    EXPECT_EQ(runs, 2);
    EXPECT_EQ(things(), 1);
}

TEST_P(Beyond, an_exception_of_the_body_rolls_back_and_passes_through) {
    Database database = open();
    int runs = 0;
    const auto throwing = [&](Transaction& tx) -> Result<void> {
        ++runs;
        PERDURE_TRY(tx.execute("insert into thing (id) values (1)"));
        throw std::runtime_error{"mine"};
    };
    EXPECT_THROW(static_cast<void>(transact(database, {}, throwing)), std::runtime_error);
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(things(), 0);
    EXPECT_EQ(database.counts().in_use, 0);
    EXPECT_TRUE(transact(database, {}, insert(1))) << "nothing is left that holds a lock";
}

TEST_P(Beyond, a_joined_part_that_fails_fails_the_whole_even_if_that_is_ignored) {
    Database database = open();
    const auto done = transact(database, {}, [](Transaction& tx) -> Result<void> {
        PERDURE_TRY(tx.execute("insert into thing (id) values (1)"));
        const auto part = tx.transact([](Transaction&) -> Result<void> {
            return fail({.cause = Cause::conflict, .code = "part"});
        });
        EXPECT_FALSE(part);
        EXPECT_FALSE(tx.execute("insert into thing (id) values (2)"));
        return {};
    });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "part");
    EXPECT_EQ(things(), 0);
}

TEST_P(Beyond, a_deadline_cuts_the_delay_instead_of_being_slept_past) {
    Plan patient = plan();
    patient.rule.backoff = {.base = 1h, .cap = 1h, .jitter = Jitter::none};
    Database database = open({.plan = patient});
    const auto done = transact(database, {.deadline = 2s},
                               [](Transaction&) -> Result<void> { return fail(transient("E")); });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().stop, perdure::Stop::deadline);
    EXPECT_EQ(done.error().code, "E") << "the real failure, not the deadline's";
    EXPECT_TRUE(watching.waits.empty());
    EXPECT_LT(done.error().elapsed, 2s);
}

TEST_P(Beyond, a_spent_budget_ends_the_retries_with_the_failure_as_it_was) {
    Plan poor = plan();
    poor.budget = {.kind = BudgetKind::fixed, .capacity = 1.5};  // one retry at 1.4
    Database database = open({.plan = poor});
    const auto done =
        transact(database, {}, [](Transaction&) -> Result<void> { return fail(transient("E")); });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().stop, perdure::Stop::budget);
    EXPECT_EQ(done.error().code, "E");
    EXPECT_EQ(done.error().attempts, 2);
    EXPECT_TRUE(transact(database, {}, insert(1))) << "first attempts are free";
}

// EF Core's own bug (efcore#19079): there the inner one loses its retries.
TEST_P(Beyond, a_call_on_another_database_that_is_not_told_of_the_attempt_keeps_its_own_retries) {
    Database database = open();
    PlannedFaults inner_faults;
    Database inner{with_faults(driver_of(GetParam()), inner_faults), {.plan = plan()}};
    inner_faults.execute({Planned::fail_before, Planned::fail_before});
    int runs = 0;
    EXPECT_TRUE(transact(database, {}, [&](Transaction&) -> Result<void> {
        ++runs;
        PERDURE_TRY(inner.query("select 1"));
        return {};
    }));
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(inner_faults.counts().executions, 3);
}

TEST_P(Beyond, another_dependency_that_is_given_the_attempt_makes_one) {
    Database database = open();
    Caller mail{hasty({.name = "mail"})};
    int told = 0;
    int untold = 0;
    const auto failing = [](int& times) {
        return [&times]() -> Result<void> {
            if (++times == 1) return fail(transient("mail"));
            return {};
        };
    };
    int runs = 0;
    EXPECT_TRUE(transact(database, {}, [&](Transaction& tx) -> Result<void> {
        ++runs;
        PERDURE_TRY(mail.run({.safety = Safety::idempotent}, failing(untold)));
        return mail.run(tx.attempt(), {.safety = Safety::idempotent}, failing(told));
    }));
    EXPECT_EQ(runs, 2) << "the failure of the one attempt was this transaction's";
    EXPECT_EQ(told, 2);
    EXPECT_EQ(untold, 3) << "two in the first run, by its own retries";
}

TEST_P(Beyond, users_take_codes_away) {
    Database database = open({.codes = {.not_transient = {"planned"}}});
    faults.execute({Planned::fail_before});
    const auto done = transact(database, {}, insert(1));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().attempts, 1);
    EXPECT_EQ(done.error().stop, perdure::Stop::permanent);
    faults.open({Planned::fail_before});
    database.clear();
    EXPECT_FALSE(database.query("select 1"));
}

TEST_P(Beyond, a_statement_by_itself_is_repeated_only_if_that_is_harmless) {
    Database database = open();
    const struct {
        std::optional<Safety> safety;
        Planned lost;
        int rows;  // -1: effect unknown
    } cases[] = {
        {{}, Planned::fail_after, -1},
        {{}, Planned::fail_before, -1},
        {Safety::idempotent, Planned::fail_before, 1},
        {Safety::idempotent, Planned::fail_after, 2},  // that is what idempotent promises to bear
    };
    for (const auto& [safety, lost, rows] : cases) {
        const std::int64_t before = things();
        faults.execute({lost});
        const auto done = database.execute({.safety = safety}, "insert into thing (id) values (1)");
        EXPECT_EQ(done.has_value(), rows > 0);
        if (done) {
            EXPECT_EQ(things(), before + rows);
        } else {
            EXPECT_EQ(done.error().effect, Effect::unknown);
            EXPECT_EQ(done.error().attempts, 1);
        }
    }
}

TEST_P(Beyond, the_callers_landed_is_asked_in_a_fresh_session_and_believed) {
    for (const Planned lost : {Planned::fail_before, Planned::fail_after}) {
        Database database = open_without_tokens(plan());
        if (database.driver().traits().notes_transactions) GTEST_SKIP() << "asks the server";
        const std::int64_t before = things();
        const int opens = faults.counts().opens;
        int asked = 0;
        const auto there = [&](Transaction& look) -> Result<bool> {
            ++asked;
            PERDURE_TRY_VALUE(const Rows rows, look.query("select count(*) from thing"));
            PERDURE_TRY_VALUE(const auto count, rows.single<std::int64_t>());
            return count > before;
        };
        faults.commit({lost});
        EXPECT_EQ(transact(database, {.landed = there}, insert(7)).value_or(-1), 7);
        EXPECT_EQ(asked, 1);
        EXPECT_EQ(things(), before + 1);
        EXPECT_EQ(faults.counts().opens - opens, lost == Planned::fail_after ? 2 : 3);
    }
}

TEST_P(Beyond, a_constraint_violation_has_one_name_on_every_database) {
    for (const char* text :
         {"drop table if exists child", "drop table if exists parent",
          "create table parent (id integer not null primary key)",
          "create table child (id integer not null primary key, name varchar(10) unique, "
          "age integer not null check (age > 0), parent integer, "
          "foreign key (parent) references parent (id))",
          "insert into parent values (1)", "insert into child values (1, 'Ada', 36, 1)"})
        ASSERT_TRUE(plain().execute(text)) << text;
    const struct {
        const char* statement;
        Violation violation;
    } cases[] = {
        {"insert into child values (1, 'Eve', 7, null)", Violation::unique},
        {"insert into child values (2, 'Ada', 7, null)", Violation::unique},
        {"insert into child values (2, 'Eve', 7, 9)", Violation::foreign_key},
        {"delete from parent where id = 1", Violation::foreign_key},
        {"insert into child values (2, 'Eve', null, null)", Violation::not_null},
        {"insert into child (id, name) values (2, 'Eve')", Violation::not_null},
        {"insert into child values (2, 'Eve', -7, null)", Violation::check},
        {"insert into nowhere values (1)", Violation::none},
    };
    Database database = open();
    for (const auto& one : cases) {
        SCOPED_TRACE(one.statement);
        const auto by_itself = database.execute(one.statement);
        ASSERT_FALSE(by_itself);
        EXPECT_EQ(to_string(violation(by_itself.error())), to_string(one.violation))
            << to_string(by_itself.error());
        const auto whole = transact(database, {}, [&](Transaction& tx) -> Result<void> {
            PERDURE_TRY(tx.execute(one.statement));
            return {};
        });
        ASSERT_FALSE(whole);
        EXPECT_EQ(to_string(violation(whole.error())), to_string(one.violation));
        EXPECT_EQ(whole.error().attempts, 1);
        EXPECT_EQ(whole.error().effect, Effect::none);
    }
    for (const char* text : {"drop table child", "drop table parent"})
        EXPECT_TRUE(plain().execute(text));
}

TEST_P(Beyond, bytes_come_back_as_they_were_sent) {
    Database database = open();
    const std::string type = product() == Product::postgres ? "bytea" : "blob";
    ASSERT_TRUE(plain().execute("drop table if exists piece"));
    ASSERT_TRUE(plain().execute("create table piece (content " + type + ")"));
    const std::vector<std::byte> all{std::byte{0}, std::byte{0xff}, std::byte{'\''}};
    EXPECT_TRUE(database.execute("insert into piece values (?)", all));
    const auto rows = database.query("select content from piece where content = ?", all);
    ASSERT_TRUE(rows) << to_string(rows.error());
    EXPECT_EQ(rows->single<std::vector<std::byte>>().value(), all);
    EXPECT_TRUE(plain().execute("drop table piece"));
}

}  // namespace
}  // namespace perdure::sql
