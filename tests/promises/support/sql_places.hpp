// SPDX-License-Identifier: Apache-2.0
//
// Real database servers, prepared for drills: a user and a table for each way, and a log of statements
// from which is read what the server has worked on.
#pragma once

#include <memory>
#include <string>

#include "live/support/mariadb.hpp"
#include "live/support/postgres.hpp"
#include "promises/support/sql_ways.hpp"

namespace perdure::promises {

// Each call works for that long at the server, so that the break catches calls in their middle.
[[nodiscard]] SqlWork postgres_work(Duration takes = 100ms);
[[nodiscard]] SqlWork mariadb_work(Duration takes = 100ms);

// The server's log is in a file that outlives a restart and a kill.
[[nodiscard]] live::PostgresOptions postgres_for_drills();
[[nodiscard]] live::MariadbOptions mariadb_for_drills();

// `columns` stand behind the call's number; `behind` the whole: " tablespace small".
void prepare(const live::Postgres& server, const std::string& columns = "",
             const std::string& behind = "");
void prepare(const live::Mariadb& server);

// "127.0.0.1:5432" or several with commas between, and parameters: "?sslmode=disable".
[[nodiscard]] MakeDriver postgres_at(const std::string& hosts, const std::string& parameters = "");
[[nodiscard]] MakeDriver mariadb_at(const std::string& hosts, const std::string& parameters = "");
[[nodiscard]] std::string loopback(std::uint16_t port);

// What stands in the tables and in the log. Requests are executions of the call's INSERT.
[[nodiscard]] ServerCounts counts_of(const live::Postgres& server, const std::string& way);
[[nodiscard]] ServerCounts counts_of(const live::Mariadb& server, const std::string& way);
// The log alone, also of a server that is dead.
[[nodiscard]] ServerCounts logged_by(const live::Postgres& server, const std::string& way);
[[nodiscard]] ServerCounts logged_by(const live::Mariadb& server, const std::string& way);

}  // namespace perdure::promises
