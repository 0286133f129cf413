// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/open.hpp"

#include <array>

#ifdef PERDURE_HAS_SQLITE
#include "perdure/sql/sqlite.hpp"
#endif
#ifdef PERDURE_HAS_POSTGRES
#include "perdure/sql/postgres.hpp"
#endif
#ifdef PERDURE_HAS_MARIADB
#include "perdure/sql/mariadb.hpp"
#endif
#ifdef PERDURE_HAS_ODBC
#include "perdure/sql/odbc.hpp"
#endif

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {

using Make = Result<std::shared_ptr<Driver>> (*)(std::string_view url);

struct Scheme {
    std::string_view name;
    Make make;  // null: not in this build
};

#ifdef PERDURE_HAS_SQLITE
constexpr Make of_sqlite = [](std::string_view url) { return sqlite(url); };
#else
constexpr Make of_sqlite = nullptr;
#endif
#ifdef PERDURE_HAS_POSTGRES
constexpr Make of_postgres = [](std::string_view url) { return postgres(url); };
#else
constexpr Make of_postgres = nullptr;
#endif
#ifdef PERDURE_HAS_MARIADB
constexpr Make of_mariadb = [](std::string_view url) { return mariadb(url); };
#else
constexpr Make of_mariadb = nullptr;
#endif
#ifdef PERDURE_HAS_ODBC
constexpr Make of_odbc = [](std::string_view url) { return odbc(url); };
#else
constexpr Make of_odbc = nullptr;
#endif

constexpr std::array schemes{
    Scheme{"sqlite", of_sqlite},     Scheme{"file", of_sqlite},
    Scheme{"postgres", of_postgres}, Scheme{"postgresql", of_postgres},
    Scheme{"mariadb", of_mariadb},   Scheme{"mysql", of_mariadb},
    Scheme{"odbc", of_odbc},
};

// The URL itself is not repeated: it may hold a password.
Failure refused(std::string message) {
    return {.cause = Cause::invalid,
            .origin = Origin::application,
            .code = "database-url",
            .message = std::move(message)};
}

}  // namespace

Result<std::shared_ptr<Driver>> driver_for(std::string_view url) {
    const std::size_t colon = url.find(':');
    const std::string_view scheme = url.substr(0, colon == std::string_view::npos ? 0 : colon);
    for (const Scheme& known : schemes) {
        if (known.name != scheme) continue;
        if (known.make) return known.make(url);
        return fail(refused("this build has no driver for " + std::string{scheme} + ": URLs"));
    }
    return fail(refused("a database URL begins with sqlite:, postgres://, mariadb:// or odbc:"));
}

Result<Database> open(std::string_view url, DatabaseOptions options,
                      const Environment& environment) {
    auto driver = driver_for(url);
    if (!driver) return driver.take_failure();
    return Database{*std::move(driver), std::move(options), environment};
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
