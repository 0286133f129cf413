// SPDX-License-Identifier: Apache-2.0
//
// How is a PostgreSQL server reached? By a URL or by libpq's own words, and with libpq's environment
// variables, service file and password file.
//
//     auto bank = sql::postgres("postgres://app@db1,db2:5433/bank");
//     auto logs = sql::postgres("host=/run/postgresql dbname=logs", {.pooler = Pooler::transaction});
//
// Unless the URL or the environment says which `sslmode`, a server that is not on this machine must
// show a certificate for its name. Of several hosts the one that takes writes is found. Versions 12, 15
// and 18 are tested; a server that cannot say what became of a transaction wants tokens.
#pragma once

#include "perdure/cxx20.hpp"

#include <cstdint>
#include <memory>
#include <string_view>

#include "perdure/sql/driver.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

// Whether statements are kept prepared on the server.
enum class PostgresStatements : std::uint8_t {
    prepared,  // from its second use on
    unnamed    // never: a pooler may change the server between two statements
};

// What stands between us and the server. `transaction`: PgBouncer in transaction mode; settings of a
// session are left alone, and statements are unnamed.
enum class Pooler : std::uint8_t { none, transaction };

// What is shown of the server's messages.
enum class PostgresMessages : std::uint8_t {
    redacted,  // names of tables, columns and constraints, but no text that may quote a value
    whole
};

struct PostgresOptions {
    PostgresStatements statements = PostgresStatements::prepared;
    Pooler pooler = Pooler::none;
    // A link that is silent for this long is dead, both while sending and while waiting (TCP user
    // timeout and keepalives). `never`: the system's own limits. Those in the URL win.
    Duration link_dead_after = 10s;
    PostgresMessages messages = PostgresMessages::redacted;
    int most_statements = 100;  // kept for each session; the one not used for longest goes first
};

// Connects to nothing yet. What is wrong with the URL is said without quoting it.
[[nodiscard]] Result<std::shared_ptr<Driver>> postgres(std::string_view url_or_conninfo,
                                                       const PostgresOptions& options = {});

}  // namespace sql
}  // namespace v0
}  // namespace perdure
