// SPDX-License-Identifier: Apache-2.0
//
// Does a token mark a transaction once and for all, and does its table look after itself?
#include "perdure/sql/token.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <utility>

#include "perdure/testing/fixed_random.hpp"
#include "sql/bank.hpp"

namespace perdure::sql {
namespace {

constexpr std::string_view written = "9f1c1d5e-7a0b-4c55-8f53-0f6f2c0f7a11";

TEST(Token, is_read_as_it_is_written_with_hyphens_or_without) {
    const auto token = Token::parse(written);
    ASSERT_TRUE(token);
    EXPECT_EQ(to_string(*token), written);
    EXPECT_EQ(token->hex(), "9f1c1d5e7a0b4c558f530f6f2c0f7a11");
    EXPECT_EQ(Token::parse(token->hex()), token);
    EXPECT_EQ(Token::parse("9F1C1D5E-7A0B-4C55-8F53-0F6F2C0F7A11"), token);
    EXPECT_EQ(token->bytes().size(), 16u);
    EXPECT_EQ(token->bytes()[0], '\x9f');
}

TEST(Token, is_not_read_from_anything_else) {
    for (const std::string_view text :
         {"", "9f1c", "9f1c1d5e-7a0b-4c55-8f53-0f6f2c0f7a1", "9f1c1d5e7a0b4c558f530f6f2c0f7a1g",
          "9f1c1d5e-7a0b4-c55-8f53-0f6f2c0f7a11", "{9f1c1d5e-7a0b-4c55-8f53-0f6f2c0f7a1}",
          "9f1c1d5e+7a0b-4c55-8f53-0f6f2c0f7a11", "9f1c1d5e-7a0b-4c55-8f53-0f6f2c0f7a112"})
        EXPECT_FALSE(Token::parse(text)) << text;
}

TEST(Token, is_new_each_time_and_follows_the_random_it_is_given) {
    std::set<std::string> seen;
    for (int i = 0; i < 1'000; ++i) seen.insert(Token::make().hex());
    EXPECT_EQ(seen.size(), 1'000u);
    perdure::testing::FixedRandom fixed{0.5};
    const WallTime now{2'000'000'000'123ms};
    EXPECT_EQ(Token::make(fixed, now), Token::make(fixed, now));
}

// So that the table's primary key, like its index on the time, has the old tokens side by side.
TEST(Token, begins_with_its_time) {
    perdure::testing::FixedRandom high{1.0};
    perdure::testing::FixedRandom low{0.0};
    const WallTime now{2'000'000'000'123ms};
    const std::string text = to_string(Token::make(low, now));
    EXPECT_EQ(text.substr(0, 15), "01d1a94a-207b-7") << "version 7 of RFC 9562";
    EXPECT_EQ(text[19], '8');
    EXPECT_LT(Token::make(high, now).hex(), Token::make(low, now + 1ms).hex());
    EXPECT_EQ(to_string(Token::make())[14], '7');
}

TEST(TokenTable, that_is_missing_is_a_clear_error_and_nothing_is_repeated) {
    Bank bank{{.tokens = {.use = TokenUse::use, .table = "our_token", .purge_every = {}}}};
    const auto done = transact(bank.database, {}, insert(1));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().cause, Cause::invalid);
    EXPECT_EQ(done.error().effect, Effect::none);
    EXPECT_EQ(done.error().attempts, 1);
    for (const std::string_view word : {"our_token", "TokenUse::create", "docs/guide/sql.md"})
        EXPECT_NE(done.error().message.find(word), std::string::npos) << done.error().message;
    EXPECT_EQ(bank.things(), 0);
    EXPECT_EQ(bank.database.counts().in_use, 0);
}

TEST(TokenTable, is_made_when_that_is_asked_for) {
    Bank created{with_tokens()};
    EXPECT_TRUE(transact(created.database, {}, insert(1)));
    EXPECT_TRUE(transact(created.database, {}, insert(2)));
    EXPECT_EQ(created.tokens(), 2);

    Bank deployed{{.tokens = {.use = TokenUse::use, .purge_every = {}}}};
    ASSERT_TRUE(make_token_table(deployed.plain));
    ASSERT_TRUE(make_token_table(deployed.plain)) << "twice is harmless";
    EXPECT_TRUE(transact(deployed.database, {}, insert(1)));
    EXPECT_EQ(deployed.tokens(), 1);
}

TEST(TokenTable, has_a_name_that_cannot_be_taken_for_something_else) {
    for (const char* name : {"", "a b", "a.b.c", "a;drop table thing", "\"a\"", ".a", "a."}) {
        Bank bank{{.tokens = {.use = TokenUse::create, .table = name, .purge_every = {}}}};
        const auto done = transact(bank.database, {}, insert(1));
        ASSERT_FALSE(done) << name;
        EXPECT_EQ(done.error().cause, Cause::invalid) << name;
        EXPECT_EQ(bank.things(), 0) << name;
    }
}

TEST(TokenTable, is_left_alone_by_transactions_that_only_read) {
    Bank bank{with_tokens()};
    ASSERT_TRUE(make_token_table(bank.plain));
    const auto counted =
        transact(bank.database, {.access = Access::read_only}, [](Transaction& tx) -> Result<int> {
            PERDURE_TRY_VALUE(const Rows rows, tx.query("select count(*) from thing"));
            return rows.single<int>();
        });
    EXPECT_EQ(counted.value_or(-1), 0);
    EXPECT_EQ(bank.tokens(), 0);
}

TEST(OwnToken, runs_a_transaction_once_however_often_it_is_called) {
    Bank bank{with_tokens()};
    const Token token = Token::make();
    int runs = 0;
    const auto nothing_to_say = [&](Transaction& tx) -> Result<void> {
        ++runs;
        PERDURE_TRY(tx.execute("insert into thing values (1)"));
        return {};
    };
    for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(transact(bank.database, {.token = token}, nothing_to_say));
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(bank.things(), 1);
}

TEST(OwnToken, that_is_taken_is_effect_applied_where_a_value_was_wanted) {
    Bank bank{with_tokens()};
    const Token token = Token::make();
    EXPECT_EQ(transact(bank.database, {.token = token}, insert(7)).value_or(-1), 7);
    const auto again = transact(bank.database, {.token = token}, insert(7));
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().effect, Effect::applied);
    EXPECT_EQ(again.error().code, "token-taken");
    EXPECT_EQ(again.error().attempts, 1);
    EXPECT_NE(again.error().message.find(to_string(token)), std::string::npos);
    EXPECT_EQ(bank.things(), 1);
}

// Somebody else runs the same transaction as soon as ours has lost its first attempt.
class Overtaking final : public Observer {
public:
    void on_event(const Event& event) noexcept override {
        if (event.kind == EventKind::waiting && then) std::exchange(then, {})();
    }
    std::function<void()> then{};
};

TEST(OwnToken, taken_by_another_between_two_attempts_is_not_answered_with_a_value_of_ours) {
    Overtaking overtaking;
    Bank bank{with_tokens(), {.observer = &overtaking}};
    const Token token = Token::make();
    overtaking.then = [&] { EXPECT_TRUE(transact(bank.plain, {.token = token}, insert(8))); };
    bank.faults.commit({{Planned::fail_before, failure_of(row_of(Product::sqlite, "5"),
                                                          During::in_transaction, "rolled back")}});
    const auto done = transact(bank.database, {.token = token}, insert(7));
    ASSERT_FALSE(done) << "the 7 was rolled back, the 8 is there";
    EXPECT_EQ(done.error().effect, Effect::applied);
    EXPECT_EQ(bank.plain.query("select id from thing")->single<int>().value_or(-1), 8);
}

TEST(OwnToken, works_on_a_database_that_uses_none_by_itself) {
    Bank bank;
    ASSERT_TRUE(make_token_table(bank.plain));
    const Token token = Token::make();
    EXPECT_TRUE(transact(bank.database, {.token = token}, insert(7)));
    EXPECT_FALSE(transact(bank.database, {.token = token}, insert(7)));
    EXPECT_EQ(bank.things(), 1);
}

TEST(OwnToken, tells_much_later_whether_its_transaction_landed) {
    Bank bank{with_tokens()};
    const Token done = Token::make();
    const Token given_up = Token::make();
    ASSERT_TRUE(transact(bank.database, {.token = done}, insert(1)));
    ASSERT_FALSE(transact(bank.database, {.token = given_up}, [](Transaction&) -> Result<int> {
        return fail({.cause = Cause::invalid});
    }));
    EXPECT_EQ(landed(bank.plain, done)->verdict(), Verdict::yes);
    EXPECT_EQ(landed(bank.plain, given_up)->verdict(), Verdict::no);
    EXPECT_EQ(landed(bank.plain, Token::make())->verdict(), Verdict::no);
    EXPECT_EQ(bank.tokens(), 1) << "asking leaves nothing behind";
}

TEST(OwnToken, is_answered_after_the_transaction_that_holds_it_has_ended) {
    Bank bank{with_tokens({.plan = hasty(strategy(Product::sqlite))})};
    const Token token = Token::make();
    bank.faults.commit({Fault::zombie(Ending::commits)});
    ASSERT_FALSE(transact(bank.database, {.deadline = 200ms, .token = token}, insert(1)));
    const auto while_it_lives = landed(bank.plain, token);
    ASSERT_TRUE(while_it_lives) << to_string(while_it_lives.error());
    EXPECT_EQ(while_it_lives->verdict(), Verdict::pending);
    bank.faults.release();
    EXPECT_EQ(landed(bank.plain, token)->verdict(), Verdict::yes);
}

}  // namespace
}  // namespace perdure::sql
