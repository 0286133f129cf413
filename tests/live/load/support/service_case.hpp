// SPDX-License-Identifier: Apache-2.0
//
// What the tests of `perdure load` into services have in common: an input, one way to call it, and the
// stories that go the same way whatever the service is.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "live/load/support/loading.hpp"
#include "live/load/support/records.hpp"
#include "live/support/temp_dir.hpp"

namespace perdure::live {

// Used by one thread.
class ServiceCase : public ::testing::Test {
protected:
    // Where `orders` is, as --to says it.
    [[nodiscard]] virtual std::string url() const = 0;
    // So many items of `orders`; 0: there is no such table yet.
    [[nodiscard]] virtual std::int64_t items() const = 0;
    // Every record is there as it was sent, once, and nothing else.
    virtual void expect_all() const = 0;
    // Record 700 is there with other values from now on.
    virtual void change_700() = 0;

    void write_input() const { home.write(input, json_lines(records)); }
    [[nodiscard]] LoadOrders orders(std::vector<std::string> more,
                                    const std::string& to = {}) const;
    LoadEnd load(std::vector<std::string> more, const std::string& to = {}) const {
        return live::load(orders(std::move(more), to));
    }
    void await_items(Loading& loading, std::int64_t count) const;
    static void expect_account(const LoadEnd& end, std::int64_t written, std::int64_t present,
                               std::int64_t rejected);
    // It ended well, all is there, and --verify has seen it.
    void expect_verified(const LoadEnd& end) const;

    void bring_all_and_find_them_there();
    void reject_what_is_there_with_other_values();
    // Its content has changed since it was loaded, with a key and by place.
    void read_a_changed_input_again();
    void refuse_a_changed_input_by_place();
    // The same command would stop there again, and says why.
    static void expect_person_needed(const LoadEnd& end, const std::string& words);
    void kill_twice_and_go_on();
    // The second is given this many records at once, the first ten.
    void start_twice_at_once(const std::string& batch);
    // Flags, and what it says to them; each is status 125.
    using Told = std::pair<std::vector<std::string>, std::string>;
    void expect_refused(const std::vector<Told>& table) const;

    const Records records{.count = records_or(2'000)};
    const std::string input = "orders.jsonl";
    TempDir home;
};

}  // namespace perdure::live
