// SPDX-License-Identifier: Apache-2.0
#include "live/support/postgres.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <sys/types.h>
#include <unistd.h>

#include "live/support/npm.hpp"

namespace perdure::live {
namespace {

namespace fs = std::filesystem;

const std::string postgres_account = "postgres";

bool can_run(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

// Debian keeps each version's programs in a directory of their own.
std::string debians(const std::string& name, int version) {
    std::string newest;
    int highest = 0;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator{"/usr/lib/postgresql", none}) {
        const std::string path = entry.path().string() + "/bin/" + name;
        const int found = std::atoi(entry.path().filename().c_str());
        const bool wanted = version == newest_of_debian || version == found;
        if (!wanted || found < highest || !can_run(path)) continue;
        highest = found;
        newest = path;
    }
    return newest;
}

std::string program(const std::string& name, int version = newest_of_debian) {
    std::string path = debians(name, version);
    if (!path.empty()) return path;
    if (version == newest_of_debian) return find_program(name);
    path = npm_path("postgres-" + std::to_string(version) + "/native/bin/" + name);
    return can_run(path) ? path : "";
}

// npm's programs are below the source tree, which Debian's user may not be let into, and need links
// that only scripts/setup makes.
std::string cannot_run(int version) {
    const std::string name = "PostgreSQL " + std::to_string(version);
    const std::string postgres = program("postgres", version);
    if (postgres.empty() || program("initdb", version).empty())
        return name + " is not installed; `scripts/setup test` installs 12 and 18 from npm";
    std::string said;
    if (run(as_user(postgres_account, {postgres, "--version"}), &said) == 0) return {};
    return name + " does not run: " + said;
}

Template clean_cluster(int version) {
    const auto make = [version](const std::string& directory) {
        std::vector<std::string> command{program("initdb", version), "-D", directory};
        for (const char* word :
             {"-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"})
            command.emplace_back(word);
        return command;
    };
    return {.user = postgres_account,
            .version = version_of(program("postgres", version)),
            .make = make};
}

}  // namespace

std::string Postgres::missing(int version) {
    for (const char* name : {"postgres", "initdb", "psql", "pg_basebackup"})
        if (program(name).empty()) return std::string{name} + " is not installed";
    if (std::string why = cannot_run_as(postgres_account); !why.empty()) return why;
    return version == newest_of_debian ? "" : cannot_run(version);
}

std::string Postgres::server_program(int version) { return program("postgres", version); }

Postgres::Postgres(const PostgresOptions& options) : version_{options.version} {
    give_to(postgres_account, home_.path());
    copy_template(clean_cluster(version_), data_);
    const bool sync = options.durable == Durable::against_a_power_cut;
    write_settings({sync ? "fsync=on" : "fsync=off", "max_connections=60", "deadlock_timeout=100ms",
                    "shared_buffers=16MB", "wal_level=replica", "hot_standby=on",
                    "log_line_prefix='%m [%p] '", "max_wal_senders=4",
                    version_ == 12 ? "wal_keep_segments=4" : "wal_keep_size=64MB"});
    write_settings(options.settings);
    start();
}

Postgres::Postgres(const Standby& standby) : version_{standby.primary.version_} {
    give_to(postgres_account, home_.path());
    const std::string copies = program("pg_basebackup", version_);
    if (copies.empty()) give_up("there is no pg_basebackup of this version");
    must_run(as_user(postgres_account,
                     {copies, "-R", "-X", "stream", "--no-sync", "-c", "fast", "-D", data_, "-d",
                      "host=127.0.0.1 port=" + std::to_string(standby.primary.port()) +
                          " user=postgres application_name=" + standby.name}));
    // It must not wait for itself when it is promoted.
    write_settings({"synchronous_standby_names=''"});
    start();
}

Postgres::~Postgres() { stop(Stop::immediate); }

// "name=value", of which a value with other characters is quoted already or is quoted here.
void Postgres::write_settings(const std::vector<std::string>& settings) const {
    std::ofstream file{data_ + "/postgresql.conf", std::ios::app};
    for (const std::string& setting : settings) {
        const std::size_t middle = setting.find('=');
        std::string value = setting.substr(middle + 1);
        if (!value.starts_with('\'')) value = "'" + value + "'";
        file << setting.substr(0, middle) << " = " << value << "\n";
    }
}

bool Postgres::come_up() {
    const std::string pid_file = data_ + "/postmaster.pid";
    fs::remove(pid_file);
    process_ = std::make_unique<Process>(
        as_user(postgres_account,
                {program("postgres", version_), "-D", data_, "-p", std::to_string(port_), "-k",
                 home_.path(), "-c", "listen_addresses=127.0.0.1"}),
        home_.file("postgres.log"));
    becomes_true(
        [&] {
            return !process_->running() ||
                   read_file(pid_file).find("\nready ") != std::string::npos;
        },
        60s);
    return process_->running();
}

void Postgres::start() {
    if (process_ && process_->running()) return;
    if (come_up()) return;
    std::cerr << process_->log() << "PostgreSQL does not come up\n";
    std::abort();
}

void Postgres::stop(Stop how) {
    if (!process_ || !process_->running()) return;
    ::kill(process_->pid(), how == Stop::fast ? SIGINT : SIGQUIT);
    if (process_->wait(20s); process_->running()) kill9();
}

void Postgres::kill9() {
    if (!process_ || !process_->running()) return;
    const pid_t postmaster = process_->pid();
    // It bears no more children while they are listed.
    ::kill(postmaster, SIGSTOP);
    const std::vector<pid_t> children = children_of(postmaster);
    ::kill(postmaster, SIGKILL);
    process_->wait(5s);
    const auto gone = [&] { return std::ranges::none_of(children, alive); };
    // They see that they are orphans, and say so to their clients. One that computes does not look.
    if (becomes_true(gone, 300ms)) return;
    for (const pid_t child : children)
        if (alive(child)) ::kill(child, SIGKILL);
    if (!becomes_true(gone)) ADD_FAILURE() << "a process of PostgreSQL's outlives a SIGKILL";
}

std::string Postgres::url(const std::string& user, const std::string& database) const {
    return "postgresql://" + user + "@127.0.0.1:" + std::to_string(port_) + "/" + database;
}

std::string Postgres::sql(const std::string& text, const std::string& database) const {
    std::string said;
    const int code = run({program("psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-d",
                          url("postgres", database), "-c", text},
                         &said);
    EXPECT_EQ(code, 0) << text << "\n" << said;
    return without_line_end(said);
}

void Postgres::set(const std::string& name, const std::string& value) {
    const std::string loaded = "SELECT pg_conf_load_time()";
    const std::string before = sql(loaded);
    write_settings({name + "='" + value + "'"});
    ::kill(process_->pid(), SIGHUP);
    EXPECT_TRUE(becomes_true([&] { return sql(loaded) != before; })) << name;
    // Whether a COMMIT waits is decided by what the checkpointer has read.
    if (name == "synchronous_standby_names") sql("CHECKPOINT");
}

std::unique_ptr<Postgres> Postgres::make_standby(const std::string& name) const {
    return std::unique_ptr<Postgres>{new Postgres{Standby{*this, name}}};
}

void Postgres::promote() const { EXPECT_EQ(sql("SELECT pg_promote(true, 30)"), "t"); }

}  // namespace perdure::live
