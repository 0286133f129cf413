// SPDX-License-Identifier: Apache-2.0
//
// Purges the token table of a database that is already there and prints what that took, as JSON, for
// scripts/bench-purge.
//
//     perdure_purge sqlite:/var/tmp/a.db 60        those older than 60 minutes
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "perdure/sql/database.hpp"
#include "perdure/sql/sqlite.hpp"
#include "perdure/time/clock.hpp"
#ifdef BENCH_POSTGRES
#include "perdure/sql/postgres.hpp"
#endif
#ifdef BENCH_MARIADB
#include "perdure/sql/mariadb.hpp"
#endif

namespace {

using namespace perdure;

Result<std::shared_ptr<sql::Driver>> driver_for(const std::string& url) {
#ifdef BENCH_POSTGRES
    if (url.starts_with("postgres")) return sql::postgres(url);
#endif
#ifdef BENCH_MARIADB
    if (url.starts_with("mariadb")) return sql::mariadb(url);
#endif
    return sql::sqlite(url.substr(url.find(':') + 1));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return std::fputs("usage: perdure_purge URL MINUTES\n", stderr), 2;
    auto driver = driver_for(argv[1]);
    if (!driver) return std::fprintf(stderr, "%s\n", to_string(driver.error()).c_str()), 1;
    const std::chrono::minutes age{std::stoi(argv[2])};
    sql::Database database{
        *driver, {.tokens = {.use = sql::TokenUse::use, .keep_for = age, .purge_every = {}}}};
    Clock& clock = system_clock();
    const TimePoint begun = clock.now();
    const auto purged = sql::purge_tokens(database);
    const Duration took = clock.now() - begun;
    if (!purged) return std::fprintf(stderr, "%s\n", to_string(purged.error()).c_str()), 1;
    std::printf("{\"tokens\": %lld, \"seconds\": %.6f}\n", static_cast<long long>(*purged),
                std::chrono::duration<double>(took).count());
}
