// SPDX-License-Identifier: Apache-2.0
//
// Each number of SQL Server's table, raised by the driver that fails as planned. No SQL Server runs
// here: what is shown is that a number is read, repeated and trusted as its row says.
#include "sql/odbc/fault_server.hpp"

namespace perdure::sql {
namespace {

class OdbcNumbers : public FaultServer {
protected:
    void TearDown() override {
        session_.reset();
        FaultServer::TearDown();
    }
    // State 42000 for all: the number alone has to decide.
    static std::string raised(const ErrorRow& row) { return std::string{row.code} + "/42000"; }
    static bool is_repeated(const Failure& failure) {
        return is_repeatable(failure.cause) && failure.retry_after != never;
    }
    static bool has(const ErrorRow& row, Reaction one) { return row.reactions.has(one); }
    static void expect_state(const Session& session, const ErrorRow& row, State otherwise) {
        EXPECT_EQ(session.state(), has(row, Reaction::discard) ? State::broken : otherwise);
    }
    std::unique_ptr<Session>& ready() {
        if (!session_ || session_->state() == State::broken) session_ = connect();
        return session_;
    }
    std::unique_ptr<Session> session_;
};

TEST_F(OdbcNumbers, are_all_there) {
    int efs = 0;
    for (const ErrorRow& row : error_rows(Product::sqlserver))
        if (row.source.starts_with("EF Core")) ++efs;
    EXPECT_EQ(efs, 176);
}

TEST_F(OdbcNumbers, in_a_transaction_are_repeated_as_their_rows_say_and_took_no_effect) {
    for (const ErrorRow& row : error_rows(Product::sqlserver)) {
        SCOPED_TRACE(row.code);
        auto& session = ready();
        ASSERT_TRUE(session->begin({}, within(10s)));
        plan("execute 1 before " + raised(row));
        const auto done = run(*session, "insert into t values (1)");
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().code, row.code);
        EXPECT_EQ(done.error().cause, row.cause);
        EXPECT_EQ(done.error().effect, Effect::none);
        EXPECT_EQ(is_repeated(done.error()),
                  is_repeatable(row.cause) && !has(row, Reaction::nothing));
        expect_state(*session, row, State::failed);
        EXPECT_FALSE(session->commit(within(10s)));
        EXPECT_EQ(count("commits"), 0);
        EXPECT_EQ(count("rows"), 0);
    }
}

TEST_F(OdbcNumbers, of_a_statement_by_itself_are_unknown_where_their_rows_say_so) {
    for (const ErrorRow& row : error_rows(Product::sqlserver)) {
        SCOPED_TRACE(row.code);
        auto& session = ready();
        plan("execute 1 before " + raised(row));
        const auto done = run(*session, "insert into t values (1)");
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().effect,
                  has(row, Reaction::ambiguous) ? Effect::unknown : Effect::none);
        expect_state(*session, row, State::idle);
    }
}

TEST_F(OdbcNumbers, at_commit_are_definite_or_unknown_as_their_rows_say) {
    for (const ErrorRow& row : error_rows(Product::sqlserver)) {
        SCOPED_TRACE(row.code);
        const bool ambiguous = has(row, Reaction::ambiguous);
        auto& session = ready();
        const long before = count("rows");
        ASSERT_TRUE(session->begin({}, within(10s)));
        ASSERT_TRUE(run(*session, "insert into t values (1)"));
        // What is ambiguous is raised after the work was done, to show that none would be a lie.
        plan(std::string{"commit 1 "} + (ambiguous ? "after " : "before ") + raised(row));
        const auto committed = session->commit(within(10s));
        ASSERT_FALSE(committed);
        EXPECT_EQ(committed.error().effect, ambiguous ? Effect::unknown : Effect::none);
        EXPECT_EQ(count("rows"), before + (ambiguous ? 1 : 0));
        expect_state(*session, row, State::idle);
    }
}

TEST_F(OdbcNumbers, while_connecting_took_no_effect) {
    for (const ErrorRow& row : error_rows(Product::sqlserver)) {
        SCOPED_TRACE(row.code);
        plan("open 1 before " + raised(row));
        const auto session = driver_->connect({.bounds = within(10s)}, system_clock());
        ASSERT_FALSE(session);
        EXPECT_EQ(session.error().code, row.code) << "known by the driver's mark";
        EXPECT_EQ(session.error().effect, Effect::none);
    }
}

TEST_F(OdbcNumbers, are_found_in_every_record) {
    const auto session = connect();
    plan("execute 1 before 3621/01000+50000/42000+1205/40001");
    const auto done = run(*session, "insert into t values (1)");
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "1205");
    EXPECT_TRUE(is_repeated(done.error()));
}

TEST_F(OdbcNumbers, of_a_timeout_are_not_repeated) {
    for (const std::string raised : {"-2/HYT00", "0/HYT00"}) {
        SCOPED_TRACE(raised);
        const auto session = connect();
        plan("execute 1 after " + raised);
        const auto done = run(*session, "insert into t values (1)");
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().cause, Cause::timed_out);
        EXPECT_EQ(done.error().effect, Effect::unknown);
        EXPECT_FALSE(is_repeated(done.error()));
    }
}

TEST_F(OdbcNumbers, without_a_record_are_unknown_at_commit) {
    const auto session = connect();
    ASSERT_TRUE(session->begin({}, within(10s)));
    plan("commit 1 before /");
    const auto committed = session->commit(within(10s));
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().effect, Effect::unknown);
    EXPECT_EQ(session->state(), State::broken);
}

TEST_F(OdbcNumbers, can_be_planned_in_the_connection_string) {
    const auto driver = odbc("Driver=" + path_ + ";Plan={open 1 before 4060/42000}");
    ASSERT_TRUE(driver);
    const auto session = (*driver)->connect({.bounds = within(10s)}, system_clock());
    ASSERT_FALSE(session);
    EXPECT_EQ(session.error().code, "4060");
}

}  // namespace
}  // namespace perdure::sql
