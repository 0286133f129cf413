// SPDX-License-Identifier: Apache-2.0
//
// One run of many transfers against a real server that is killed now and then, over a link that loses
// COMMITs, and what came of it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "live/sql/support/money_run.hpp"
#include "live/support/mariadb.hpp"
#include "live/support/postgres.hpp"
#include "live/support/sql_link.hpp"

namespace perdure::live {

struct PostgresPlace {
    using Server = Postgres;
    static constexpr const char* name = "PostgreSQL";
    static std::shared_ptr<sql::Driver> driver(std::initializer_list<std::uint16_t> ports);
    static std::string victim();
    static bool alone(const Server& server);      // nobody else has a session
    static int deadlocks(sql::Database& direct);  // since the server was started
};

struct MariadbPlace {
    using Server = Mariadb;
    static constexpr const char* name = "MariaDB";
    static std::shared_ptr<sql::Driver> driver(std::initializer_list<std::uint16_t> ports);
    static std::string victim();
    static bool alone(const Server& server);
    static int deadlocks(sql::Database& direct);
};

struct MoneyPlan {
    std::string name{};
    MoneySize size{};
    SqlFaults faults{};
    Keyed keyed = Keyed::yes;
    Crowd crowd = Crowd::small;
    Duration deadline = 10s;  // the strategies' own
    sql::DatabaseOptions database{};
    std::function<Tellers::Call(sql::Database&)> caller{};
    // Something between the calls and the driver.
    std::function<std::shared_ptr<sql::Driver>(std::shared_ptr<sql::Driver>)> around{};
};

struct MoneyOutcome {
    Account account{};
    Duration took{};
    std::uint64_t cuts = 0;
    int ended = 0;
    int kills = 0;
    int deadlocks = 0;
    std::string failures{};
};
std::ostream& operator<<(std::ostream& out, const MoneyOutcome& outcome);

// What came late has come, and what was half open is gone with the link.
void drop_link(std::unique_ptr<SqlLink>& link, const SqlFaults& faults);

template <class Place>
MoneyOutcome run_money(const MoneyPlan& plan) {
    typename Place::Server server;
    sql::Database direct{Place::driver({server.port()})};
    found_bank(direct, plan.keyed);
    direct.clear();
    auto link = std::make_unique<SqlLink>(server.port(), plan.faults);
    MoneyBook book{plan.size.transfers, plan.deadline};
    MoneyOutcome outcome;
    const TimePoint start = system_clock().now();
    {
        auto driver = Place::driver({link->port()});
        sql::Database bank{plan.around ? plan.around(driver) : driver, plan.database};
        const Tellers tellers{book, plan.size.seed, plan.caller(bank), plan.crowd};
        const Terror terror{Place::driver({server.port()}), Place::victim(), 100ms};
        for (; outcome.kills < plan.size.kills; ++outcome.kills) {
            tellers.await(plan.size.transfers * (outcome.kills + 1) / (plan.size.kills + 1));
            outcome.deadlocks += Place::deadlocks(direct);
            direct.clear();
            server.kill9();
            server.start();
        }
        tellers.await(plan.size.transfers);
        outcome.took = system_clock().now() - start;
        outcome.ended = terror.ended();
    }
    outcome.cuts = link->cuts();
    drop_link(link, plan.faults);
    EXPECT_TRUE(becomes_true([&] { return Place::alone(server); }));
    outcome.deadlocks += Place::deadlocks(direct);
    outcome.account = book.audit(read_books(direct));
    outcome.failures = book.failures();
    return outcome;
}

}  // namespace perdure::live
