// SPDX-License-Identifier: Apache-2.0
//
// What the tests of `perdure load` have in common: a place, a directory, and one way to call it.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "live/load/support/loading.hpp"
#include "live/load/support/place.hpp"
#include "live/load/support/records.hpp"
#include "live/support/sql_server.hpp"
#include "perdure/time/clock.hpp"

namespace perdure::live {

// For suites with a place's name as their parameter.
class LoadCase : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        if (!place().missing().empty()) GTEST_SKIP() << place().missing();
        place().clear();
    }

    [[nodiscard]] static Place& place() { return place_of(GetParam()); }
    [[nodiscard]] sql::Database& direct() { return place().direct(); }

    // What it is told, with an input, the target and the table before.
    [[nodiscard]] LoadOrders orders(std::vector<std::string> more,
                                    const std::string& url = {}) const {
        std::vector<std::string> flags{input, "--to", url.empty() ? place().url() : url, "--table",
                                       "orders"};
        flags.insert(flags.end(), more.begin(), more.end());
        return {.flags = std::move(flags), .home = home.path()};
    }
    LoadEnd load(std::vector<std::string> more, const std::string& url = {}) const {
        return live::load(orders(std::move(more), url));
    }
    // Returns when so many records are done, or it has ended.
    void await_records(Loading& loading, std::int64_t records) {
        becomes_true([&] { return !loading.running() || records_done(direct()) >= records; }, 2min);
    }

    // The account of this run and of all runs, and what is in the table, are all of the records.
    void expect_all(const LoadEnd& end, const Records& records, std::int64_t read) {
        EXPECT_EQ(end.status, 0) << end.words();
        EXPECT_EQ(end.number("account_with_earlier_runs", "read"), read) << end.words();
        EXPECT_EQ(end.number("account_with_earlier_runs", "written") +
                      end.number("account_with_earlier_runs", "already_there") +
                      end.number("account_with_earlier_runs", "rejected"),
                  read)
            << end.words();
        EXPECT_EQ(differences(direct(), records), "") << end.words();
    }

    TempDir home;
    std::string input = "orders.jsonl";
};

}  // namespace perdure::live
