// SPDX-License-Identifier: Apache-2.0
//
// A transaction's number is handed out again after a crash, and after a failover to a standby that had
// not received it. "committed" is then said of another transaction. Is it taken for ours?
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "live/sql/support/money_run.hpp"
#include "live/support/postgres.hpp"
#include "live/support/sql_link.hpp"
#include "perdure/sql/postgres.hpp"
#include "perdure/try.hpp"

namespace perdure::live {
namespace {

// Something happens to the server before the second session is made: the one that resolves.
class Disturbed final : public sql::Driver {
public:
    Disturbed(std::shared_ptr<sql::Driver> inner, std::function<void()> event)
        : inner_{std::move(inner)}, event_{std::move(event)} {}
    [[nodiscard]] const sql::Traits& traits() const noexcept override { return inner_->traits(); }
    [[nodiscard]] std::string_view name() const noexcept override { return inner_->name(); }
    [[nodiscard]] Result<std::unique_ptr<sql::Session>> connect(const sql::Connecting& how,
                                                                Clock& clock) override {
        if (++sessions_ == 2) event_();
        return inner_->connect(how, clock);
    }

private:
    std::shared_ptr<sql::Driver> inner_;
    std::function<void()> event_;
    int sessions_ = 0;
};

// Other transactions, until one has had this number.
void use_again(const Postgres& server, const std::string& number) {
    const std::string insert = "INSERT INTO other VALUES (1) RETURNING pg_current_xact_id()";
    ASSERT_TRUE(
        becomes_true([&] { return std::stoull(server.sql(insert)) >= std::stoull(number); }, 20s));
    ASSERT_EQ(server.sql("SELECT pg_xact_status('" + number + "')"), "committed");
}

std::string rows(const Postgres& server) { return server.sql("SELECT count(*) FROM ours"); }

enum class Way : std::uint8_t { server, landed, token };
enum class Numbers : std::uint8_t { used_again, not_yet };

class TransactionNumber : public ::testing::Test {
protected:
    void SetUp() override {
        if (!Postgres::missing().empty()) GTEST_SKIP() << Postgres::missing();
        // What is not committed stays in memory, and is lost with it.
        primary.emplace(PostgresOptions{
            .settings = {"wal_writer_delay=10s", "autovacuum=off", "checkpoint_timeout=1h"}});
        primary->sql("CREATE TABLE ours(id int); CREATE TABLE other(id int);"
                     "CREATE TABLE perdure_token(token uuid PRIMARY KEY, attempt_id uuid, "
                     "created_at timestamptz NOT NULL DEFAULT now())");
    }

    // Kills the server before anything of the open transaction has reached its log.
    void crash(Numbers numbers = Numbers::used_again) {
        primary->kill9();
        primary->start();
        if (numbers == Numbers::used_again) use_again(*primary, number);
        else expect_to_come(*primary);
    }
    void follow() {
        standby = primary->make_standby("second");
        ASSERT_TRUE(becomes_true(
            [&] { return primary->sql("SELECT count(*) FROM pg_stat_replication") == "1"; }));
        standby->sql("ALTER SYSTEM SET primary_conninfo = ''");
        standby->sql("SELECT pg_reload_conf()");
        ASSERT_TRUE(becomes_true(
            [&] { return primary->sql("SELECT count(*) FROM pg_stat_replication") == "0"; }));
    }
    void fail_over(Numbers numbers = Numbers::used_again) {
        primary->kill9();
        standby->promote();
        if (numbers == Numbers::used_again) use_again(*standby, number);
        else expect_to_come(*standby);
    }
    // The server does not remember that it handed our number out.
    void expect_to_come(const Postgres& server) const {
        const std::string next = server.sql("SELECT pg_snapshot_xmax(pg_current_snapshot())");
        EXPECT_LE(std::stoull(next), std::stoull(number));
    }

    sql::Doubt begin_ours(sql::Session& session) {
        const sql::Bounds bounds{.deadline = Deadline::in(10s, system_clock().now())};
        auto begun = session.begin({.noting = sql::Noting::transaction}, bounds);
        sql::RowBuffer none{1000};
        EXPECT_TRUE(begun && session.run({"INSERT INTO ours VALUES (1)"}, none, bounds) &&
                    session.note(begun->doubt, bounds));
        number = begun->doubt.transaction;
        return begun->doubt;
    }
    static std::unique_ptr<sql::Session> session_at(const Postgres& server) {
        const sql::Bounds bounds{.deadline = Deadline::in(10s, system_clock().now())};
        return must_drive(sql::postgres(server.url()))
            ->connect({.bounds = bounds}, system_clock())
            .value();
    }
    static Verdict word_of(const Postgres& server, const sql::Doubt& doubt) {
        const sql::Bounds bounds{.deadline = Deadline::in(10s, system_clock().now())};
        return session_at(server)->outcome_of(doubt, bounds).value().verdict();
    }

    // One transaction whose COMMIT is lost on the way, and what happens before anybody asks.
    Result<std::int64_t> transact_ours(Way way, const std::string& url,
                                       const std::function<void()>& event) {
        auto driver = std::make_shared<Disturbed>(must_drive(sql::postgres(url)), event);
        sql::Database database{
            driver,
            {.tokens = {.use = way == Way::token ? sql::TokenUse::use : sql::TokenUse::off,
                        .purge_every = {}}}};
        sql::TransactOptions options{.deadline = 30s};
        if (way == Way::landed)
            options.landed = [](sql::Transaction& tx) -> Result<bool> {
                PERDURE_TRY_VALUE(const auto found, tx.query("SELECT id FROM ours"));
                return !found.empty();
            };
        return sql::transact(database, options, [&](sql::Transaction& tx) -> Result<std::int64_t> {
            PERDURE_TRY(tx.execute("INSERT INTO ours VALUES (1)"));
            PERDURE_TRY_VALUE(const auto id, tx.query("SELECT pg_current_xact_id()::text"));
            if (number.empty()) number = id.single<std::string>().value();
            return 1;
        });
    }
    Result<std::int64_t> crash_in_between(Way way, Numbers numbers = Numbers::used_again) {
        SqlLink link{primary->port()};
        link.cut_next(Lost::half_open);
        return transact_ours(way, postgres_url(link.port()), [&] { crash(numbers); });
    }
    Result<std::int64_t> fail_over_in_between(Way way, Numbers numbers = Numbers::used_again) {
        SqlLink link{primary->port()};
        link.cut_next(Lost::answered);
        const std::string hosts = "postgresql://postgres@127.0.0.1:" + std::to_string(link.port()) +
                                  ",127.0.0.1:" + std::to_string(standby->port()) + "/postgres";
        return transact_ours(way, hosts, [&] {
            EXPECT_EQ(rows(*primary), "1");  // it had been committed, and is lost now
            fail_over(numbers);
        });
    }
    static void expect_unknown(const Result<std::int64_t>& result, const Postgres& server) {
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().effect, Effect::unknown);
        EXPECT_EQ(rows(server), "0");
    }
    static void expect_done_once(const Result<std::int64_t>& result, const Postgres& server) {
        EXPECT_TRUE(result) << to_string(result.error());
        EXPECT_EQ(rows(server), "1");
    }

    std::optional<Postgres> primary;
    std::unique_ptr<Postgres> standby;
    std::string number;  // of our transaction
};

TEST_F(TransactionNumber, used_again_after_a_crash_is_not_taken_for_committed) {
    const auto session = session_at(*primary);
    const sql::Doubt doubt = begin_ours(*session);
    EXPECT_EQ(word_of(*primary, doubt), Verdict::pending);
    crash();
    EXPECT_EQ(rows(*primary), "0");
    EXPECT_EQ(word_of(*primary, doubt), Verdict::unknown);
}

TEST_F(TransactionNumber, used_again_after_a_failover_is_not_taken_for_committed) {
    follow();
    const auto session = session_at(*primary);
    const sql::Doubt doubt = begin_ours(*session);
    ASSERT_TRUE(session->commit({.deadline = Deadline::in(10s, system_clock().now())}));
    EXPECT_EQ(word_of(*primary, doubt), Verdict::yes);
    fail_over();
    EXPECT_EQ(rows(*standby), "0");
    EXPECT_EQ(word_of(*standby, doubt), Verdict::unknown);
}

TEST_F(TransactionNumber, used_again_after_a_crash_leaves_the_outcome_unknown) {
    expect_unknown(crash_in_between(Way::server), *primary);
}
TEST_F(TransactionNumber, used_again_after_a_crash_does_not_mislead_the_callers_own_word) {
    expect_done_once(crash_in_between(Way::landed), *primary);
}
TEST_F(TransactionNumber, used_again_after_a_crash_does_not_matter_with_a_token) {
    expect_done_once(crash_in_between(Way::token), *primary);
}
TEST_F(TransactionNumber, not_handed_out_since_the_crash_says_that_ours_is_lost) {
    expect_done_once(crash_in_between(Way::server, Numbers::not_yet), *primary);
}

TEST_F(TransactionNumber, used_again_after_a_failover_leaves_the_outcome_unknown) {
    follow();
    expect_unknown(fail_over_in_between(Way::server), *standby);
}
TEST_F(TransactionNumber, used_again_after_a_failover_does_not_mislead_the_callers_own_word) {
    follow();
    expect_done_once(fail_over_in_between(Way::landed), *standby);
}
TEST_F(TransactionNumber, used_again_after_a_failover_does_not_matter_with_a_token) {
    follow();
    expect_done_once(fail_over_in_between(Way::token), *standby);
}
TEST_F(TransactionNumber, not_handed_out_since_the_failover_says_that_ours_is_lost) {
    follow();
    expect_done_once(fail_over_in_between(Way::server, Numbers::not_yet), *standby);
}

}  // namespace
}  // namespace perdure::live
