// SPDX-License-Identifier: Apache-2.0
#include "live/sql/support/money_places.hpp"

#include <chrono>
#include <ostream>
#include <sstream>

#include "perdure/sql/mariadb.hpp"
#include "perdure/sql/postgres.hpp"

namespace perdure::live {
namespace {

std::string hosts(std::initializer_list<std::uint16_t> ports) {
    std::string all;
    for (const std::uint16_t port : ports)
        all += (all.empty() ? "" : ",") + ("127.0.0.1:" + std::to_string(port));
    return all;
}

// Asked again when the session is ended by chance.
int count_of(sql::Database& database, std::string_view text) {
    const auto rows = database.query(text);
    return rows ? rows->single<int>().value_or(0) : 0;
}

}  // namespace

std::shared_ptr<sql::Driver> PostgresPlace::driver(std::initializer_list<std::uint16_t> ports) {
    return must_drive(sql::postgres("postgresql://postgres@" + hosts(ports) + "/postgres"));
}

std::string PostgresPlace::victim() {
    return "select left(pg_terminate_backend(pid)::text, 0) from (select pid from pg_stat_activity "
           "where backend_type = 'client backend' and pid <> pg_backend_pid() order by random() "
           "limit 1) as victim";
}

bool PostgresPlace::alone(const Server& server) {
    return server.sql("select count(*) from pg_stat_activity where backend_type = 'client backend' "
                      "and pid <> pg_backend_pid()") == "0";
}

int PostgresPlace::deadlocks(sql::Database& direct) {
    return count_of(direct, "select deadlocks from pg_stat_database where datname = 'postgres'");
}

std::shared_ptr<sql::Driver> MariadbPlace::driver(std::initializer_list<std::uint16_t> ports) {
    return must_drive(sql::mariadb("mariadb://root@" + hosts(ports) + "/test"));
}

std::string MariadbPlace::victim() {
    return "select concat('kill ', id) from information_schema.processlist where user = 'root' and "
           "id <> connection_id() order by rand() limit 1";
}

bool MariadbPlace::alone(const Server& server) {
    return server.sql("select count(*) from information_schema.processlist where user = 'root' and "
                      "id <> connection_id()") == "0";
}

int MariadbPlace::deadlocks(sql::Database& direct) {
    return count_of(direct, "select variable_value from information_schema.global_status where "
                            "variable_name = 'Innodb_deadlocks'");
}

MariadbOptions MariadbPlace::server_options() {
    MariadbOptions options;
    if (money_switch("general-log"))
        options.settings = {"general-log-file=general.log", "general-log"};
    if (money_switch("no-aio")) options.settings.emplace_back("innodb-use-native-aio=0");
    if (!money_switch("slow-write")) return options;
    options.preload = money_setting("PERDURE_SLOW_WRITE");
    for (const char* setting : {"innodb-use-native-aio=0", "innodb-max-dirty-pages-pct-lwm=0.001",
                                "innodb-max-dirty-pages-pct=0.01"})
        options.settings.emplace_back(setting);
    return options;
}

// The write lasts 300 ms, of which most shall have passed: by then others have gone on and committed.
void MariadbPlace::await_kill(const Server& server) {
    if (!money_switch("slow-write")) return;
    const auto slow_writes = [&] {
        const std::string log = server.log();
        constexpr std::string_view line = "slow write of the row id page";
        int count = 0;
        for (std::size_t at = log.find(line); at != std::string::npos; at = log.find(line, at + 1))
            ++count;
        return count;
    };
    const int before = slow_writes();
    if (!becomes_true([&] { return slow_writes() > before; }, 4s)) return;
    Clock& clock = system_clock();
    clock.sleep_until(clock.now() + 200ms, {});
}

// A recovery that cannot apply a part of its log says so, goes on without that part and lets sessions in.
std::string MariadbPlace::damage(const Server& server) {
    std::istringstream log{server.log()};
    std::string found;
    for (std::string line; std::getline(log, line);)
        if (line.find("[ERROR] InnoDB") != std::string::npos ||
            line.find("Assertion failure") != std::string::npos)
            found += line + "\n";
    return found;
}

std::string MariadbPlace::report(const Server& server, const WrongTransfers& transfers) {
    // CHECK TABLE comes first: it must see the tables as they were found.
    return server.sql("check table posting, account, transfer, perdure_token extended") +
           "\nposting: transfer, account, cents, serial, connection, written_at, boot\n" +
           server.sql("select * from posting where " + transfers_in(transfers) +
                      " order by transfer, serial") +
           "\n";
}

std::string PostgresPlace::report(const Server& server, const WrongTransfers& transfers) {
    return "posting: ctid, xmin, transfer, account, cents, serial, connection, written_at, boot\n" +
           server.sql("select ctid, xmin, * from posting where " + transfers_in(transfers) +
                      " order by transfer, serial") +
           "\n";
}

void drop_link(std::unique_ptr<SqlLink>& link, const SqlFaults& faults) {
    Clock& clock = system_clock();
    clock.sleep_until(clock.now() + faults.late_by + 200ms, {});
    link.reset();
}

std::ostream& operator<<(std::ostream& out, const MoneyOutcome& outcome) {
    return out << outcome.account << "\n  " << outcome.cuts << " COMMITs lost, " << outcome.ended
               << " sessions ended, " << outcome.kills << " kills, " << outcome.deadlocks
               << " deadlocks, "
               << std::chrono::duration_cast<std::chrono::milliseconds>(outcome.took).count()
               << " ms\n"
               << outcome.failures;
}

}  // namespace perdure::live
