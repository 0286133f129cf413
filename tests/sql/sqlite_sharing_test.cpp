// SPDX-License-Identifier: Apache-2.0
//
// Several threads and several processes on one file.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "perdure/sql/sqlite.hpp"
#include "perdure/try.hpp"
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

constexpr int steps = 50;

// Reads, then writes what it read plus one: an increment that a wrong order would lose.
Result<void> increment(Session& session) {
    const Bounds bounds = within(20s);
    PERDURE_TRY(session.begin({}, bounds));
    PERDURE_TRY_VALUE(const Rows rows, query(session, "select v from t"));
    PERDURE_TRY_VALUE(const std::int64_t value, rows.single<std::int64_t>());
    PERDURE_TRY(execute(session, "update t set v = ?", value + 1));
    return session.commit(bounds);
}

int increment_often(Driver& driver) {
    auto session = testing::connect(driver);
    if (!session) return steps;
    int failed = 0;
    for (int i = 0; i < steps; ++i)
        if (!increment(**session)) ++failed;
    return failed;
}

void make_counter(Driver& driver) {
    const auto session = open(driver);
    MUST(execute(*session, "create table t (v integer)"));
    MUST(execute(*session, "insert into t values (0)"));
}

TEST(SqliteSharing, loses_no_increment_of_four_threads) {
    const Place place;
    const std::shared_ptr<Driver> drivers[] = {
        driver_for(place / "wal.db", {.synchronous = Synchronous::normal}),
        driver_for(place / "plain.db", {.journal = Journal::as_it_is}), driver_for(":memory:")};
    for (const auto& driver : drivers) {
        SCOPED_TRACE(std::string{driver->name()});
        make_counter(*driver);
        std::atomic<int> failed = 0;
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < 4; ++i)
                threads.emplace_back([&] { failed += increment_often(*driver); });
        }
        EXPECT_EQ(failed, 0);
        EXPECT_EQ(number(*open(*driver), "select v from t"), 4 * steps);
    }
}

TEST(SqliteSharing, lets_many_sessions_open_a_new_file_at_once) {
    const Place place;
    const auto driver = driver_for(place / "a.db");
    std::atomic<int> opened = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 8; ++i)
            threads.emplace_back([&] {
                if (testing::connect(*driver)) ++opened;
            });
    }
    EXPECT_EQ(opened, 8);
}

class SqliteProcesses : public ::testing::Test {
protected:
    // Sessions are opened after fork(), never carried through it.
    template <class Work>
    pid_t start(Work work) {
        const pid_t child = ::fork();
        if (child != 0) return child;
        ::_exit(work());
    }
    static int status_of(pid_t child) {
        int status = 0;
        ::waitpid(child, &status, 0);
        return status;
    }
    Place place;
    std::string file = place / "a.db";
};

TEST_F(SqliteProcesses, lose_no_increment) {
    make_counter(*driver_for(file));
    const auto work = [&] { return increment_often(**sqlite(file)); };
    const pid_t other = start(work);
    EXPECT_EQ(increment_often(*driver_for(file)), 0);
    EXPECT_EQ(status_of(other), 0);
    EXPECT_EQ(number(*open(*driver_for(file)), "select v from t"), 2 * steps);
}

TEST_F(SqliteProcesses, that_are_killed_leave_neither_half_a_transaction_nor_a_lock) {
    make_counter(*driver_for(file));
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    const Token token = Token::make();
    {
        const auto session = open(*driver_for(file));
        MUST(session->make_tokens("perdure_token", within(5s)));
    }
    const pid_t child = start([&] {
        const auto session = open(*driver_for(file));
        if (!session->begin({.token = &token}, within(5s))) return 1;
        if (!execute(*session, "update t set v = 99")) return 2;
        if (::write(pipe[1], "x", 1) != 1) return 3;
        while (true) ::pause();
    });
    ::close(pipe[1]);
    char ready = 0;
    ASSERT_EQ(::read(pipe[0], &ready, 1), 1);
    ::close(pipe[0]);
    const auto session = open(*driver_for(file));
    auto held = session->probe(token, "perdure_token", 1ms, within(5s));
    ASSERT_TRUE(held);
    EXPECT_EQ(held->verdict(), Verdict::pending);
    ::kill(child, SIGKILL);
    EXPECT_TRUE(WIFSIGNALED(status_of(child)));
    auto gone = session->probe(token, "perdure_token", 1ms, within(5s));
    ASSERT_TRUE(gone);
    EXPECT_EQ(gone->verdict(), Verdict::no);
    EXPECT_EQ(number(*session, "select v from t"), 0);
    MUST(increment(*session));
}

}  // namespace
}  // namespace perdure::sql
