// SPDX-License-Identifier: Apache-2.0
//
// The list of Entity Framework Core and what we add to it, on real servers: with sessions that fail as
// planned, and with a link that really loses COMMITs.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include "live/support/mariadb.hpp"
#include "live/support/postgres.hpp"
#include "live/support/sql_link.hpp"
#include "perdure/sql/mariadb.hpp"
#include "perdure/sql/postgres.hpp"
#include "sql/beyond_ef_core.hpp"
#include "sql/ef_core_list.hpp"
#include "sql/ef_core_list_end.hpp"

namespace perdure::sql {

namespace {

using live::Lost;
using live::SqlLink;

// One of each for the whole program, started when it is first asked for. Null if it cannot be had.
live::Postgres* postgres_server() {
    static const std::unique_ptr<live::Postgres> server =
        live::Postgres::missing().empty() ? std::make_unique<live::Postgres>(live::PostgresOptions{
                                                .settings = {"max_connections=60"}})
                                          : nullptr;
    return server.get();
}

live::Mariadb* mariadb_server() {
    static const std::unique_ptr<live::Mariadb> server =
        live::Mariadb::missing().empty() ? std::make_unique<live::Mariadb>(live::MariadbOptions{
                                               .settings = {"max-connections=60"}})
                                         : nullptr;
    return server.get();
}

std::uint16_t port_of(const std::string& place) {
    return place == "postgres" ? postgres_server()->port() : mariadb_server()->port();
}

std::shared_ptr<Driver> driver_at(const std::string& place, std::uint16_t port) {
    const std::string at = "127.0.0.1:" + std::to_string(port);
    return place == "postgres" ? *postgres("postgres://postgres@" + at + "/postgres")
                               : *mariadb("mariadb://root@" + at + "/test");
}

// Does nothing with rows.
class Blind final : public RowSink {
public:
    Result<void> columns(std::span<const std::string_view>) override { return {}; }
    Result<void> row(std::span<const Cell>) override { return {}; }
};

}  // namespace

std::shared_ptr<Driver> driver_of(const std::string& place) {
    const bool there =
        place == "postgres" ? postgres_server() != nullptr : mariadb_server() != nullptr;
    return there ? driver_at(place, port_of(place)) : nullptr;
}

namespace {

INSTANTIATE_TEST_SUITE_P(Live, EfCore, ::testing::Values("postgres", "mariadb"));
INSTANTIATE_TEST_SUITE_P(Live, Beyond, ::testing::Values("postgres", "mariadb"));

TEST_P(EfCore, p16_and_p17_hold_when_the_link_really_loses_the_commit) {
    SqlLink link{port_of(GetParam())};
    Database database{driver_at(GetParam(), link.port()), with_tokens({.plan = plan()})};
    ASSERT_TRUE(transact(database, {}, insert(0)));
    std::int64_t expected = 1;
    for (const Lost lost :
         {Lost::before, Lost::answered, Lost::after, Lost::half_open, Lost::late}) {
        SCOPED_TRACE(static_cast<int>(lost));
        link.cut_next(lost, 1, {.late_by = 100ms});
        const auto done = transact(database, {}, insert(7));
        EXPECT_TRUE(done) << to_string(done.error());
        EXPECT_EQ(things(), ++expected);
    }
    EXPECT_EQ(link.cuts(), 5u);
}

TEST_P(Beyond, a_zombie_that_would_live_for_ever_is_ended_by_force) {
    Database database = open();
    faults.commit({Fault::zombie(Ending::commits)});
    const auto done = transact(database, {}, insert(7));
    EXPECT_TRUE(done) << to_string(done.error());
    faults.release();
    EXPECT_EQ(things(), 1) << "what it was to commit is gone";
}

TEST_P(Beyond, a_session_that_was_ended_by_somebody_else_tells_its_code) {
    Plan once = plan();
    once.rule.attempts = 1;
    once.rules.clear();
    const bool postgres = product() == Product::postgres;
    Database database = open_without_tokens(once);
    const auto done = transact(database, {}, [&](Transaction& tx) -> Result<void> {
        PERDURE_TRY_VALUE(const Rows rows, tx.query(postgres ? "select pg_backend_pid()"
                                                             : "select connection_id()"));
        PERDURE_TRY_VALUE(const auto id, rows.single<std::int64_t>());
        if (postgres) PERDURE_TRY(plain().query("select pg_terminate_backend(?::int, 1000)", id));
        else PERDURE_TRY(plain().execute("kill " + std::to_string(id)));
        PERDURE_TRY(tx.execute("insert into thing (id) values (1)"));
        return {};
    });
    ASSERT_FALSE(done);
    const std::string& code = done.error().code;
    EXPECT_TRUE(postgres ? code == "57P01" : code == "2013" || code == "2006") << code;
    EXPECT_EQ(done.error().effect, Effect::none);
    EXPECT_TRUE(done.error().remedies.has(Remedy::fresh_connection));
    EXPECT_EQ(things(), 0);
}

TEST_P(Beyond, a_session_that_was_ended_while_it_idled_is_not_handed_out) {
    Database database = open();
    ASSERT_TRUE(database.query("select 1"));
    if (product() == Product::postgres)
        postgres_server()->sql("select pg_terminate_backend(pid, 1000) from pg_stat_activity "
                               "where pid <> pg_backend_pid() and backend_type = 'client backend'");
    else mariadb_server()->restart();
    const auto done = database.execute("insert into thing (id) values (1)");
    EXPECT_TRUE(done) << to_string(done.error());
    EXPECT_EQ(things(), 1);
}

// What only PostgreSQL has. Sessions are asked themselves: nothing above them can hide a mistake.
class PostgresCommit : public ::testing::Test {
protected:
    void SetUp() override {
        if (!postgres_server()) GTEST_SKIP() << live::Postgres::missing();
        postgres_server()->sql(
            "drop table if exists thing; "
            "create table thing (id integer unique deferrable initially deferred)");
    }
    static Bounds soon() { return {.deadline = Deadline::in(5s, system_clock().now())}; }
    static std::unique_ptr<Session> session() {
        auto made = driver_of("postgres")->connect({.bounds = soon()}, system_clock());
        EXPECT_TRUE(made) << to_string(made.error());
        return *std::move(made);
    }
    static Result<Done> run(Session& session, std::string_view text) {
        Blind rows;
        return session.run({.text = text}, rows, soon());
    }
    static std::string things() { return postgres_server()->sql("select count(*) from thing"); }
};

// The server answers COMMIT with success and the word ROLLBACK.
TEST_F(PostgresCommit, answered_with_rollback_is_a_failure) {
    const auto old = session();
    ASSERT_TRUE(old->begin({}, soon()));
    ASSERT_TRUE(run(*old, "insert into thing values (1)"));
    EXPECT_FALSE(run(*old, "select 1 / 0"));
    const auto committed = old->commit(soon());
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().effect, Effect::none);
    EXPECT_EQ(things(), "0");
}

TEST_F(PostgresCommit, answered_with_an_error_is_surely_rolled_back_and_not_repeated) {
    Database database{driver_of("postgres")};
    Diagnostics diagnostics;
    const auto done =
        transact(database, {.diagnostics = &diagnostics}, [](Transaction& tx) -> Result<void> {
            PERDURE_TRY(tx.execute("insert into thing values (1), (1)"));
            return {};
        });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "23505");
    EXPECT_EQ(done.error().effect, Effect::none);
    EXPECT_EQ(done.error().attempts, 1);
    EXPECT_EQ(diagnostics.times_asked(), 0);
}

TEST_F(PostgresCommit, is_believed_by_its_number_only_behind_an_unchanged_fence) {
    const auto old = session();
    const auto fresh = session();
    enum class Fence { as_it_was, of_another_time, of_another_cluster };
    const struct {
        Fence fence;
        bool commits;
        Verdict verdict;
    } cases[] = {
        {Fence::as_it_was, true, Verdict::yes},
        {Fence::as_it_was, false, Verdict::no},
        {Fence::of_another_time, true, Verdict::unknown},
        {Fence::of_another_time, false, Verdict::no},
        {Fence::of_another_cluster, true, Verdict::unknown},
        {Fence::of_another_cluster, false, Verdict::unknown},
    };
    for (const auto& [fence, commits, verdict] : cases) {
        auto begun = old->begin({.noting = Noting::transaction}, soon());
        ASSERT_TRUE(begun) << to_string(begun.error());
        RowBuffer none{1000};
        ASSERT_TRUE(old->run({"select pg_current_xact_id()"}, none, soon()));
        ASSERT_TRUE(old->note(begun->doubt, soon()));
        Doubt doubt = begun->doubt;
        ASSERT_FALSE(doubt.fence.empty());
        const std::string cluster = doubt.fence.substr(0, doubt.fence.find('/'));
        if (fence == Fence::of_another_time) doubt.fence = cluster + "/00000002/2026-01-01";
        if (fence == Fence::of_another_cluster) doubt.fence = "7" + doubt.fence;
        EXPECT_EQ(fresh->outcome_of(begun->doubt, soon())->verdict(), Verdict::pending);
        if (commits) ASSERT_TRUE(old->commit(soon()));
        else old->roll_back(soon());
        EXPECT_EQ(fresh->outcome_of(doubt, soon())->verdict(), verdict);
    }
}

}  // namespace
}  // namespace perdure::sql
