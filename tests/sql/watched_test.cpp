// SPDX-License-Identifier: Apache-2.0
//
// Is an observer that wants calls told of statements and transactions, and where they went?
#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "perdure/call/block_on.hpp"
#include "perdure/call/diagnostics.hpp"
#include "perdure/sql/async.hpp"
#include "perdure/sql/transact.hpp"
#include "perdure/time/loop.hpp"
#include "sql/bank.hpp"

namespace perdure::sql {
namespace {

class Collector final : public Observer {
public:
    void on_event(const Event&) noexcept override {}
    [[nodiscard]] bool wants_calls() const noexcept override { return true; }
    void on_call(const Diagnostics& call) noexcept override {
        const std::lock_guard lock{mutex_};
        calls_.push_back(call);
    }
    [[nodiscard]] std::vector<Diagnostics> calls() {
        const std::lock_guard lock{mutex_};
        return calls_;
    }

private:
    std::mutex mutex_;
    std::vector<Diagnostics> calls_;
};

TEST(WatchedSql, comes_with_the_name_of_the_place) {
    Collector collector;
    Bank bank{{}, {.observer = &collector}};
    const std::string place{bank.database.driver().name()};
    EXPECT_TRUE(bank.database.query("select 1"));
    EXPECT_TRUE(transact(bank.database, {.name = "add"}, insert(7)));
    EXPECT_TRUE(block_on(default_executor(),
                         start_query(bank.database, {}, StatementCopy{"select id from thing"})));
    EXPECT_FALSE(bank.database.query("select nothing from nowhere"));
    const auto calls = collector.calls();
    ASSERT_EQ(calls.size(), 4u);
    for (const Diagnostics& call : calls) {
        EXPECT_EQ(call.attempts().at(0).place, place);
        EXPECT_GT(call.began(), WallTime{});
    }
    EXPECT_FALSE(calls[3].succeeded());
    EXPECT_EQ(calls[3].to_json().find("nowhere"), std::string::npos);
}

TEST(WatchedSql, tells_of_a_lost_commit_that_was_resolved) {
    Collector collector;
    Bank bank{with_tokens(), {.observer = &collector}};
    bank.faults.commit({Planned::fail_after});
    EXPECT_TRUE(transact(bank.database, {.name = "add"}, insert(7)));
    ASSERT_EQ(collector.calls().size(), 1u);
    EXPECT_EQ(collector.calls()[0].times_asked(), 1);
    EXPECT_TRUE(collector.calls()[0].succeeded());
}

}  // namespace
}  // namespace perdure::sql
