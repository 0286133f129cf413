// SPDX-License-Identifier: Apache-2.0
#include "live/support/mariadb.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <iostream>

#include <sys/types.h>

namespace perdure::live {
namespace {

const std::string mariadb_account = "mysql";

Template clean_data() {
    return {.user = mariadb_account,
            .version = version_of(find_program("mariadbd")),
            .make = [](const std::string& directory) {
                return std::vector<std::string>{find_program("mariadb-install-db"),
                                                "--no-defaults",
                                                "--datadir=" + directory,
                                                "--auth-root-authentication-method=normal",
                                                "--skip-test-db",
                                                "--skip-name-resolve",
                                                "--innodb-log-file-size=8M"};
            }};
}

}  // namespace

std::string Mariadb::missing() {
    for (const char* name : {"mariadbd", "mariadb-install-db", "mariadb"})
        if (find_program(name).empty()) return std::string{name} + " is not installed";
    return cannot_run_as(mariadb_account);
}

Mariadb::Mariadb(const MariadbOptions& options) : options_{options} {
    give_to(mariadb_account, home_.path());
    copy_template(clean_data(), data_);
    start();
    sql("CREATE DATABASE IF NOT EXISTS test", "mysql");
}

void Mariadb::start() {
    if (process_ && process_->running()) return;
    const std::string log = home_.file("mariadb.log");
    const std::size_t said = read_file(log).size();
    const bool sync = options_.durable == Durable::against_a_power_cut;
    // A directory of its own for temporary tables: a mariadbd that starts deletes every #sql* file in
    // its tmpdir, by default /tmp, also those of another server that runs (that one then answers with
    // error 6, or crashes in ha_maria::drop_table).
    std::vector<std::string> command{find_program("mariadbd"),
                                     "--no-defaults",
                                     "--datadir=" + data_,
                                     "--tmpdir=" + home_.path(),
                                     "--socket=" + socket(),
                                     "--port=" + std::to_string(port_),
                                     "--bind-address=127.0.0.1",
                                     "--pid-file=" + home_.file("pid"),
                                     "--skip-name-resolve",
                                     "--max-connections=60",
                                     "--innodb-buffer-pool-size=32M",
                                     "--innodb-log-file-size=8M",
                                     std::string{"--innodb-flush-log-at-trx-commit="} +
                                         (sync ? "1" : "2"),
                                     "--report-port=" + std::to_string(++starts_)};
    for (const std::string& setting : options_.settings) command.push_back("--" + setting);
    if (!options_.preload.empty())
        command.insert(command.begin(), {find_program("env"), "LD_PRELOAD=" + options_.preload});
    process_ = std::make_unique<Process>(as_user(mariadb_account, command), log);
    becomes_true(
        [&] {
            return !process_->running() ||
                   read_file(log).find("ready for connections", said) != std::string::npos;
        },
        60s);
    if (process_->running()) return;
    std::cerr << process_->log() << "MariaDB does not come up\n";
    std::abort();
}

void Mariadb::stop() {
    if (!process_ || !process_->running()) return;
    ::kill(process_->pid(), SIGTERM);
    if (process_->wait(20s); process_->running()) kill9();
}

void Mariadb::kill9() {
    if (!process_ || !process_->running()) return;
    ::kill(process_->pid(), SIGKILL);
    process_->wait(5s);
}

std::string Mariadb::url(const std::string& user, const std::string& database) const {
    return "mariadb://" + user + "@127.0.0.1:" + std::to_string(port_) + "/" + database;
}

std::string Mariadb::sql(const std::string& text, const std::string& database) const {
    std::string said;
    const int code = run({find_program("mariadb"), "--no-defaults", "-h127.0.0.1",
                          "-P" + std::to_string(port_), "-uroot", "-N", "-B", "-e", text, database},
                         &said);
    EXPECT_EQ(code, 0) << text << "\n" << said;
    return without_line_end(said);
}

}  // namespace perdure::live
