// SPDX-License-Identifier: Apache-2.0
//
// What the tests of SQL targets work with: an empty database, and a session of their own to look on.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "load/target/sql/sql_target.hpp"
#include "perdure/sql/open.hpp"
#include "perdure/time/random.hpp"
#include "tools/load_target_case.hpp"

namespace tool::load {

namespace sql = perdure::sql;

struct ContractPlace {
    std::string url{};
    std::string missing{};  // why there is none; then the tests are skipped
    std::shared_ptr<void> holds{};
};
// An empty one.
ContractPlace contract_place(const std::string& name);

class SqlPlace final : public TargetPlace {
public:
    explicit SqlPlace(ContractPlace place) : place_{std::move(place)} {
        if (place_.missing.empty())
            direct_ = std::make_unique<sql::Database>(*sql::open(place_.url));
    }
    [[nodiscard]] std::string missing() const override { return place_.missing; }
    [[nodiscard]] std::unique_ptr<Target> open(int workers) override {
        return open(SqlTargetOptions{.workers = workers});
    }
    [[nodiscard]] std::unique_ptr<Target> open(SqlTargetOptions options) const {
        options.url = place_.url;
        if (options.table.empty()) options.table = "t";
        auto target = open_sql_target(options);
        EXPECT_TRUE(target);
        return *std::move(target);
    }
    void drop_table() override { run("drop table t"); }
    [[nodiscard]] std::uint64_t ledger_items(const std::string& source) override {
        std::uint64_t items = 0;
        for (const char* table : {"perdure_load", "perdure_load_range", "perdure_load_rejected"})
            items += std::stoull(ask(std::string{"select count(*) from "} + table +
                                     " where source = '" + source + "'"));
        return items;
    }
    [[nodiscard]] std::vector<double> extremes() const override {
        return {-1e300, 5e-324, 1.7976931348623157e308};
    }

    void run(const std::string& text) const {
        const auto done = direct_->execute(text);
        ASSERT_TRUE(done) << text << ": " << to_string(done.error());
    }
    [[nodiscard]] std::string ask(const std::string& text) const {
        const auto rows = direct_->query(text);
        if (!rows) return to_string(rows.error());
        return rows->single<std::string>().value_or(
            std::to_string(rows->single<std::int64_t>().value_or(-1)));
    }

private:
    ContractPlace place_;
    std::unique_ptr<sql::Database> direct_;
};

class SqlTarget : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        place_ = std::make_unique<SqlPlace>(contract_place(GetParam()));
        if (!place_->missing().empty()) GTEST_SKIP() << place_->missing();
    }
    [[nodiscard]] bool is(const std::string& name) const { return name == GetParam(); }
    void run(const std::string& text) const { place_->run(text); }
    [[nodiscard]] std::string ask(const std::string& text) const { return place_->ask(text); }
    [[nodiscard]] std::unique_ptr<Target> open() const { return place_->open(SqlTargetOptions{}); }
    [[nodiscard]] std::unique_ptr<Target> ready(std::optional<std::size_t> key,
                                                SqlTargetOptions options = {}) const {
        return made_ready(place_->open(std::move(options)), key);
    }

    std::unique_ptr<SqlPlace> place_;
};

}  // namespace tool::load
