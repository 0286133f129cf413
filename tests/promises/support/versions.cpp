// SPDX-License-Identifier: Apache-2.0
#include "promises/support/versions.hpp"

#include <regex>

#include "live/support/mariadb.hpp"
#include "live/support/npm.hpp"
#include "live/support/pgbouncer.hpp"
#include "live/support/postgres.hpp"
#include "live/support/process.hpp"
#include "live/support/temp_dir.hpp"
#include "promises/support/js_client.hpp"

namespace perdure::promises {
namespace {

std::string version_told_by(const std::string& program) {
    std::string said;
    return live::run({program, "--version"}, &said) == 0 ? version_in(said) : std::string{};
}

std::string version_of_package(const std::string& package) {
    const std::string json = live::read_file(live::npm_path(package + "/package.json"));
    const std::size_t field = json.find("\"version\"");
    return field == std::string::npos ? std::string{} : version_in(json.substr(field));
}

}  // namespace

std::string version_in(const std::string& text) {
    static const std::regex number{"[0-9]+(\\.[0-9]+)+"};
    std::smatch found;
    return std::regex_search(text, found, number) ? found.str() : std::string{};
}

std::string versions_of_servers() {
    return "PostgreSQL " + version_told_by(live::Postgres::server_program()) + ", PgBouncer " +
           version_told_by(live::find_program("pgbouncer")) + ", MariaDB " +
           version_told_by(live::find_program("mariadbd")) + ", @azure/cosmos " +
           version_of_package("@azure/cosmos") + " on Node.js " + version_told_by(live::node());
}

std::string versions_missing() {
    for (const std::string& why : {live::Postgres::missing(), live::Mariadb::missing(),
                                   live::Pgbouncer::missing(), JsClient::missing()})
        if (!why.empty()) return why;
    return {};
}

}  // namespace perdure::promises
