// SPDX-License-Identifier: Apache-2.0
#include "promises/support/sql_places.hpp"

#include <chrono>
#include <filesystem>
#include <utility>

#include "perdure/sql/mariadb.hpp"
#include "perdure/sql/postgres.hpp"

namespace perdure::promises {
namespace {

const std::string log_name = "statements.log";

std::string seconds_of(Duration duration) {
    return std::to_string(std::chrono::duration<double>(duration).count());
}

int occurrences(const std::string& text, const std::string& what) {
    int count = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
}

std::string insert_for(const std::string& way) { return "insert into rows_of_" + way + "("; }

std::shared_ptr<sql::Driver> must(Result<std::shared_ptr<sql::Driver>> driver) {
    if (!driver) live::give_up(to_string(driver.error()));
    return *std::move(driver);
}

Effects effects_in(std::shared_ptr<sql::Driver> driver, const std::string& way) {
    sql::Database database{std::move(driver)};
    const auto rows = database.query("select id, count(*) from rows_of_" + way + " group by id");
    if (!rows) live::give_up(to_string(rows.error()));
    Effects effects;
    for (const sql::Row& row : *rows)
        effects[row.get<std::int64_t>(0).value_or(-1)] = row.get<int>(1).value_or(-1);
    return effects;
}

std::string insert_of_the_way() { return "insert into {rows}(id) values (?)"; }

}  // namespace

SqlWork postgres_work(Duration takes) {
    return {{insert_of_the_way(), "select pg_sleep(" + seconds_of(takes) + ")"}};
}
SqlWork mariadb_work(Duration takes) {
    return {{insert_of_the_way(), "select sleep(" + seconds_of(takes) + ")"}};
}

live::PostgresOptions postgres_for_drills() {
    // Beside the data, where a standby made of this server has a file of its own.
    return {.settings = {"max_connections=400", "logging_collector=on", "log_directory=..",
                         "log_filename=" + log_name, "log_statement=mod", "log_connections=on",
                         "log_rotation_age=0", "log_rotation_size=0"}};
}
live::MariadbOptions mariadb_for_drills() {
    return {.settings = {"max-connections=400", "general-log=1", "general-log-file=" + log_name}};
}

void prepare(const live::Postgres& server, const std::string& columns, const std::string& behind) {
    for (const std::string way : way_keys)
        server.sql("create role " + way + " login; create table rows_of_" + way +
                   "(id bigint not null" + columns + ")" + behind + "; alter table rows_of_" + way +
                   " owner to " + way);
}

void prepare(const live::Mariadb& server) {
    for (const std::string way : way_keys)
        server.sql("create user " + way + "; grant all on test.* to " + way +
                   "; create table rows_of_" + way + "(id bigint not null) engine=InnoDB");
}

MakeDriver postgres_at(const std::string& hosts, const std::string& parameters) {
    return [=](const std::string& user) {
        return must(sql::postgres("postgresql://" + user + "@" + hosts + "/postgres" + parameters));
    };
}
MakeDriver mariadb_at(const std::string& hosts, const std::string& parameters) {
    return [=](const std::string& user) {
        return must(sql::mariadb("mariadb://" + user + "@" + hosts + "/test" + parameters));
    };
}
std::string loopback(std::uint16_t port) { return "127.0.0.1:" + std::to_string(port); }

ServerCounts logged_by(const live::Postgres& server, const std::string& way) {
    const std::string log = live::read_file(server.socket_directory() + "/" + log_name);
    // "execute <name>: insert …"; a line with STATEMENT has two blanks there.
    return {.requests = occurrences(log, ": " + insert_for(way)),
            .connects = occurrences(log, "connection authorized: user=" + way + " ")};
}

ServerCounts counts_of(const live::Postgres& server, const std::string& way) {
    ServerCounts counts = logged_by(server, way);
    counts.effects = effects_in(must(sql::postgres(server.url())), way);
    return counts;
}

ServerCounts logged_by(const live::Mariadb& server, const std::string& way) {
    const std::filesystem::path home = std::filesystem::path{server.socket()}.parent_path();
    const std::string log = live::read_file((home / "data" / log_name).string());
    return {.requests = occurrences(log, "Execute\t" + insert_for(way)) +
                        occurrences(log, "Query\t" + insert_for(way)),
            .connects = occurrences(log, "Connect\t" + way + "@")};
}

ServerCounts counts_of(const live::Mariadb& server, const std::string& way) {
    ServerCounts counts = logged_by(server, way);
    counts.effects = effects_in(must(sql::mariadb(server.url())), way);
    return counts;
}

}  // namespace perdure::promises
