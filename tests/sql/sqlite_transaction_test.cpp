// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <csignal>

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
using testing::query;
using testing::within;

class SqliteTransactions : public ::testing::Test {
protected:
    void SetUp() override {
        MUST(execute(*one, "create table t (id integer primary key, v unique)"));
        MUST(execute(*one, "insert into t values (1, 'a')"));
    }
    std::int64_t rows() { return number(*two, "select count(*) from t"); }

    Place place;
    std::shared_ptr<Driver> driver = driver_for(place / "a.db");
    std::unique_ptr<Session> one = open(*driver), two = open(*driver);
};

TEST_F(SqliteTransactions, commit_what_they_did_and_roll_back_what_they_did) {
    MUST(one->begin({}, within(5s)));
    EXPECT_EQ(one->state(), State::open);
    MUST(execute(*one, "insert into t values (2, 'b')"));
    EXPECT_EQ(rows(), 1) << "readers are not disturbed";
    MUST(one->commit(within(5s)));
    EXPECT_EQ(one->state(), State::idle);
    EXPECT_EQ(rows(), 2);

    MUST(one->begin({}, within(5s)));
    MUST(execute(*one, "insert into t values (3, 'c')"));
    one->roll_back(within(5s));
    EXPECT_EQ(one->state(), State::idle);
    EXPECT_EQ(rows(), 2);
}

TEST_F(SqliteTransactions, are_failed_after_errors_that_end_them_and_open_after_others) {
    struct Case {
        std::string_view text;
        std::string_view code;
        State state;
    };
    const Case cases[] = {
        {"insert into t values (1, 'x')", "1555", State::open},
        {"insert into t values (9, 'a')", "2067", State::open},
        {"insert or rollback into t values (1, 'x')", "1555", State::failed},
        {"select * from nowhere", "1", State::open},
        {"commit", "transaction-statement", State::open},
        {"rollback", "transaction-statement", State::open},
        {"insert into t select x, hex(randomblob(4000)) from (with recursive c(x) as (select 100 "
         "union "
         "all select x + 1 from c limit 100) select x from c)",
         "13", State::failed},
    };
    MUST(execute(*one, "pragma max_page_count = 20"));
    for (const auto& [text, code, state] : cases) {
        MUST(one->begin({}, within(5s)));
        MUST(execute(*one, "insert into t values (5, 'five')"));
        const auto done = execute(*one, text);
        ASSERT_FALSE(done) << text;
        EXPECT_EQ(done.error().code, code) << done.error().message;
        EXPECT_EQ(done.error().effect, Effect::none) << text;
        EXPECT_EQ(one->state(), state) << text;
        if (state == State::failed) {
            const auto after = execute(*one, "select 1");
            ASSERT_FALSE(after) << "nothing runs in a transaction that has failed";
            EXPECT_EQ(after.error().code, code);
            const auto committed = one->commit(within(5s));
            ASSERT_FALSE(committed) << text;
            EXPECT_EQ(committed.error().code, code) << "what went wrong first";
            EXPECT_EQ(committed.error().effect, Effect::none) << text;
        }
        one->roll_back(within(5s));
        EXPECT_EQ(one->state(), State::idle) << text;
        EXPECT_EQ(rows(), 1) << text;
    }
}

TEST_F(SqliteTransactions, cut_off_by_the_deadline_never_commit) {
    MUST(one->begin({}, within(5s)));
    MUST(execute(*one, "insert into t values (2, 'b')"));
    RowBuffer ignored{1000};
    const auto late =
        one->run({.text = "with recursive c(x) as (select 1 union all select x + 1 from c) "
                          "insert into t select 10 + x, x from c"},
                 ignored, within(20ms));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, "deadline");
    EXPECT_EQ(one->state(), State::failed);
    const auto committed = one->commit(within(5s));
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().effect, Effect::none);
    EXPECT_EQ(rows(), 1);
}

TEST_F(SqliteTransactions, are_rolled_back_when_the_deadline_has_passed_before_commit) {
    MUST(one->begin({}, within(5s)));
    MUST(execute(*one, "insert into t values (2, 'b')"));
    const auto committed = one->commit(within(0s));
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().cause, Cause::timed_out);
    EXPECT_EQ(committed.error().effect, Effect::none);
    EXPECT_EQ(one->state(), State::idle);
    EXPECT_EQ(rows(), 1);
}

TEST_F(SqliteTransactions, wait_for_the_writer_until_their_limit_or_deadline) {
    perdure::testing::VirtualClock clock;
    const auto waiting = open(*driver, clock);
    MUST(one->begin({}, within(5s)));

    const TimePoint start = clock.now();
    const auto limited = waiting->begin({.lock_limit = 300ms}, within(10s, clock));
    ASSERT_FALSE(limited);
    EXPECT_EQ(limited.error().cause, Cause::contended);
    EXPECT_EQ(limited.error().code, "5");
    EXPECT_EQ(clock.now() - start, 300ms);
    EXPECT_GT(clock.naps().size(), 30u);

    const auto late = waiting->begin({}, within(2s, clock));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, "deadline");
    EXPECT_EQ(clock.now() - start, 2300ms);
    EXPECT_EQ(waiting->state(), State::idle);

    std::stop_source source;
    clock.at(clock.now() + 100ms, [&] { source.request_stop(); });
    const auto stopped = waiting->begin({}, {.stop = source.get_token()});
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, "stopped");

    clock.at(clock.now() + 100ms, [&] { one->roll_back(within(5s)); });
    MUST(waiting->begin({}, within(2s, clock)));
    waiting->roll_back({});
}

TEST_F(SqliteTransactions, that_only_read_cannot_write_and_wait_for_nobody) {
    MUST(one->begin({}, within(5s)));
    MUST(execute(*one, "insert into t values (2, 'b')"));
    MUST(two->begin({.access = Access::read_only}, within(5s)));
    EXPECT_EQ(rows(), 1);
    MUST(one->commit(within(5s)));
    EXPECT_EQ(rows(), 1) << "what was read once stays as it is";
    const auto written = execute(*two, "insert into t values (3, 'c')");
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, "8");
    MUST(two->commit(within(5s)));
    EXPECT_EQ(rows(), 2);
    const Token token = Token::make();
    EXPECT_FALSE(two->begin({.access = Access::read_only, .token = &token}, within(5s)));
}

TEST_F(SqliteTransactions, whose_commit_meets_a_lock_are_rolled_back_and_nothing_is_unknown) {
    const auto plain = driver_for(place / "plain.db", {.journal = Journal::as_it_is});
    perdure::testing::VirtualClock clock;
    const auto writer = open(*plain, clock), reader = open(*plain);
    MUST(execute(*reader, "create table t (v)"));
    MUST(reader->begin({.access = Access::read_only}, within(5s)));
    EXPECT_EQ(number(*reader, "select count(*) from t"), 0);
    MUST(writer->begin({.lock_limit = 200ms}, within(5s, clock)));
    RowBuffer none{1u << 10u};
    MUST(writer->run({"insert into t values (1)", {}}, none, within(5s, clock)));
    const TimePoint start = clock.now();
    const auto committed = writer->commit(within(5s, clock));
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().cause, Cause::contended);
    EXPECT_EQ(committed.error().effect, Effect::none);
    EXPECT_EQ(clock.now() - start, 200ms);
    EXPECT_EQ(writer->state(), State::idle);
    reader->roll_back(within(5s));
    EXPECT_EQ(number(*reader, "select count(*) from t"), 0);
}

TEST_F(SqliteTransactions, whose_commit_breaks_a_promise_of_keys_are_rolled_back) {
    const auto keys = driver_for(place / "keys.db", {.foreign_keys = ForeignKeys::enforced});
    const auto session = open(*keys);
    MUST(execute(*session, "create table p (id integer primary key)"));
    MUST(execute(*session, "create table c (p references p deferrable initially deferred)"));
    MUST(session->begin({}, within(5s)));
    MUST(execute(*session, "insert into c values (7)"));
    const auto committed = session->commit(within(5s));
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().cause, Cause::conflict);
    EXPECT_EQ(committed.error().effect, Effect::none);
    EXPECT_EQ(session->state(), State::idle);
    EXPECT_EQ(number(*session, "select count(*) from c"), 0);
}

// A disk that takes no more bytes from this process.
class FullDisk {
public:
    FullDisk() : before_{std::signal(SIGXFSZ, SIG_IGN)} {
        getrlimit(RLIMIT_FSIZE, &limit_);
        const rlimit none{.rlim_cur = 0, .rlim_max = limit_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &none);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;
    ~FullDisk() {
        setrlimit(RLIMIT_FSIZE, &limit_);
        (void)std::signal(SIGXFSZ, before_);
    }

private:
    rlimit limit_{};
    void (*before_)(int);
};

TEST_F(SqliteTransactions, whose_commit_the_disk_refused_are_unknown_and_their_session_is_dropped) {
    MUST(one->begin({}, within(5s)));
    MUST(execute(*one, "insert into t values (2, 'b')"));
    {
        const FullDisk disk;
        const auto committed = one->commit(within(5s));
        ASSERT_FALSE(committed);
        EXPECT_EQ(committed.error().code, "778") << to_string(committed.error());
        EXPECT_EQ(committed.error().effect, Effect::unknown);
        EXPECT_NE(committed.error().message.find("a.db"), std::string::npos);
        EXPECT_EQ(one->state(), State::broken);
        EXPECT_FALSE(execute(*one, "select 1"));
    }
    one.reset();
    EXPECT_EQ(rows(), 1);
}

TEST_F(SqliteTransactions, are_not_committed_into_a_file_that_was_moved) {
    EXPECT_TRUE(one->still_good());
    MUST(one->begin({}, within(5s)));
    MUST(execute(*one, "insert into t values (2, 'b')"));
    std::filesystem::rename(place / "a.db", place / "b.db");
    const auto committed = one->commit(within(5s));
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().code, "1032");
    EXPECT_EQ(committed.error().effect, Effect::none);
    EXPECT_TRUE(committed.error().remedies.has(Remedy::fresh_connection));
    EXPECT_EQ(one->state(), State::broken);
    EXPECT_FALSE(two->still_good());
}

TEST_F(SqliteTransactions, are_begun_and_ended_once) {
    EXPECT_EQ(one->commit(within(5s)).error().code, "no-transaction");
    MUST(one->begin({}, within(5s)));
    EXPECT_EQ(one->begin({}, within(5s)).error().code, "in-transaction");
    EXPECT_FALSE(one->still_good()) << "not for the next one";
    MUST(execute(*one, "savepoint a"));
    MUST(execute(*one, "insert into t values (2, 'b')"));
    MUST(execute(*one, "rollback to a"));
    MUST(execute(*one, "release a"));
    MUST(one->commit(within(5s)));
    EXPECT_EQ(rows(), 1);
    const auto kept = execute(*one, "savepoint a");
    ASSERT_FALSE(kept) << "though it is kept from before";
    EXPECT_EQ(kept.error().code, "transaction-statement");
    EXPECT_EQ(one->state(), State::idle);
    MUST(execute(*one, "insert into t values (4, 'd')"));
    EXPECT_EQ(rows(), 2);
}

}  // namespace
}  // namespace perdure::sql
