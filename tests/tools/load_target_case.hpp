// SPDX-License-Identifier: Apache-2.0
//
// What the tests of SQL targets work with: an empty database, a session of their own to look on, and
// orders made by hand.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "load/sql_target.hpp"
#include "perdure/sql/open.hpp"
#include "perdure/time/random.hpp"
#include "tools/load_orders.hpp"

namespace tool::load {

struct ContractPlace {
    std::string url{};
    std::string missing{};  // why there is none; then the tests are skipped
    std::shared_ptr<void> holds{};
};
// An empty one.
ContractPlace contract_place(const std::string& name);

using perdure::Cause;
using perdure::Effect;
namespace sql = perdure::sql;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SqlTarget : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        place_ = contract_place(GetParam());
        if (!place_.missing.empty()) GTEST_SKIP() << place_.missing;
        direct_ = std::make_unique<sql::Database>(*sql::open(place_.url));
    }
    [[nodiscard]] bool is(const std::string& name) const { return name == GetParam(); }

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

    std::unique_ptr<Target> open(SqlTargetOptions options = {}) const {
        options.url = place_.url;
        if (options.table.empty()) options.table = "t";
        auto target = open_sql_target(options);
        EXPECT_TRUE(target);
        return *std::move(target);
    }
    // With its table and its ledger.
    std::unique_ptr<Target> ready(std::optional<std::size_t> key, SqlTargetOptions options = {}) {
        auto target = open(std::move(options));
        const Schema schema = test_schema(key);
        if (const auto made = target->create(schema); !made)
            ADD_FAILURE() << to_string(made.error());
        target->use(schema);
        if (const auto opened = target->open_ledger(); !opened)
            ADD_FAILURE() << to_string(opened.error());
        return target;
    }
    static Range write(Target& target, const Order& order) {
        EXPECT_TRUE(target.enter(*order.source));
        auto written = target.write(order, {});
        if (!written) ADD_FAILURE() << to_string(written.error());
        return written.value_or(Range{});
    }
    static std::string refusal(Target& target, const Order& order) {
        EXPECT_TRUE(target.enter(*order.source));
        const auto written = target.write(order, {});
        return written ? "written" : written.error().code;
    }

    ContractPlace place_;
    std::unique_ptr<sql::Database> direct_;
};

inline std::string shown(const Value& value) {
    switch (value.kind) {
        case ValueKind::null: return "null";
        case ValueKind::boolean: return value.integer != 0 ? "true" : "false";
        case ValueKind::integer: return std::to_string(value.integer);
        case ValueKind::real: return ::testing::PrintToString(value.real);
        case ValueKind::text: return "'" + std::string{value.text} + "'";
    }
    return {};
}

// All rows by their first column.
inline std::map<std::string, std::string> rows_of(Target& target) {
    std::map<std::string, std::string> rows;
    const auto scanned = target.scan([&](std::span<const Value> row) -> Result<void> {
        std::string rest;
        for (const Value& value : row.subspan(1)) rest += (rest.empty() ? "" : " ") + shown(value);
        EXPECT_TRUE(rows.emplace(shown(row[0]), rest).second) << "twice: " << shown(row[0]);
        return {};
    });
    if (!scanned) ADD_FAILURE() << to_string(scanned.error());
    return rows;
}

}  // namespace tool::load
