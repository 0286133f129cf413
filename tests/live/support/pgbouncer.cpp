// SPDX-License-Identifier: Apache-2.0
#include "live/support/pgbouncer.hpp"

#include <cstdlib>
#include <filesystem>
#include <iostream>

namespace perdure::live {
namespace {

// Like the servers it refuses to run as root, and needs nothing of this user but to be there.
const std::string pgbouncer_account = "postgres";

}  // namespace

std::string Pgbouncer::missing() {
    if (find_program("pgbouncer").empty()) return "pgbouncer is not installed";
    return cannot_run_as(pgbouncer_account);
}

Pgbouncer::Pgbouncer(std::uint16_t server, const PgbouncerOptions& options) {
    give_to(pgbouncer_account, home_.path());
    std::string users;
    for (const std::string& each : options.users) users += "\"" + each + "\" \"\"\n";
    const std::string user_file = home_.write("users", users);
    std::string text =
        "[databases]\n* = host=127.0.0.1 port=" + std::to_string(server) +
        "\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = " + std::to_string(port_) +
        "\nunix_socket_dir =\nauth_type = trust\nauth_file = " + user_file +
        "\npool_mode = transaction\ndefault_pool_size = " + std::to_string(options.sessions) +
        "\nignore_startup_parameters = extra_float_digits,options\n"
        "server_login_retry = 1\n";
    for (const std::string& setting : options.settings) text += setting + "\n";
    home_.write("pgbouncer.ini", text);
    for (const std::string& each : {user_file, settings_})
        std::filesystem::permissions(each, std::filesystem::perms::others_read,
                                     std::filesystem::perm_options::add);
    start();
}

void Pgbouncer::start() {
    if (process_ && process_->running()) return;
    process_ = std::make_unique<Process>(
        as_user(pgbouncer_account, {find_program("pgbouncer"), settings_}),
        home_.file("pgbouncer.log"));
    if (wait_for_port(port_) == Answers::yes && process_->running()) return;
    std::cerr << process_->log() << "pgbouncer does not come up\n";
    std::abort();
}

std::string Pgbouncer::url(const std::string& user, const std::string& database) const {
    return "postgresql://" + user + "@127.0.0.1:" + std::to_string(port_) + "/" + database;
}

}  // namespace perdure::live
