// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/sqlite.hpp"
#include "perdure/testing/virtual_clock.hpp"
#include "sqlite_place.hpp"

namespace perdure::sql {
namespace {

using testing::driver_for;
using testing::execute;
using testing::number;
using testing::open;
using testing::Place;
using testing::within;

constexpr std::string_view table = "perdure_token";

class SqliteTokens : public ::testing::Test {
protected:
    void SetUp() override { MUST(one->make_tokens(table, within(5s))); }
    Verdict probe(Session& session, const Token& asked_for) {
        auto found = session.probe(asked_for, table, 50ms, within(5s, clock));
        EXPECT_TRUE(found) << to_string(found.error());
        EXPECT_EQ(session.state(), State::idle);
        return found ? found->verdict() : Verdict::unknown;
    }

    Place place;
    perdure::testing::VirtualClock clock;
    std::shared_ptr<Driver> driver = driver_for(place / "a.db");
    std::unique_ptr<Session> one = open(*driver), asked = open(*driver, clock);
    const Token token = Token::make();
};

TEST_F(SqliteTokens, are_there_if_and_only_if_the_transaction_is) {
    EXPECT_EQ(probe(*asked, token), Verdict::no);
    MUST(one->begin({.token = &token}, within(5s)));
    EXPECT_EQ(probe(*asked, token), Verdict::pending) << "it can still be committed";
    one->roll_back(within(5s));
    EXPECT_EQ(probe(*asked, token), Verdict::no);
    MUST(one->begin({.token = &token}, within(5s)));
    MUST(one->commit(within(5s)));
    EXPECT_EQ(probe(*asked, token), Verdict::yes);
    EXPECT_EQ(number(*one, "select count(*) from perdure_token"), 1) << "a probe leaves nothing";
}

TEST_F(SqliteTokens, say_which_attempt_left_them) {
    const Token id = Token::make();
    MUST(one->begin({.token = &token, .attempt_id = &id}, within(5s)));
    MUST(one->commit(within(5s)));
    const auto found = asked->probe(token, table, 50ms, within(5s, clock));
    ASSERT_TRUE(found);
    ASSERT_EQ(found->verdict(), Verdict::yes);
    EXPECT_EQ(found->value().attempt_id, id);
    const auto again = one->begin({.token = &token}, within(5s));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->taken.attempt_id, id);
    const Token without_id = Token::make();
    MUST(one->begin({.token = &without_id}, within(5s)));
    MUST(one->commit(within(5s)));
    EXPECT_FALSE(one->begin({.token = &without_id}, within(5s))->taken.attempt_id);
}

TEST_F(SqliteTokens, let_a_transaction_begin_once) {
    const auto first = one->begin({.token = &token}, within(5s));
    ASSERT_TRUE(first);
    EXPECT_EQ(first->what, Beginnings::begun);
    MUST(one->commit(within(5s)));
    const auto second = one->begin({.token = &token}, within(5s));
    ASSERT_TRUE(second);
    EXPECT_EQ(second->what, Beginnings::token_taken);
    EXPECT_EQ(one->state(), State::idle);
    const Token other = Token::make();
    MUST(one->begin({.token = &other}, within(5s)));
}

TEST_F(SqliteTokens, are_made_once_and_with_a_schema_if_wanted) {
    MUST(one->make_tokens(table, within(5s)));
    MUST(one->make_tokens("main.other_tokens", within(5s)));
    MUST(one->begin({.token = &token, .token_table = "main.other_tokens"}, within(5s)));
    MUST(one->commit(within(5s)));
    EXPECT_EQ(number(*one, "select count(*) from other_tokens"), 1);
    EXPECT_LT(number(*one, "select abs(strftime('%s','now') - created_at) from other_tokens"), 60);
}

TEST_F(SqliteTokens, without_their_table_say_what_to_do) {
    const auto begun = one->begin({.token = &token, .token_table = "elsewhere"}, within(5s));
    ASSERT_FALSE(begun);
    EXPECT_EQ(begun.error().cause, Cause::invalid);
    EXPECT_EQ(begun.error().code, "1");
    for (const std::string_view part : {"'elsewhere'", "TokenUse::create", "docs/guide/sql.md"})
        EXPECT_NE(begun.error().message.find(part), std::string::npos) << begun.error().message;
    EXPECT_EQ(one->state(), State::idle);
    for (const std::string_view name : {"", "a b", "a.b.c", "a;drop table t", "\"a\"", "a."}) {
        EXPECT_EQ(one->make_tokens(name, within(5s)).error().code, "token-table") << name;
        const auto refused = one->begin({.token = &token, .token_table = name}, within(5s));
        ASSERT_FALSE(refused) << name;
        EXPECT_EQ(refused.error().code, "token-table") << name;
        EXPECT_EQ(one->state(), State::idle) << name;
    }
}

TEST_F(SqliteTokens, are_purged_by_age_in_batches) {
    for (int i = 0; i < 5; ++i) {
        const Token old = Token::make();
        MUST(execute(*one,
                     "insert into perdure_token (token, created_at) "
                     "values (?, cast(strftime('%s','now') as integer) - 7200)",
                     old));
    }
    MUST(one->begin({.token = &token}, within(5s)));
    MUST(one->commit(within(5s)));
    std::string from;
    for (const std::int64_t gone : {2, 2, 1}) {
        auto purged = one->purge_tokens(table, {.age = 1h, .tokens = 2, .from = from}, within(5s));
        ASSERT_TRUE(purged) << to_string(purged.error());
        EXPECT_EQ(purged->tokens, gone);
        from = purged->next;
    }
    EXPECT_EQ(from, "") << "no older token is left";
    EXPECT_EQ(number(*one, "select count(*) from perdure_token"), 1);
}

// Without the index every batch would walk the table.
TEST_F(SqliteTokens, are_found_by_an_index_also_in_a_table_of_an_earlier_version) {
    RowBuffer rows{10'000};
    MUST(one->run({"explain query plan select token from perdure_token where created_at < 7 "
                   "order by created_at limit 9"},
                  rows, within(5s)));
    const Rows plan = rows.take();
    EXPECT_EQ(plan.at(0).get<std::string>("detail").value_or(""),
              "SEARCH perdure_token USING COVERING INDEX perdure_token_created_at (created_at<?)");

    const char* const indexes = "select count(*) from sqlite_master where sql like '%(created_at)'";
    EXPECT_EQ(number(*one, indexes), 1);
    MUST(execute(*one, "drop index perdure_token_created_at"));
    MUST(one->make_tokens(table, within(5s)));
    EXPECT_EQ(number(*one, indexes), 0) << "it may take long, so not while a call waits";
    MUST(one->index_tokens(table, within(5s)));
    EXPECT_EQ(number(*one, indexes), 1);
}

TEST_F(SqliteTokens, answer_within_the_bounds_when_somebody_writes_for_long) {
    MUST(one->begin({}, within(5s)));
    const auto late = asked->probe(token, table, 10s, within(1s, clock));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, "deadline");
    EXPECT_EQ(asked->end_old({}, within(1s)).value(), Remains::gone);
    EXPECT_EQ(asked->outcome_of({}, within(1s)).value().verdict(), Verdict::unknown);
}

}  // namespace
}  // namespace perdure::sql
