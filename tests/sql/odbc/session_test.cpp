// SPDX-License-Identifier: Apache-2.0
#include "sql/odbc/fault_server.hpp"

namespace perdure::sql {
namespace {

class OdbcSession : public FaultServer {};

TEST_F(OdbcSession, knows_the_product_after_the_first_connect) {
    EXPECT_EQ(driver_->traits().product, Product::odbc);
    const auto session = connect();
    ASSERT_TRUE(session);
    EXPECT_EQ(driver_->traits().product, Product::sqlserver);
    EXPECT_EQ(session->state(), State::idle);
    EXPECT_TRUE(session->still_good());
}

TEST_F(OdbcSession, carries_values_of_every_kind_there_and_back) {
    const auto session = connect();
    const std::string text = "Grüße, 'quoted' ? and more";
    const std::string bytes("\0\xff\x01", 3);
    const std::string long_text(100'000, 'x');
    const auto rows = query(
        *session, "select echo ?, ?, ?, ?, ?, ?, ?, ?",
        {std::int64_t{-7}, 1.5, true, text, Bytes{bytes}, nullptr, long_text, std::string_view{}});
    ASSERT_TRUE(rows) << to_string(rows.error());
    ASSERT_EQ(rows->size(), 1u);
    const Row row = rows->at(0);
    EXPECT_EQ(*row.get<std::int64_t>(0), -7);
    EXPECT_EQ(*row.get<double>(1), 1.5);
    EXPECT_EQ(*row.get<bool>(2), true);
    EXPECT_EQ(*row.get<std::string>(3), text);
    EXPECT_EQ(*row.get<std::string>(4), bytes);
    EXPECT_EQ(row.cell(5)->kind, Kind::null);
    EXPECT_EQ(*row.get<std::string>(6), long_text);
    EXPECT_EQ(*row.get<std::string>(7), "");
}

TEST_F(OdbcSession, hands_many_rows_over_in_order) {
    const auto session = connect();
    const auto rows = query(*session, "select numbers ?", {50'000});
    ASSERT_TRUE(rows);
    ASSERT_EQ(rows->size(), 50'000u);
    for (std::size_t i = 0; i < rows->size(); ++i)
        ASSERT_EQ(*rows->at(i).get<std::int64_t>(0), static_cast<std::int64_t>(i));
    const auto none = query(*session, "select numbers ?", {0});
    ASSERT_TRUE(none);
    EXPECT_EQ(none->size(), 0u);
    EXPECT_EQ(none->columns().size(), 1u) << "columns are told also when there are no rows";
}

TEST_F(OdbcSession, ends_a_query_whose_rows_are_refused_and_goes_on) {
    const auto session = connect();
    RowBuffer small{1000};
    const std::vector<Parameter> parameters{50'000};
    const auto done = session->run({"select numbers ?", parameters}, small, within(10s));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().cause, Cause::too_large);
    EXPECT_EQ(session->state(), State::idle);
    EXPECT_TRUE(query(*session, "select numbers ?", {1}));
}

TEST_F(OdbcSession, counts_placeholders_before_anything_is_sent) {
    const auto session = connect();
    const long before = count("executes");
    const auto done = run(*session, "insert into t values (?, ?)", {1, 2, 3});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().cause, Cause::invalid);
    EXPECT_EQ(done.error().code, "parameter-count");
    EXPECT_EQ(done.error().message, "the statement has 2 placeholders, 3 parameters were given");
    EXPECT_EQ(count("executes"), before);
    const auto nul = run(*session, "insert into t values (?)", {std::string_view{"a\0b", 3}});
    ASSERT_FALSE(nul);
    EXPECT_EQ(nul.error().cause, Cause::invalid);
    EXPECT_EQ(count("executes"), before);
}

TEST_F(OdbcSession, prepares_a_statement_once_and_anew_after_a_failure) {
    const auto session = connect();
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(run(*session, "insert into t values (?)", {i}));
    EXPECT_EQ(count("prepares"), 1);
    plan("execute 1 before 1205/40001");
    EXPECT_FALSE(run(*session, "insert into t values (?)", {1}));
    EXPECT_TRUE(run(*session, "insert into t values (?)", {1}));
    EXPECT_EQ(count("prepares"), 2);
    for (int i = 0; i < 100; ++i)
        ASSERT_TRUE(run(*session, "insert into t" + std::to_string(i) + " values (1)"));
    ASSERT_TRUE(run(*session, "insert into t values (?)", {1}));
    EXPECT_EQ(count("prepares"), 103) << "the oldest were let go";
}

TEST_F(OdbcSession, keeps_what_was_committed_and_nothing_else) {
    const auto session = connect();
    ASSERT_TRUE(session->begin({}, within(10s)));
    ASSERT_TRUE(run(*session, "insert into t values (1)"));
    EXPECT_EQ(session->state(), State::open);
    session->roll_back(within(10s));
    EXPECT_EQ(session->state(), State::idle);
    EXPECT_EQ(count("rows"), 0);
    ASSERT_TRUE(session->begin({}, within(10s)));
    ASSERT_TRUE(run(*session, "insert into t values (1)"));
    EXPECT_EQ(*query(*session, "select n")->single<int>(), 1);
    ASSERT_TRUE(session->commit(within(10s)));
    EXPECT_EQ(session->state(), State::idle);
    EXPECT_EQ(count("rows"), 1);
}

TEST_F(OdbcSession, never_commits_a_transaction_in_which_a_statement_failed) {
    const auto session = connect();
    ASSERT_TRUE(session->begin({}, within(10s)));
    ASSERT_TRUE(run(*session, "insert into t values (1)"));
    plan("execute 1 before 1205/40001");
    const auto failed = run(*session, "insert into t values (2)");
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().effect, Effect::none);
    EXPECT_EQ(session->state(), State::failed);
    EXPECT_FALSE(run(*session, "insert into t values (3)")) << "only a rollback is left";
    const auto committed = session->commit(within(10s));
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().code, "1205");
    EXPECT_EQ(committed.error().effect, Effect::none);
    EXPECT_EQ(count("commits"), 0) << "SQLEndTran(COMMIT) was never called";
    EXPECT_EQ(count("rollbacks"), 1);
    EXPECT_EQ(count("rows"), 0);
    EXPECT_EQ(session->state(), State::idle);
}

TEST_F(OdbcSession, does_not_believe_a_commit_after_which_the_link_is_dead) {
    const auto session = connect();
    ASSERT_TRUE(session->begin({}, within(10s)));
    ASSERT_TRUE(run(*session, "insert into t values (1)"));
    plan("commit 1 after / dead");
    const auto committed = session->commit(within(10s));
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().effect, Effect::unknown);
    EXPECT_EQ(session->state(), State::broken);
}

TEST_F(OdbcSession, does_not_commit_by_the_back_door_after_a_refused_commit) {
    const auto session = connect();
    ASSERT_TRUE(session->begin({}, within(10s)));
    ASSERT_TRUE(run(*session, "insert into t values (1)"));
    plan("commit 1 before 41305/42000");
    const auto committed = session->commit(within(10s));
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().effect, Effect::none);
    EXPECT_EQ(count("rows"), 0);
    EXPECT_EQ(session->state(), State::idle);
    EXPECT_TRUE(run(*session, "insert into t values (1)"));
    EXPECT_EQ(count("rows"), 1);
}

TEST_F(OdbcSession, says_what_is_wrong_with_calls_out_of_order) {
    const auto session = connect();
    EXPECT_EQ(session->commit(within(1s)).error().code, "wrong-state");
    ASSERT_TRUE(session->begin({}, within(1s)));
    EXPECT_EQ(session->begin({}, within(1s)).error().code, "wrong-state");
    EXPECT_FALSE(session->still_good()) << "a transaction is open";
}

TEST_F(OdbcSession, resolves_by_its_token) {
    const auto session = connect();
    const Token token = Token::make();
    EXPECT_EQ(session->probe(token, "perdure_token", 100ms, within(5s))->verdict(), Verdict::no);
    const Token id = Token::make();
    ASSERT_EQ(session->begin({.token = &token, .attempt_id = &id}, within(5s))->what,
              Beginnings::begun);
    const auto other = connect();
    EXPECT_EQ(other->probe(token, "perdure_token", 100ms, within(5s))->verdict(), Verdict::pending);
    EXPECT_EQ(other->state(), State::idle);
    ASSERT_TRUE(session->commit(within(5s)));
    const auto found = other->probe(token, "perdure_token", 100ms, within(5s));
    ASSERT_TRUE(found) << to_string(found.error());
    ASSERT_EQ(found->verdict(), Verdict::yes);
    EXPECT_EQ(found->value().attempt_id, id);
    const auto again = other->begin({.token = &token}, within(5s));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->what, Beginnings::token_taken);
    EXPECT_EQ(again->taken.attempt_id, id);
    EXPECT_EQ(other->state(), State::idle);
    const PurgeBatch old{.age = 1h, .tokens = 10};
    EXPECT_EQ(other->purge_tokens("perdure_token", old, within(5s))->tokens, 1);
    EXPECT_EQ(other->outcome_of({}, within(5s))->verdict(), Verdict::unknown);
    EXPECT_EQ(*other->end_old({}, within(5s)), Remains::cannot_tell);
}

TEST_F(OdbcSession, says_how_to_get_the_token_table_when_it_is_missing) {
    const auto session = connect();
    const Token token = Token::make();
    plan("execute 1 before 208/42S02");
    const auto begun = session->begin({.token = &token}, within(5s));
    ASSERT_FALSE(begun);
    EXPECT_EQ(begun.error().cause, Cause::invalid);
    EXPECT_EQ(begun.error().code, "208");
    EXPECT_NE(begun.error().message.find("perdure_token"), std::string::npos);
    EXPECT_NE(begun.error().message.find("TokenUse::create"), std::string::npos);
    EXPECT_EQ(session->state(), State::idle);
    ASSERT_TRUE(session->make_tokens("perdure_token", within(5s)));
    EXPECT_TRUE(session->begin({.token = &token}, within(5s)));
    EXPECT_FALSE(session->begin({.token = &token, .token_table = "a b"}, within(5s)));
}

TEST_F(OdbcSession, adds_the_column_for_attempts_to_an_old_token_table_or_says_how) {
    const auto session = connect();
    const Token token = Token::make();
    plan("execute 1 before 207/42S22");
    const auto begun = session->begin({.token = &token, .attempt_id = &token}, within(5s));
    ASSERT_FALSE(begun);
    EXPECT_EQ(begun.error().cause, Cause::invalid);
    EXPECT_EQ(begun.error().effect, Effect::none);
    const std::string_view remedy = "ALTER TABLE perdure_token ADD attempt_id binary(16) NULL";
    EXPECT_NE(begun.error().message.find(remedy), std::string::npos) << begun.error().message;
    plan("execute 1 before 207/42S22");
    const long before = count("executes");
    EXPECT_TRUE(session->make_tokens("perdure_token", within(5s)));
    EXPECT_EQ(count("executes"), before + 2) << "looked for, and added";
    plan("execute 1 before 207/42S22; execute 2 before 1088/42000");
    const auto made = session->make_tokens("perdure_token", within(5s));
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find(remedy), std::string::npos) << made.error().message;
}

TEST_F(OdbcSession, does_not_know_whose_a_token_is_that_it_may_not_read) {
    const auto session = connect();
    const Token token = Token::make();
    ASSERT_TRUE(session->begin({.token = &token, .attempt_id = &token}, within(5s)));
    ASSERT_TRUE(session->commit(within(5s)));
    plan("execute 2 before 229/42000");
    const auto found = session->probe(token, "perdure_token", 100ms, within(5s));
    ASSERT_TRUE(found) << to_string(found.error());
    EXPECT_EQ(found->verdict(), Verdict::yes);
    EXPECT_FALSE(found->value().attempt_id);
}

}  // namespace
}  // namespace perdure::sql
