// SPDX-License-Identifier: Apache-2.0
//
// Does it do on SQLite what Entity Framework Core's tests ask for, and what they do not? The list
// stands in ef_core_list.hpp and beyond_ef_core.hpp, and is run on servers by tests/live/sql.
#include <gtest/gtest.h>

#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/virtual_clock.hpp"
#include "sql/beyond_ef_core.hpp"
#include "sql/ef_core_list.hpp"
#include "sql/ef_core_list_end.hpp"

namespace perdure::sql {

std::shared_ptr<Driver> driver_of(const std::string& /*place*/) {
    static const OwnFolder folder;
    static int made = 0;
    return *sqlite(folder.file(std::to_string(++made) + ".db"),
                   {.synchronous = Synchronous::normal, .foreign_keys = ForeignKeys::enforced});
}

namespace {

INSTANTIATE_TEST_SUITE_P(Sqlite, EfCore, ::testing::Values("sqlite"));
INSTANTIATE_TEST_SUITE_P(Sqlite, Beyond, ::testing::Values("sqlite"));

using perdure::testing::FixedRandom;
using perdure::testing::VirtualClock;
using Delays = std::vector<Duration>;

Delays delays_of(const Plan& plan, const Failure& failure) {
    VirtualClock clock;
    FixedRandom none{0.0};
    Watching watching;
    Bank bank{{.plan = plan}, {clock, none, &watching}};
    for (int i = 0; i < 20; ++i) bank.faults.execute({{Planned::fail_before, failure}});
    const auto done = transact(bank.database, {}, insert(1));
    EXPECT_FALSE(done);
    EXPECT_EQ(bank.things(), 0);
    return watching.waits;
}

TEST(EfCoreDelays, p01_are_0_1_3_7_15_and_30_seconds_and_then_none) {
    EXPECT_EQ(delays_of(ef_core(Product::sqlserver),
                        failure_of(row_of(Product::sqlserver, "64"), During::in_transaction)),
              (Delays{0s, 1s, 3s, 7s, 15s, 30s}));
}

TEST(EfCoreDelays, p15_of_conflicts_in_memory_are_a_thousandth) {
    for (const char* code : {"41301", "41302", "41305", "41325", "41839"})
        EXPECT_EQ(delays_of(ef_core(Product::sqlserver),
                            failure_of(row_of(Product::sqlserver, code), During::in_transaction)),
                  (Delays{0ms, 1ms, 3ms, 7ms, 15ms, 30ms}))
            << code;
}

}  // namespace
}  // namespace perdure::sql
