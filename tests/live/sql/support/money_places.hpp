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
#include <optional>
#include <string>

#include "live/sql/support/money_evidence.hpp"
#include "live/sql/support/money_run.hpp"
#include "live/sql/support/money_switches.hpp"
#include "live/support/mariadb.hpp"
#include "live/support/postgres.hpp"
#include "live/support/sql_link.hpp"
#include "perdure/telemetry/journal.hpp"

namespace perdure::live {

struct PostgresPlace {
    using Server = Postgres;
    static constexpr const char* name = "PostgreSQL";
    static PostgresOptions server_options() { return {}; }
    static std::shared_ptr<sql::Driver> driver(std::initializer_list<std::uint16_t> ports);
    static std::string victim();
    static bool alone(const Server& server);      // nobody else has a session
    static int deadlocks(sql::Database& direct);  // since the server was started
    static void await_kill(const Server&) {}      // returns when the moment for a kill has come
    // Lines of the server's log that say its data is damaged.
    static std::string damage(const Server&) { return {}; }
    // All postings of these transfers, and what the server says about the tables.
    static std::string report(const Server& server, const WrongTransfers& transfers);
};

struct MariadbPlace {
    using Server = Mariadb;
    static constexpr const char* name = "MariaDB";
    // By the switches. No general log by default: a run of 2.7 s took 0.1 to 0.4 s more with it. Runs of
    // scripts/mariadb-kills have it, so a wrong result of the script comes with its general log.
    static MariadbOptions server_options();
    static std::shared_ptr<sql::Driver> driver(std::initializer_list<std::uint16_t> ports);
    static std::string victim();
    static bool alone(const Server& server);
    static int deadlocks(sql::Database& direct);
    static void await_kill(const Server& server);
    static std::string damage(const Server& server);
    static std::string report(const Server& server, const WrongTransfers& transfers);
};

// Whether everything is kept that may explain a wrong result. Not for runs that are expected to be wrong.
enum class OnWrong : std::uint8_t { go_on, keep_evidence };

struct MoneyPlan {
    std::string name{};
    MoneySize size{};
    SqlFaults faults{};
    OnWrong on_wrong = OnWrong::go_on;
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
    std::string damage{};  // what the server said about damaged data
    std::string kept{};    // the directory with the evidence of a wrong result
};
std::ostream& operator<<(std::ostream& out, const MoneyOutcome& outcome);

// What came late has come, and what was half open is gone with the link.
void drop_link(std::unique_ptr<SqlLink>& link, const SqlFaults& faults);

template <class Place>
MoneyOutcome run_money(const MoneyPlan& plan) {
    const TempDir home;
    typename Place::Server server{Place::server_options()};
    sql::Database direct{Place::driver({server.port()})};
    found_bank(direct, plan.keyed);
    direct.clear();
    auto link = std::make_unique<SqlLink>(server.port(), plan.faults);
    MoneyBook book{plan.size.transfers, plan.deadline};
    MoneyOutcome outcome;
    const bool keeps = plan.on_wrong == OnWrong::keep_evidence;
    const std::string journal_file = home.file("calls.jsonl");
    const TimePoint start = system_clock().now();
    {
        std::optional<Journal> journal;
        if (keeps) journal.emplace(JournalOptions{.path = journal_file, .service_name = "money"});
        auto driver = Place::driver({money_switch("no-proxy") ? server.port() : link->port()});
        sql::Database bank{plan.around ? plan.around(driver) : driver,
                           plan.database,
                           {.observer = journal ? &*journal : nullptr}};
        const Tellers tellers{book, plan.size.seed, plan.caller(bank), plan.crowd};
        std::optional<Terror> terror;
        if (!money_switch("no-kills"))
            terror.emplace(Place::driver({server.port()}), Place::victim(), 100ms);
        for (; outcome.kills < plan.size.kills; ++outcome.kills) {
            tellers.await(plan.size.transfers * (outcome.kills + 1) / (plan.size.kills + 1));
            outcome.deadlocks += Place::deadlocks(direct);
            direct.clear();
            Place::await_kill(server);
            server.kill9();
            server.start();
        }
        tellers.await(plan.size.transfers);
        outcome.took = system_clock().now() - start;
        outcome.ended = terror ? terror->ended() : 0;
    }
    outcome.cuts = link->cuts();
    drop_link(link, plan.faults);
    EXPECT_TRUE(becomes_true([&] { return Place::alone(server); }));
    outcome.deadlocks += Place::deadlocks(direct);
    outcome.account = book.audit(read_books(direct));
    outcome.failures = book.failures();
    outcome.damage = Place::damage(server);
    if (!keeps || (outcome.account.lies.empty() && outcome.damage.empty())) return outcome;
    const std::string report = outcome.damage + Place::report(server, outcome.account.wrong);
    direct.clear();
    server.kill9();
    outcome.kept = keep_evidence(
        {.name = plan.name, .report = report, .server = server.home(), .journal = journal_file},
        book, outcome.account);
    return outcome;
}

}  // namespace perdure::live
