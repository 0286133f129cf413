// SPDX-License-Identifier: Apache-2.0
//
// Where the conformance list is checked: the same tests on every database that can be had, with
// sessions that fail as planned. Whoever includes the list says what places there are.
//
//     std::shared_ptr<Driver> driver_of(const std::string& place) { … }
//     INSTANTIATE_TEST_SUITE_P(Sqlite, EfCore, ::testing::Values("sqlite"));
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "perdure/sql/ef_core.hpp"
#include "perdure/sql/manual.hpp"
#include "sql/bank.hpp"

namespace perdure::sql {

// Null where there is none. An embedded database gives another one each time.
std::shared_ptr<Driver> driver_of(const std::string& place);

class Conforming : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        driver_ = driver_of(GetParam());
        if (!driver_) GTEST_SKIP() << GetParam() << " is not to be had here";
        plain_.emplace(driver_);
        for (const char* text : {"drop table if exists thing", "create table thing (id integer)"}) {
            auto done = plain_->execute(text);
            ASSERT_TRUE(done) << to_string(done.error());
        }
    }
    void TearDown() override { faults.release(); }

    [[nodiscard]] Product product() const { return driver_->traits().product; }
    [[nodiscard]] Environment environment() { return {.observer = &watching}; }
    [[nodiscard]] Plan plan() const { return hasty(strategy(product())); }
    // Entity Framework Core's counts and order, with its delays cut to milliseconds.
    [[nodiscard]] Plan ef_core_plan() const {
        Plan plan = hasty(ef_core(product()));
        plan.rule.backoff.base = 1ms;
        return plan;
    }

    // With faults, tokens and short delays.
    [[nodiscard]] Database open(DatabaseOptions options = {}) {
        if (!options.plan) options.plan = plan();
        return Database{with_faults(driver_, faults), with_tokens(std::move(options)),
                        environment()};
    }
    // With faults, but without tokens.
    [[nodiscard]] Database open_without_tokens(Plan plan) {
        return Database{with_faults(driver_, faults), {.plan = std::move(plan)}, environment()};
    }
    [[nodiscard]] Database open_like_ef_core() { return open_without_tokens(ef_core_plan()); }

    // As somebody sees them who meets no faults.
    [[nodiscard]] std::int64_t things() { return count_things(*plain_).value_or(-1); }
    [[nodiscard]] Database& plain() { return *plain_; }

    PlannedFaults faults;
    Watching watching;

private:
    std::shared_ptr<Driver> driver_;
    std::optional<Database> plain_;
};

// EF Core's own list, by its numbers; and what EF Core has not.
class EfCore : public Conforming {};
class Beyond : public Conforming {};

inline Failure transient(std::string code) {
    return {.cause = Cause::unavailable, .effect = Effect::none, .code = std::move(code)};
}

}  // namespace perdure::sql
