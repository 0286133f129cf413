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

namespace perdure::live {
namespace {

namespace fs = std::filesystem;

const std::string postgres_account = "postgres";

// Debian keeps each version's programs in a directory of their own; the newest is taken.
std::string program(const std::string& name) {
    std::string newest;
    int highest = 0;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator{"/usr/lib/postgresql", none}) {
        const std::string path = entry.path().string() + "/bin/" + name;
        const int version = std::atoi(entry.path().filename().c_str());
        if (version < highest || ::access(path.c_str(), X_OK) != 0) continue;
        highest = version;
        newest = path;
    }
    return newest.empty() ? find_program(name) : newest;
}

Template clean_cluster() {
    return {.user = postgres_account,
            .version = version_of(program("postgres")),
            .make = [](const std::string& directory) {
                return std::vector<std::string>{
                    program("initdb"), "-D",        directory, "-U",   "postgres",  "-A",
                    "trust",           "--no-sync", "-E",      "UTF8", "--locale=C"};
            }};
}

}  // namespace

std::string Postgres::missing() {
    for (const char* name : {"postgres", "initdb", "psql", "pg_basebackup"})
        if (program(name).empty()) return std::string{name} + " is not installed";
    return cannot_run_as(postgres_account);
}

Postgres::Postgres(const PostgresOptions& options) {
    give_to(postgres_account, home_.path());
    copy_template(clean_cluster(), data_);
    const bool sync = options.durable == Durable::against_a_power_cut;
    write_settings({sync ? "fsync=on" : "fsync=off", "max_connections=60", "deadlock_timeout=100ms",
                    "shared_buffers=16MB", "wal_level=replica", "hot_standby=on",
                    "log_line_prefix='%m [%p] '", "max_wal_senders=4", "wal_keep_size=64MB"});
    write_settings(options.settings);
    start();
}

Postgres::Postgres(const Standby& standby) {
    give_to(postgres_account, home_.path());
    must_run(
        as_user(postgres_account, {program("pg_basebackup"), "-R", "-X", "stream", "--no-sync",
                                   "-c", "fast", "-D", data_, "-d",
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
        as_user(postgres_account, {program("postgres"), "-D", data_, "-p", std::to_string(port_),
                                   "-k", home_.path(), "-c", "listen_addresses=127.0.0.1"}),
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
