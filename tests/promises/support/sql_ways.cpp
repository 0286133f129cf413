// SPDX-License-Identifier: Apache-2.0
#include "promises/support/sql_ways.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "perdure/sql/transact.hpp"
#include "perdure/try.hpp"

namespace perdure::promises {
namespace {

std::vector<std::string> for_way(const SqlWork& work, const std::string& way) {
    std::vector<std::string> statements = work.statements;
    for (std::string& text : statements)
        if (const auto at = text.find("{rows}"); at != std::string::npos)
            text.replace(at, 6, "rows_of_" + way);
    return statements;
}

// Those of the database, unless a drill wants every caller in flight: then the pool must have room for
// all of them, which the default has not.
sql::DatabaseOptions options_for(int pool) {
    sql::DatabaseOptions options;
    if (pool != default_sql_pool) options.pool.max_connections = pool;
    return options;
}

std::size_t parameters_of(const std::string& text) {
    return text.find('?') == std::string::npos ? 0 : 1;
}

Failure no_session() {
    return {.cause = Cause::exhausted, .effect = Effect::none, .message = "no session became free"};
}

}  // namespace

// As many sessions as Perdure's pool has, handed out in the order in which they were wanted. Written by
// hand on the driver, which never repeats anything: the loops use no pool, budget or rule of Perdure's.
class SqlWays::PlainSessions {
public:
    PlainSessions(std::shared_ptr<sql::Driver> driver, int most)
        : driver_{std::move(driver)}, free_{most} {}

    Result<void> transact(const std::vector<std::string>& statements, std::int64_t number,
                          Deadline deadline) {
        if (!take_turn(deadline)) return fail(no_session());
        auto session = idle_or_new(deadline);
        if (!session) {
            give_turn_back();
            return session.take_failure();
        }
        auto done = run_in(**session, statements, number, bounds(deadline));
        if (!done && (*session)->state() != sql::State::broken) (*session)->roll_back({bounds(1s)});
        if ((*session)->state() == sql::State::idle) keep(std::move(*session));
        give_turn_back();
        return done;
    }

private:
    struct Waiter {
        std::condition_variable news{};
        bool granted = false;
    };
    using Owned = std::unique_ptr<sql::Session>;

    static sql::Bounds bounds(Deadline deadline) {
        return {.deadline = deadline.tighter(Deadline::in(try_limit, system_clock().now()))};
    }
    static sql::Bounds bounds(Duration limit) {
        return {.deadline = Deadline::in(limit, system_clock().now())};
    }

    static Result<void> run_in(sql::Session& session, const std::vector<std::string>& statements,
                               std::int64_t number, const sql::Bounds& within) {
        PERDURE_TRY(session.begin({}, within));
        const std::array<sql::Parameter, 1> parameters{number};
        for (const std::string& text : statements) {
            sql::RowBuffer rows{1 << 20};
            PERDURE_TRY(session.run({text, std::span{parameters}.first(parameters_of(text))}, rows,
                                    within));
        }
        return session.commit(within);
    }

    bool take_turn(Deadline deadline) {
        std::unique_lock lock{mutex_};
        if (free_ > 0) {
            --free_;
            return true;
        }
        Waiter waiter;
        queue_.push_back(&waiter);
        waiter.news.wait_for(lock, deadline.left(system_clock().now()),
                             [&] { return waiter.granted; });
        if (!waiter.granted) std::erase(queue_, &waiter);
        return waiter.granted;
    }
    void give_turn_back() {
        const std::scoped_lock lock{mutex_};
        if (queue_.empty()) {
            ++free_;
            return;
        }
        Waiter& next = *queue_.front();
        queue_.pop_front();
        next.granted = true;
        next.news.notify_one();
    }

    Result<Owned> idle_or_new(Deadline deadline) {
        for (Owned session = idle(); session; session = idle())
            if (session->still_good()) return session;
        return driver_->connect(
            {.bounds = {.deadline = deadline.tighter(Deadline::in(3s, system_clock().now()))}},
            system_clock());
    }
    Owned idle() {
        const std::scoped_lock lock{mutex_};
        if (idle_.empty()) return nullptr;
        Owned session = std::move(idle_.back());
        idle_.pop_back();
        return session;
    }
    void keep(Owned session) {
        const std::scoped_lock lock{mutex_};
        idle_.push_back(std::move(session));
    }

    const std::shared_ptr<sql::Driver> driver_;
    std::mutex mutex_;
    int free_;
    std::deque<Waiter*> queue_;
    std::vector<Owned> idle_;
};

SqlWays::SqlWays(const MakeDriver& make_driver, const SqlWork& work, int pool)
    : database_{make_driver(way_keys[0]), options_for(pool)},
      for_four_{std::make_unique<PlainSessions>(make_driver(way_keys[1]), pool)},
      for_until_{std::make_unique<PlainSessions>(make_driver(way_keys[2]), pool)} {
    for (const char* key : way_keys) statements_.push_back(for_way(work, key));
}
SqlWays::~SqlWays() = default;

Ways SqlWays::ways() {
    return {[this](std::int64_t number) { return with_perdure(number); },
            [this](std::int64_t number) {
                return with_loop(*for_four_, loop_of_four, statements_[1], number);
            },
            [this](std::int64_t number) {
                return with_loop(*for_until_, loop_until_deadline, statements_[2], number);
            }};
}

Told SqlWays::with_perdure(std::int64_t number) {
    const auto done =
        sql::transact(database_, {.name = "drill"}, [&](sql::Transaction& tx) -> Result<void> {
            const std::array<sql::Parameter, 1> parameters{number};
            for (const std::string& text : statements_[0])
                PERDURE_TRY(
                    tx.query_with({text, std::span{parameters}.first(parameters_of(text))}));
            return {};
        });
    return done ? Told{} : told_by(done.error());
}

Told SqlWays::with_loop(PlainSessions& sessions, const LoopRules& rules,
                        const std::vector<std::string>& statements, std::int64_t number) {
    return plain_loop(rules, [&](int, Deadline deadline) {
        return sessions.transact(statements, number, deadline);
    });
}

}  // namespace perdure::promises
