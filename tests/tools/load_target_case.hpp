// SPDX-License-Identifier: Apache-2.0
//
// What the tests of all targets work with: a place that is empty, and orders made by hand. What every
// target promises is LoadContract (load_target_contract.cpp); who has a place for it says so:
//
//     INSTANTIATE_TEST_SUITE_P(Sqlite, LoadContract, ::testing::Values(PlaceMaker{"sqlite", empty_file}));
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "tools/load_orders.hpp"

namespace tool::load {

using perdure::Cause;
using perdure::Effect;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Somewhere to load into: nothing is there when it is made. Used by one thread.
class TargetPlace {
public:
    virtual ~TargetPlace() = default;
    // Why there is none; then tests are skipped.
    [[nodiscard]] virtual std::string missing() const { return {}; }
    // The same table each time; 0 workers: as suits the target.
    [[nodiscard]] virtual std::unique_ptr<Target> open(int workers) = 0;
    virtual void drop_table() = 0;
    // How much the ledger holds about an input.
    [[nodiscard]] virtual std::uint64_t ledger_items(const std::string& source) = 0;
    // Numbers at the edge of what it can hold.
    [[nodiscard]] virtual std::vector<double> extremes() const = 0;
};

struct PlaceMaker {
    const char* name = "";
    std::unique_ptr<TargetPlace> (*make)() = nullptr;
};
// NOLINTNEXTLINE(readability-identifier-naming): the name GoogleTest looks for
inline void PrintTo(const PlaceMaker& maker, std::ostream* out) { *out << maker.name; }

// With its table and its ledger.
inline std::unique_ptr<Target> made_ready(std::unique_ptr<Target> target,
                                          std::optional<std::size_t> key) {
    const Schema schema = test_schema(key);
    if (const auto made = target->create(schema); !made) ADD_FAILURE() << to_string(made.error());
    target->use(schema);
    if (const auto opened = target->open_ledger(); !opened)
        ADD_FAILURE() << to_string(opened.error());
    return target;
}

inline Range write(Target& target, const Order& order) {
    const auto entered = target.enter(*order.source);
    if (!entered) ADD_FAILURE() << to_string(entered.error());
    auto written = target.write(order, {});
    if (!written) ADD_FAILURE() << to_string(written.error());
    return written.value_or(Range{});
}

inline std::string refusal(Target& target, const Order& order) {
    EXPECT_TRUE(target.enter(*order.source));
    const auto written = target.write(order, {});
    return written ? "written" : written.error().code;
}

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

class LoadContract : public ::testing::TestWithParam<PlaceMaker> {
protected:
    void SetUp() override {
        place = GetParam().make();
        if (!place->missing().empty()) GTEST_SKIP() << place->missing();
    }
    [[nodiscard]] std::unique_ptr<Target> open(int workers = 0) const {
        return place->open(workers);
    }
    [[nodiscard]] std::unique_ptr<Target> ready(std::optional<std::size_t> key,
                                                int workers = 0) const {
        return made_ready(open(workers), key);
    }

    std::unique_ptr<TargetPlace> place;
};

}  // namespace tool::load
