// SPDX-License-Identifier: Apache-2.0
//
// Tokens on real servers: whose row is it, what may a role without rights still find out, what becomes
// of a table of an earlier version, and how long is a server that is away asked?
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "live/support/mariadb.hpp"
#include "live/support/postgres.hpp"
#include "perdure/sql/mariadb.hpp"
#include "perdure/sql/postgres.hpp"
#include "sql/bank.hpp"

namespace perdure::sql {
namespace {

struct OnPostgres {
    using Server = live::Postgres;
    static constexpr const char* old_table = "create table perdure_token (token uuid primary key, "
                                             "created_at timestamptz not null default now())";
    static constexpr const char* remedy = "ALTER TABLE perdure_token ADD COLUMN attempt_id uuid";
    static constexpr const char* clerk =
        "drop table if exists perdure_token; create role clerk login; "
        "grant insert on thing to clerk";
    static constexpr const char* may_insert = "grant insert on perdure_token to clerk";
    static constexpr const char* may_read = "grant select on perdure_token to clerk";
    static std::shared_ptr<Driver> driver(const Server& server, const char* user = "postgres") {
        return *postgres(server.url(user));
    }
};

struct OnMariadb {
    using Server = live::Mariadb;
    static constexpr const char* old_table =
        "create table perdure_token (token binary(16) not null primary key, created_at "
        "timestamp(6) not null default current_timestamp(6), key (created_at)) engine=InnoDB";
    static constexpr const char* remedy =
        "ALTER TABLE perdure_token ADD COLUMN attempt_id BINARY(16)";
    static constexpr const char* clerk = "drop table if exists perdure_token; "
                                         "create user clerk@'127.0.0.1'; "
                                         "grant insert on test.thing to clerk@'127.0.0.1'";
    static constexpr const char* may_insert =
        "grant insert on test.perdure_token to clerk@'127.0.0.1'";
    static constexpr const char* may_read =
        "grant select on test.perdure_token to clerk@'127.0.0.1'";
    static std::shared_ptr<Driver> driver(const Server& server, const char* user = "root") {
        return *mariadb("mariadb://" + std::string{user} +
                        "@127.0.0.1:" + std::to_string(server.port()) + "/test");
    }
};

// Something to do when the resolver is about to be asked, on the thread of the call.
class WhenAsking final : public Observer {
public:
    void on_event(const Event& event) noexcept override {
        if (event.kind == EventKind::asking && then) then(event);
    }
    std::function<void(const Event&)> then{};
};

DatabaseOptions using_tokens() { return {.tokens = {.use = TokenUse::use, .purge_every = {}}}; }

// Without delays cut short: these are the plans a user gets.
template <class Place>
class TokenOnServer : public ::testing::Test {
protected:
    using Server = typename Place::Server;
    static void SetUpTestSuite() {
        if (Server::missing().empty()) server = std::make_unique<Server>();
    }
    static void TearDownTestSuite() { server.reset(); }
    void SetUp() override {
        if (!server) GTEST_SKIP() << Server::missing();
        server->sql("drop table if exists thing; create table thing (id integer)");
    }
    std::shared_ptr<Driver> faulty(const char* user = nullptr) {
        return with_faults(user ? Place::driver(*server, user) : Place::driver(*server), faults);
    }

    inline static std::unique_ptr<Server> server;
    PlannedFaults faults;
    WhenAsking watching;
};

using Places = ::testing::Types<OnPostgres, OnMariadb>;
TYPED_TEST_SUITE(TokenOnServer, Places);

TYPED_TEST(TokenOnServer, committed_by_another_after_ours_was_lost_gives_no_value_of_ours) {
    Database other{TypeParam::driver(*this->server), with_tokens()};
    Database ours{this->faulty(), with_tokens(), {.observer = &this->watching}};
    const Token token = Token::make();
    this->watching.then = [&](const Event&) {
        EXPECT_TRUE(transact(other, {.token = token}, insert(8)));
        this->watching.then = {};
    };
    this->faults.commit({Planned::fail_before});
    const auto mine = transact(ours, {.token = token}, insert(7));
    ASSERT_FALSE(mine) << "the 7 was never committed";
    EXPECT_EQ(mine.error().effect, Effect::applied);
    EXPECT_EQ(mine.error().code, "token-taken");
    EXPECT_EQ(this->server->sql("select id from thing"), "8");
    EXPECT_EQ(transact(ours, {.token = token}, insert(7)).error().code, "token-taken");
}

TYPED_TEST(TokenOnServer, committed_by_us_gives_our_value) {
    Database ours{this->faulty(), with_tokens()};
    this->faults.commit({Planned::fail_after});
    EXPECT_EQ(transact(ours, {.token = Token::make()}, insert(7)).value_or(-1), 7);
    // Told as undone by mistake: the next attempt finds the row of the first.
    const Failure mistaken = failure_of(row_of(Product::postgres, "40001"), During::in_transaction);
    this->faults.commit({{Planned::fail_after, mistaken}});
    EXPECT_EQ(transact(ours, {}, insert(8)).value_or(-1), 8);
    EXPECT_EQ(this->server->sql("select count(*) from thing"), "2");
}

TYPED_TEST(TokenOnServer, in_an_old_table_is_refused_with_the_remedy_or_the_table_is_changed) {
    this->server->sql("drop table if exists perdure_token");
    this->server->sql(TypeParam::old_table);
    Database used{TypeParam::driver(*this->server), using_tokens()};
    const auto refused = transact(used, {}, insert(7));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().cause, Cause::invalid);
    EXPECT_EQ(refused.error().effect, Effect::none);
    EXPECT_NE(refused.error().message.find(TypeParam::remedy), std::string::npos)
        << refused.error().message;
    Database created{this->faulty(), with_tokens()};
    this->faults.commit({Planned::fail_after});
    const auto done = transact(created, {}, insert(7));
    ASSERT_TRUE(done) << to_string(done.error());
    EXPECT_TRUE(make_token_table(created)) << "twice is harmless";
    EXPECT_TRUE(transact(used, {}, insert(8)));
}

TYPED_TEST(TokenOnServer, that_a_role_may_not_read_gives_no_value_but_is_known_to_be_committed) {
    this->server->sql(TypeParam::clerk);
    this->server->sql(TypeParam::old_table);
    this->server->sql(TypeParam::may_insert);
    Database clerk{this->faulty("clerk"), with_tokens()};
    const auto forbidden = transact(clerk, {}, insert(1));
    ASSERT_FALSE(forbidden) << "it may not change the table";
    EXPECT_NE(forbidden.error().message.find(TypeParam::remedy), std::string::npos)
        << forbidden.error().message;
    this->server->sql(TypeParam::remedy);

    this->faults.commit({Planned::fail_after});
    const auto blind = transact(clerk, {}, insert(1));
    ASSERT_FALSE(blind);
    EXPECT_EQ(blind.error().effect, Effect::applied) << to_string(blind.error());
    EXPECT_EQ(blind.error().code, "token-taken");
    this->server->sql(TypeParam::may_read);
    this->faults.commit({Planned::fail_after});
    EXPECT_EQ(transact(clerk, {}, insert(2)).value_or(-1), 2);
    EXPECT_EQ(this->server->sql("select count(*) from thing"), "2");
}

class PostgresAway : public TokenOnServer<OnPostgres> {};

TEST_F(PostgresAway, for_five_seconds_after_a_lost_commit_leaves_nothing_unknown) {
    Database ours{faulty(), with_tokens(), {.observer = &watching}};
    ASSERT_TRUE(transact(ours, {}, insert(1)));
    std::optional<Duration> gone_at;
    watching.then = [&](const Event& event) {
        if (!gone_at) {
            server->stop();
            gone_at = event.elapsed;
        } else if (event.elapsed - *gone_at > 5s) {
            server->start();
            watching.then = {};
        }
    };
    faults.commit({Planned::fail_after});
    const auto done = transact(ours, {.deadline = 60s}, insert(7));
    if (watching.then) server->start();
    ASSERT_TRUE(done) << to_string(done.error());
    EXPECT_EQ(server->sql("select count(*) from thing where id = 7"), "1");
}

}  // namespace
}  // namespace perdure::sql
