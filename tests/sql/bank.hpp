// SPDX-License-Identifier: Apache-2.0
//
// A SQLite database of one test's own, with a table and with faults that come when they were planned.
//
//     Bank bank;
//     bank.faults.commit({Planned::fail_after});
//     EXPECT_TRUE(transact(bank.database, {}, insert(7)));
//     EXPECT_EQ(bank.things(), 1);
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "perdure/call/observer.hpp"
#include "perdure/sql/database.hpp"
#include "perdure/sql/planned_faults.hpp"
#include "perdure/sql/sqlite.hpp"
#include "perdure/sql/transact.hpp"
#include "perdure/try.hpp"

namespace perdure::sql {

// Removed with everything in it. Used by one thread.
class OwnFolder {
public:
    OwnFolder() {
        // In memory where that can be had: these tests are not about disks.
        const bool in_memory = std::filesystem::is_directory("/dev/shm");
        const auto where =
            in_memory ? std::filesystem::path{"/dev/shm"} : std::filesystem::temp_directory_path();
        path_ = (where / "perdure-sql-XXXXXX").string();
        if (!mkdtemp(path_.data())) ADD_FAILURE() << "no temporary directory";
    }
    OwnFolder(const OwnFolder&) = delete;
    OwnFolder& operator=(const OwnFolder&) = delete;
    ~OwnFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

// The plan with its delays cut to milliseconds.
inline Plan hasty(Plan plan) {
    const auto hurry = [](Rule& rule) {
        rule.backoff.base = std::min<Duration>(rule.backoff.base, 1ms);
        rule.backoff.cap = 2ms;
    };
    hurry(plan.rule);
    for (NamedRule& named : plan.rules) hurry(named.rule);
    plan.resolve.backoff = {.base = 5ms, .cap = 20ms};
    return plan;
}

// What is seen from outside of the calls made so far. Used by one thread.
class Watching final : public Observer {
public:
    void on_event(const Event& event) noexcept override {
        if (event.kind == EventKind::waiting) waits.push_back(event.wait);
        if (event.kind == EventKind::asking) ++asked;
        if (event.kind == EventKind::attempt_started) ++attempts;
    }
    std::vector<Duration> waits{};
    int asked = 0;
    int attempts = 0;
};

inline Result<std::int64_t> count_things(Database& database) {
    PERDURE_TRY_VALUE(const Rows rows, database.query("select count(*) from thing"));
    return rows.single<std::int64_t>();
}

// A body that adds one thing and gives its number.
inline auto insert(int id) {
    return [id](Transaction& tx) -> Result<int> {
        PERDURE_TRY(tx.execute("insert into thing (id) values (?)", id));
        return id;
    };
}

inline DatabaseOptions with_tokens(DatabaseOptions options = {}) {
    options.tokens.use = TokenUse::create;
    options.tokens.purge_every = {};
    return options;
}

class Bank {
public:
    explicit Bank(DatabaseOptions options = {}, const Environment& environment = {})
        : driver{*sqlite(folder_.file("bank.db"), {.synchronous = Synchronous::normal})},
          plain{driver},
          database{with_faults(driver, faults), planned(std::move(options)), environment} {
        if (auto made = plain.execute("create table thing (id integer)"); !made)
            ADD_FAILURE() << to_string(made.error());
    }

    // As somebody sees them who meets no faults.
    [[nodiscard]] std::int64_t things() { return count_things(plain).value_or(-1); }
    [[nodiscard]] std::int64_t tokens() {
        const auto rows = plain.query("select count(*) from perdure_token");
        return rows ? rows->single<std::int64_t>().value_or(-1) : -1;
    }

private:
    static DatabaseOptions planned(DatabaseOptions options) {
        if (!options.plan) options.plan = hasty(strategy(Product::sqlite));
        return options;
    }
    OwnFolder folder_;

public:
    PlannedFaults faults;
    std::shared_ptr<Driver> driver;
    Database plain;
    Database database;
};

}  // namespace perdure::sql
