// SPDX-License-Identifier: Apache-2.0
//
// Two callers use one token, and one of them loses its COMMIT: is each given only a value that was
// really committed?
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "perdure/sql/async.hpp"
#include "sql/bank.hpp"
#include "sql/wait_for.hpp"

namespace perdure::sql {
namespace {

// Runs something once, when the resolver is about to be asked for the first time.
class BeforeAsking final : public Observer {
public:
    void on_event(const Event& event) noexcept override {
        if (event.kind == EventKind::asking && then) std::exchange(then, {})();
    }
    std::function<void()> then{};
};

enum class Form { waiting, awaited };

Result<int> transact_in(Form form, Database& database, const TransactOptions& options, int id) {
    if (form == Form::waiting) return transact(database, options, insert(id));
    return wait_for(
        // NOLINTNEXTLINE(cppcoreguidelines-avoid-capturing-lambda-coroutines): waited for here
        start_transact(database, options, [id](AsyncTransaction& tx) -> Task<Result<int>> {
            auto adding = tx.execute("insert into thing (id) values (?)", id);
            auto added = co_await adding;
            if (!added) co_return added.take_failure();
            co_return id;
        }));
}

int only_thing(Bank& bank) {
    const auto rows = bank.plain.query("select id from thing");
    return rows ? rows->single<int>().value_or(-1) : -1;
}

TEST(TokenOfTwo, committed_by_the_other_after_ours_was_lost_gives_no_value_of_ours) {
    for (const Form form : {Form::waiting, Form::awaited}) {
        BeforeAsking overtaking;
        Bank bank{with_tokens(), {.observer = &overtaking}};
        const Token token = Token::make();
        overtaking.then = [&] { EXPECT_TRUE(transact(bank.plain, {.token = token}, insert(8))); };
        bank.faults.commit({Planned::fail_before});
        const auto ours = transact_in(form, bank.database, {.token = token}, 7);
        ASSERT_FALSE(ours) << "the 7 was never committed";
        EXPECT_EQ(ours.error().effect, Effect::applied);
        EXPECT_EQ(ours.error().code, "token-taken");
        EXPECT_EQ(ours.error().attempts, 1);
        EXPECT_EQ(only_thing(bank), 8);
        EXPECT_EQ(bank.database.caller().counts().unknown_outcomes, 0u);
    }
}

TEST(TokenOfTwo, committed_by_the_other_is_a_success_where_there_is_no_value) {
    BeforeAsking overtaking;
    Bank bank{with_tokens(), {.observer = &overtaking}};
    const Token token = Token::make();
    overtaking.then = [&] { EXPECT_TRUE(transact(bank.plain, {.token = token}, insert(8))); };
    bank.faults.commit({Planned::fail_before});
    const auto nothing_to_say = [](Transaction& tx) -> Result<void> {
        PERDURE_TRY(tx.execute("insert into thing (id) values (7)"));
        return {};
    };
    EXPECT_TRUE(transact(bank.database, {.token = token}, nothing_to_say));
    EXPECT_EQ(only_thing(bank), 8);
}

TEST(TokenOfTwo, committed_by_us_gives_our_value_although_another_has_tried_meanwhile) {
    for (const Form form : {Form::waiting, Form::awaited}) {
        BeforeAsking late;
        Bank bank{with_tokens(), {.observer = &late}};
        const Token token = Token::make();
        late.then = [&] {
            EXPECT_EQ(transact(bank.plain, {.token = token}, insert(8)).error().code,
                      "token-taken");
        };
        bank.faults.commit({Planned::fail_after});
        EXPECT_EQ(transact_in(form, bank.database, {.token = token}, 7).value_or(-1), 7);
        EXPECT_EQ(only_thing(bank), 7);
    }
}

// A driver that is mistaken about a COMMIT: told as surely undone, but it was done.
TEST(TokenOfTwo, found_by_a_later_attempt_of_the_same_call_gives_the_value_that_was_committed) {
    const Failure mistaken = failure_of(row_of(Product::sqlite, "5"), During::in_transaction);
    for (const Form form : {Form::waiting, Form::awaited}) {
        Bank bank{with_tokens()};
        bank.faults.commit({{Planned::fail_after, mistaken}});
        EXPECT_EQ(transact_in(form, bank.database, {}, 7).value_or(-1), 7);
        EXPECT_EQ(only_thing(bank), 7);
    }
    Bank bank{with_tokens()};
    bank.faults.commit({{Planned::fail_after, mistaken}});
    int runs = 0;
    const auto counting = [&](Transaction& tx) -> Result<int> {
        PERDURE_TRY(tx.execute("insert into thing (id) values (?)", ++runs));
        return runs;
    };
    EXPECT_EQ(transact(bank.database, {}, counting).value_or(-1), 1);
    EXPECT_EQ(runs, 1);
}

TEST(TokenOfTwo, whose_row_does_not_say_who_wrote_it_gives_no_value) {
    Bank bank{with_tokens()};
    ASSERT_TRUE(make_token_table(bank.plain));
    bank.faults.commit({Planned::fail_after});
    BeforeAsking forgetting;
    Database ours{with_faults(bank.driver, bank.faults), with_tokens(), {.observer = &forgetting}};
    // As a process of an earlier version writes it.
    forgetting.then = [&] {
        EXPECT_TRUE(bank.plain.execute("update perdure_token set attempt_id = null"));
    };
    const auto done = transact(ours, {.token = Token::make()}, insert(7));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().effect, Effect::applied);
    EXPECT_EQ(done.error().code, "token-taken");
    EXPECT_NE(done.error().message.find("does not say by which call"), std::string::npos);

    bank.faults.commit({Planned::fail_after});
    EXPECT_EQ(transact(ours, {}, insert(8)).value_or(-1), 8)
        << "nobody else has a token that was made for this call, and one COMMIT was sent";
}

TEST(OldTokenTable, gets_its_column_where_tables_may_be_created_and_else_says_how) {
    const char* const old_table =
        "create table perdure_token (token blob not null primary key, created_at integer not null "
        "default (cast(strftime('%s','now') as integer))) without rowid";
    const Token old_token = Token::make();
    const auto with_old_table = [&](Bank& bank) {
        ASSERT_TRUE(bank.plain.execute(old_table));
        ASSERT_TRUE(bank.plain.execute("insert into perdure_token (token) values (?)", old_token));
    };
    Bank used{{.tokens = {.use = TokenUse::use, .purge_every = {}}}};
    with_old_table(used);
    EXPECT_EQ(landed(used.database, old_token)->verdict(), Verdict::yes) << "without the column";
    EXPECT_EQ(landed(used.database, Token::make())->verdict(), Verdict::no);
    const auto refused = transact(used.database, {}, insert(1));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().cause, Cause::invalid);
    EXPECT_EQ(refused.error().effect, Effect::none);
    const std::string_view remedy = "ALTER TABLE perdure_token ADD COLUMN attempt_id BLOB";
    EXPECT_NE(refused.error().message.find(remedy), std::string::npos) << refused.error().message;
    ASSERT_TRUE(used.plain.execute(remedy));
    EXPECT_TRUE(transact(used.database, {}, insert(1)));

    Bank created{with_tokens()};
    with_old_table(created);
    created.faults.commit({Planned::fail_after});
    EXPECT_EQ(transact(created.database, {}, insert(7)).value_or(-1), 7);
    EXPECT_EQ(landed(created.database, old_token)->verdict(), Verdict::yes);
    EXPECT_EQ(transact(created.database, {.token = old_token}, insert(8)).error().code,
              "token-taken");
    EXPECT_TRUE(make_token_table(created.plain)) << "twice is harmless";
}

}  // namespace
}  // namespace perdure::sql
