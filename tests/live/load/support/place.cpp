// SPDX-License-Identifier: Apache-2.0
#include "live/load/support/place.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <optional>

#include "live/support/mariadb.hpp"
#include "live/support/postgres.hpp"
#include "live/support/sql_server.hpp"
#include "perdure/sql/open.hpp"

namespace perdure::live {
namespace {

class SqlitePlace final : public Place {
public:
    std::string missing() const override { return {}; }
    std::string url(std::uint16_t) const override { return "sqlite:" + path(); }
    std::string url_of_reader() override { return "file:" + path() + "?mode=ro"; }
    std::string url_of_stranger() const override { return "sqlite:" + home_->file("no/such.db"); }
    std::vector<Refused> refused() override {
        return {{url_of_stranger(), "no/such.db"}, {"sqlite:" + home_->path(), home_->path()}};
    }
    void clear() override {
        direct_.reset();
        home_.emplace();
        elsewhere_.clear();
    }
    void make_orders_in(const std::string& directory) override {
        elsewhere_ = directory + "/shop.db";
        make_orders();
    }

private:
    [[nodiscard]] std::string path() const {
        return elsewhere_.empty() ? home_->file("shop.db") : elsewhere_;
    }
    std::optional<TempDir> home_;
    std::string elsewhere_;
};

class PostgresPlace final : public Place {
public:
    std::string missing() const override { return Postgres::missing(); }
    std::string url(std::uint16_t port) const override {
        return "postgres://postgres@127.0.0.1:" +
               std::to_string(port != 0 ? port : server_->port()) + "/postgres";
    }
    std::string url_of_reader() override {
        server_->sql("drop owned by reader; grant select on orders to reader");
        return server_->url("reader");
    }
    std::string url_of_stranger() const override { return server_->url("stranger"); }
    std::vector<Refused> refused() override {
        demand_password();
        return {{server_->url("ada"), "the server demands a password: set PGPASSWORD"},
                {server_->url("ada:hunter2"), "28P01"},
                {server_->url("postgres", "nosuch"), "3D000"},
                {server_->url("stranger"), "28000"}};
    }
    std::uint16_t port() const override { return server_->port(); }
    void clear() override {
        if (!server_) server_.emplace();
        server_->sql("do $$ begin create role reader login; "
                     "exception when duplicate_object then null; end $$");
        Place::clear();
    }
    void kill9() override { server_->kill9(); }
    void start() override { server_->start(); }
    void make_orders_in(const std::string& directory) override {
        give_to("postgres", directory);
        server_->sql("drop tablespace if exists tiny");
        server_->sql("create tablespace tiny location '" + directory + "'");
        make_orders();
        server_->sql("alter table orders set tablespace tiny");
        server_->sql("alter index orders_pkey set tablespace tiny");
    }
    void leave() override {
        clear();
        server_->sql("drop tablespace tiny");
        server_->sql("checkpoint");  // a recovery would look for its directory
    }

private:
    // Of `ada`, whose password is "right".
    void demand_password() {
        server_->sql("drop role if exists ada; create role ada login password 'right'");
        std::ofstream{server_->home() + "/data/pg_hba.conf"}
            << "host all ada all scram-sha-256\nlocal all all trust\nhost all all all trust\n";
        EXPECT_EQ(server_->sql("select pg_reload_conf()"), "t");
        const auto ada = sql::driver_for(server_->url("ada"));
        EXPECT_TRUE(becomes_true([&] { return !sql::Database{*ada}.execute("select 1"); }));
    }
    std::optional<Postgres> server_;
};

class MariadbPlace final : public Place {
public:
    std::string missing() const override { return Mariadb::missing(); }
    std::string url(std::uint16_t port) const override {
        return "mariadb://root@127.0.0.1:" + std::to_string(port != 0 ? port : server_->port()) +
               "/test";
    }
    std::string url_of_reader() override {
        server_->sql("create or replace user reader@'127.0.0.1'; "
                     "grant select on test.* to reader@'127.0.0.1'");
        return server_->url("reader");
    }
    std::string url_of_stranger() const override { return server_->url("stranger:wrong"); }
    std::vector<Refused> refused() override {
        server_->sql("create or replace user ada@'127.0.0.1' identified by 'right'");
        return {{server_->url("ada"), "1045"},
                {server_->url("ada:hunter2"), "1045"},
                {server_->url("root", "nosuch"), "1049"}};
    }
    std::uint16_t port() const override { return server_->port(); }
    void clear() override {
        if (!server_) server_.emplace();
        Place::clear();
    }
    void kill9() override { server_->kill9(); }
    void start() override { server_->start(); }
    void make_orders_in(const std::string& directory) override {
        give_to("mysql", directory);
        ending_ = " data directory = '" + directory + "'";
        make_orders();
        ending_.clear();
    }

protected:
    // The server's own default may be a character set that has no birds.
    std::string table_end() const override { return " default character set utf8mb4" + ending_; }

private:
    std::string ending_;
    std::optional<Mariadb> server_;
};

}  // namespace

void Place::clear() {
    direct_.reset();
    for (const char* table :
         {"orders", "perdure_load", "perdure_load_range", "perdure_load_rejected", "perdure_token"})
        run(std::string{"drop table if exists "} + table);
}

void Place::make_orders(const std::string& constraint) {
    run("create table orders (id bigint not null, name varchar(80), price double precision, "
        "paid boolean, note text, tags text" +
        (constraint.empty() ? "" : ", " + constraint) + ")" + table_end());
}

sql::Database& Place::direct() {
    if (!direct_) direct_ = std::make_unique<sql::Database>(*sql::driver_for(url()));
    return *direct_;
}

void Place::run(const std::string& text) {
    const auto done = direct().execute(text);
    EXPECT_TRUE(done) << text << ": " << to_string(done.error());
}

Place& place_of(const std::string& name) {
    static std::map<std::string, std::unique_ptr<Place>> places;
    auto& place = places[name];
    if (!place && name == "sqlite") place = std::make_unique<SqlitePlace>();
    if (!place && name == "postgres") place = std::make_unique<PostgresPlace>();
    if (!place && name == "mariadb") place = std::make_unique<MariadbPlace>();
    return *place;
}

}  // namespace perdure::live
