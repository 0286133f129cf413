// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <thread>

#include "perdure/sql/sqlite.hpp"
#include "sqlite_place.hpp"

namespace perdure::sql {
namespace {

using testing::driver_for;
using testing::execute;
using testing::number;
using testing::open;
using testing::Place;
using testing::query;
using testing::within;

class SqliteSessions : public ::testing::Test {
protected:
    std::shared_ptr<Driver> driver = driver_for(":memory:", {.statements = 3});
    std::unique_ptr<Session> session = open(*driver);
};

TEST_F(SqliteSessions, give_back_every_kind_of_value_as_it_was_given) {
    MUST(execute(*session, "create table t (v)"));
    const std::string_view binary{"\0\xff\x01", 3};
    MUST(execute(*session, "insert into t values (?), (?), (?), (?), (?), (?), (?), (?), (?)",
                 nullptr, true, std::numeric_limits<std::int64_t>::min(), 2.5, "käse",
                 std::string_view{}, Bytes{binary}, Bytes{},
                 std::numeric_limits<double>::infinity()));
    const auto rows = query(*session, "select v from t order by rowid");
    ASSERT_TRUE(rows);
    ASSERT_EQ(rows->size(), 9u);
    const Kind kinds[] = {Kind::null, Kind::integer, Kind::integer, Kind::real, Kind::text,
                          Kind::text, Kind::bytes,   Kind::bytes,   Kind::real};
    for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(rows->at(i).cell(0)->kind, kinds[i]) << i;
    EXPECT_EQ(rows->at(1).get<bool>(0).value_or(false), true);
    EXPECT_EQ(rows->at(2).get<std::int64_t>(0).value_or(0),
              std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(rows->at(3).get<double>(0).value_or(0), 2.5);
    EXPECT_EQ(rows->at(4).get<std::string>("v").value_or(""), "käse");
    EXPECT_EQ(rows->at(5).get<std::string>(0).value_or("not empty"), "");
    EXPECT_EQ(rows->at(6).get<std::string>(0).value_or(""), binary);
    EXPECT_EQ(rows->at(7).get<std::string>(0).value_or("not empty"), "");
}

TEST_F(SqliteSessions, refuse_what_cannot_be_meant_and_stay_good) {
    MUST(execute(*session, "create table t (v)"));
    const std::array<Parameter, 1> one{Parameter{1}};
    const std::array<Parameter, 1> nan{Parameter{std::nan("")}};
    struct Case {
        Statement statement;
        std::string_view code, reason;
    };
    const Case cases[] = {
        {{"select ?, ?", one}, "parameter-count", "2 placeholders, 1 parameter was given"},
        {{"select 1", one}, "parameter-count", "0 placeholders, 1 parameter was given"},
        {{"insert into t values (?)", {}},
         "parameter-count",
         "1 placeholder, 0 parameters were given"},
        {{"select 1; select 2", {}}, "several-statements", "more than one"},
        {{"", {}}, "empty-statement", "empty"},
        {{"-- nothing", {}}, "empty-statement", "empty"},
        {{"insert into t values (?)", nan}, "not-a-number", "parameter 1"},
        {{"begin", {}}, "transaction-statement", "transact()"},
        {{"commit", {}}, "transaction-statement", "transact()"},
        {{"savepoint a", {}}, "transaction-statement", "transact()"},
        {{"select from", {}}, "1", "syntax error"},
        {{"select * from nowhere", {}}, "1", "no such table: nowhere"},
    };
    for (const auto& [statement, code, reason] : cases) {
        RowBuffer rows{1000};
        const auto done = session->run(statement, rows, within(5s));
        ASSERT_FALSE(done) << statement.text;
        EXPECT_EQ(done.error().cause, Cause::invalid) << statement.text;
        EXPECT_EQ(done.error().effect, Effect::none) << statement.text;
        EXPECT_EQ(done.error().code, code) << statement.text;
        EXPECT_NE(done.error().message.find(reason), std::string::npos) << done.error().message;
        EXPECT_EQ(session->state(), State::idle) << statement.text;
    }
    EXPECT_EQ(number(*session, "select count(*) from t; -- a comment may follow"), 0);
}

TEST_F(SqliteSessions, say_how_many_rows_were_changed_and_which_key_was_made) {
    MUST(execute(*session, "create table t (id integer primary key, v)"));
    struct Case {
        std::string_view text;
        std::int64_t affected, last_id;
    };
    const Case cases[] = {
        {"insert into t (v) values (1), (2), (3)", 3, 3},
        {"update t set v = v + 1 where id > 1", 2, 0},
        {"create index i on t (v)", 0, 0},
        {"select * from t", 3, 0},
        {"insert into t (v) values (9) returning id", 1, 4},
        {"delete from t where id = 77", 0, 0},
        {"delete from t", 4, 0},
    };
    for (const auto& [text, affected, last_id] : cases) {
        const auto done = execute(*session, text);
        ASSERT_TRUE(done) << text;
        EXPECT_EQ(done->affected, affected) << text;
        EXPECT_EQ(done->last_id, last_id) << text;
    }
}

TEST_F(SqliteSessions, name_the_columns_also_without_rows_and_after_the_table_has_changed) {
    MUST(execute(*session, "create table t (a)"));
    const auto names = [&] {
        const auto rows = query(*session, "select * from t");
        return rows ? std::vector<std::string>{rows->columns().begin(), rows->columns().end()}
                    : std::vector<std::string>{};
    };
    EXPECT_EQ(names(), (std::vector<std::string>{"a"}));
    MUST(execute(*session, "alter table t add column b"));
    EXPECT_EQ(names(), (std::vector<std::string>{"a", "b"}));
}

TEST_F(SqliteSessions, keep_few_statements_prepared_and_still_run_many) {
    for (int round = 0; round < 3; ++round)
        for (int i = 0; i < 8; ++i)
            EXPECT_EQ(number(*session, "select " + std::to_string(i)), i) << round;
}

TEST_F(SqliteSessions, tell_the_constraint_and_never_the_value) {
    MUST(execute(*session, "create table t (id integer primary key, v text unique)"));
    MUST(execute(*session, "insert into t values (1, 'secret')"));
    const auto twice = execute(*session, "insert into t values (2, ?)", "secret");
    ASSERT_FALSE(twice);
    EXPECT_EQ(twice.error().cause, Cause::conflict);
    EXPECT_EQ(twice.error().code, "2067");
    EXPECT_EQ(twice.error().message, "UNIQUE constraint failed: t.v (SQLITE_CONSTRAINT_UNIQUE)");
    const auto wrong = query(*session, "select json(?)", "{secret");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().message.find("secret"), std::string::npos) << wrong.error().message;
}

class Refusing final : public RowSink {
public:
    explicit Refusing(Session* session = nullptr) : session_{session} {}
    Result<void> columns(std::span<const std::string_view>) override { return {}; }
    Result<void> row(std::span<const Cell>) override {
        if (session_) return execute(*session_, "select 1").transform([](const Done&) {});
        return fail({.cause = Cause::too_large, .code = "mine"});
    }

private:
    Session* session_;
};

TEST_F(SqliteSessions, end_a_statement_whose_rows_are_refused) {
    Refusing refusing;
    const auto done = session->run({.text = "select 1 union select 2"}, refusing, within(5s));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "mine");
    EXPECT_EQ(session->state(), State::idle);
    Refusing asking{session.get()};
    const auto inside = session->run({.text = "select 1"}, asking, within(5s));
    ASSERT_FALSE(inside) << "a session does one thing at a time";
    EXPECT_EQ(inside.error().code, "session-in-use");
    EXPECT_EQ(number(*session, "select 3"), 3);
}

// Counts without end.
constexpr std::string_view endless =
    "with recursive c(x) as (select 1 union all select x + 1 from c) select max(x) from c";

TEST_F(SqliteSessions, end_a_statement_at_its_deadline_and_when_asked_to_stop) {
    RowBuffer rows{1000};
    Clock& clock = system_clock();
    const TimePoint start = clock.now();
    const auto late = session->run({.text = endless}, rows, within(30ms));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().cause, Cause::timed_out);
    EXPECT_EQ(late.error().code, "deadline");
    EXPECT_EQ(late.error().effect, Effect::none);
    EXPECT_LT(clock.now() - start, 530ms);

    std::stop_source source;
    std::jthread stopper{[&] { clock.sleep_until(clock.now() + 20ms, {}), source.request_stop(); }};
    const auto stopped = session->run(
        {.text = endless}, rows, {.deadline = within(5s).deadline, .stop = source.get_token()});
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().cause, Cause::cancelled);
    EXPECT_EQ(stopped.error().code, "stopped");
    EXPECT_EQ(number(*session, "select 1"), 1) << "the session is none the worse";
}

}  // namespace
}  // namespace perdure::sql
