// SPDX-License-Identifier: Apache-2.0
//
// Does every class of error wait as long as it should, and may the user say otherwise?
#include "perdure/sql/strategy.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "perdure/call/caller.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/virtual_clock.hpp"
#include "sql/products.hpp"

namespace perdure::sql {
namespace {

using perdure::testing::FixedRandom;
using perdure::testing::VirtualClock;
using Delays = std::vector<Duration>;

struct Ran {
    Delays naps;
    Failure failure;
};

// A call in a transaction whose every attempt fails with these codes in turn.
Ran run(const Plan& plan, Product product, const std::vector<std::string>& codes,
        double chance = 1.0, const Codes& users = {}) {
    VirtualClock clock;
    FixedRandom random{chance};
    Caller caller{plan, {clock, random}};
    std::size_t next = 0;
    const auto also = [&](const Failure& failure) { return also_repeats(users, failure); };
    const Result<int> result = caller.run(
        {.name = "transfer", .also_repeat = {.when = also}}, [&](const Attempt&) -> Result<int> {
            const ErrorRow& row = row_of(product, codes[next++ % codes.size()]);
            return fail(amended(failure_of(row, During::in_transaction), users));
        });
    return {clock.naps(), result.error()};
}

Plan patient(Plan plan) {
    plan.deadline = 1h;
    return plan;
}

TEST(Strategy, has_no_problems) {
    for (const Product product : products)
        for (const Plan& plan : {strategy(product), ef_core(product)}) {
            for (const Finding& finding : validate(plan))
                EXPECT_NE(finding.severity, Severity::problem) << finding.field << finding.text;
            EXPECT_EQ(plan.name, to_string(product));
        }
    for (const Product product : products) EXPECT_TRUE(validate(strategy(product)).empty());
}

TEST(Strategy, keeps_time_to_find_out_about_a_lost_commit) {
    EXPECT_EQ(strategy(Product::postgres).resolve_within, 1s);
    EXPECT_EQ(strategy(Product::sqlite).resolve_within, 1s);
    EXPECT_EQ(strategy(Product::mariadb).resolve_within, 3s);
    for (const Product product : products) {
        EXPECT_EQ(strategy(product).deadline, 10s);
        EXPECT_EQ(strategy(product).resolve.attempts, 0) << "the deadline bounds it";
        EXPECT_EQ(strategy(product).resolve.cost, 0.0);
    }
}

TEST(Strategy, waits_by_the_class_of_the_error) {
    struct Case {
        Product product;
        const char* code;
        Delays delays;  // at the upper edge of the jitter
    };
    const Case table[] = {
        {Product::postgres, "40001", {5ms, 10ms, 20ms, 40ms, 80ms, 160ms, 320ms, 500ms, 500ms}},
        {Product::mariadb, "1213", {5ms, 10ms, 20ms, 40ms, 80ms, 160ms, 320ms, 500ms, 500ms}},
        {Product::sqlite, "517", {5ms, 10ms, 20ms, 40ms, 80ms, 160ms, 320ms, 500ms, 500ms}},
        {Product::sqlserver, "1205", {5ms, 10ms, 20ms, 40ms, 80ms, 160ms, 320ms, 500ms, 500ms}},
        {Product::sqlserver, "41302", {1ms, 2ms, 4ms, 8ms, 16ms, 32ms, 50ms, 50ms, 50ms}},
        {Product::sqlserver, "40501", {6250ms, 12500ms, 25s}},
        {Product::postgres, "53300", {500ms, 1s, 2s, 4s}},
        {Product::mariadb, "1040", {500ms, 1s, 2s, 4s}},
        {Product::postgres, "53100", {2s, 2s, 2s, 2s}},
        {Product::postgres, "57P01", {50ms, 100ms, 200ms}},
        {Product::sqlserver, "40197", {100ms, 200ms}},
    };
    for (const auto& [product, code, delays] : table) {
        const Ran ran = run(patient(strategy(product)), product, {code});
        EXPECT_EQ(ran.naps, delays) << to_string(product) << " " << code;
        EXPECT_EQ(ran.failure.stop, Stop::attempts) << code;
    }
}

TEST(Strategy, never_comes_back_to_a_busy_service_before_five_seconds) {
    for (const char* code : {"40501", "10928", "49918", "233", "1204"}) {
        const Ran ran = run(patient(strategy(Product::sqlserver)), Product::sqlserver, {code}, 0.0);
        ASSERT_FALSE(ran.naps.empty()) << code;
        EXPECT_EQ(ran.naps.front(), 5s) << code;
    }
}

TEST(Strategy, tries_to_connect_until_the_deadline_while_a_server_restarts) {
    for (const auto& [product, code] :
         {std::pair{Product::postgres, "57P03"}, std::pair{Product::mariadb, "2002"},
          std::pair{Product::postgres, "25006"}, std::pair{Product::sqlserver, "921"}}) {
        const Ran ran = run(strategy(product), product, {code});
        EXPECT_EQ(ran.failure.stop, Stop::deadline) << code;
        EXPECT_GT(ran.failure.elapsed, 6s) << code;
        EXPECT_LT(ran.naps.size(), 20u) << code;
    }
}

TEST(Strategy, does_not_repeat_what_the_table_calls_final) {
    for (const auto& [product, code] :
         {std::pair{Product::postgres, "57014"}, std::pair{Product::postgres, "23505"},
          std::pair{Product::postgres, "28P01"}, std::pair{Product::mariadb, "1969"},
          std::pair{Product::mariadb, "1045"}, std::pair{Product::sqlite, "11"},
          std::pair{Product::sqlserver, "-2"}, std::pair{Product::odbc, "HYT00"}}) {
        const Ran ran = run(strategy(product), product, {code});
        EXPECT_EQ(ran.failure.attempts, 1) << code;
        EXPECT_EQ(ran.failure.stop, Stop::permanent) << code;
    }
}

TEST(EfCore, waits_as_entity_framework_core_does) {
    const Plan plan = ef_core(Product::sqlserver);
    const Delays plain{1s, 3s, 7s, 15s, 30s};  // the first retry is made at once
    const Ran ran = run(plan, Product::sqlserver, {"1205"}, 0);
    EXPECT_EQ(ran.naps, plain);
    EXPECT_EQ(ran.failure.attempts, 7);
    EXPECT_EQ(run(ef_core(Product::postgres), Product::postgres, {"40001"}, 0).naps, plain);
    EXPECT_EQ(run(plan, Product::sqlserver, {"41302"}, 0).naps,
              (Delays{1ms, 3ms, 7ms, 15ms, 30ms}));
}

TEST(EfCore, waits_five_seconds_longer_when_throttled) {
    EXPECT_EQ(run(ef_core(Product::sqlserver), Product::sqlserver, {"40501"}, 0).naps,
              (Delays{5s, 6s, 8s, 12s, 20s, 35s}));
}

TEST(EfCore, has_one_count_for_all_kinds_of_failures) {
    const Ran ran =
        run(ef_core(Product::sqlserver), Product::sqlserver, {"1205", "41302", "40501", "8645"}, 0);
    EXPECT_EQ(ran.failure.attempts, 7);
    EXPECT_EQ(ran.failure.stop, Stop::attempts);
    ASSERT_EQ(ran.naps.size(), 5u);  // and one at once
    EXPECT_EQ(ran.naps[0], 1ms);     // the second place of the curve, a thousandth
    EXPECT_EQ(ran.naps[1], 8s);      // the third, and five seconds more
    EXPECT_EQ(ran.naps[2], 7s);
}

TEST(Codes, take_out_what_the_table_repeats) {
    const Codes users{.not_transient = {"40001"}};
    Ran ran = run(strategy(Product::postgres), Product::postgres, {"40001"}, 1, users);
    EXPECT_EQ(ran.failure.attempts, 1);
    EXPECT_EQ(ran.failure.stop, Stop::permanent);
    ran = run(strategy(Product::postgres), Product::postgres, {"40P01"}, 1, users);
    EXPECT_EQ(ran.failure.attempts, 10);
}

TEST(Codes, add_what_the_table_calls_final) {
    const Codes users{.also_transient = {"23505", "57014", "12345"}};
    for (const char* code : {"23505", "57014"}) {
        const Ran ran = run(strategy(Product::postgres), Product::postgres, {code}, 1, users);
        EXPECT_EQ(ran.failure.attempts, 4) << code;
        EXPECT_EQ(ran.failure.stop, Stop::attempts) << code;
    }
    const Ran ran = run(strategy(Product::postgres), Product::postgres, {"22001"}, 1, users);
    EXPECT_EQ(ran.failure.attempts, 1);
}

TEST(Codes, are_final_when_they_stand_in_both_lists) {
    const Codes users{.also_transient = {"40001", "23505"}, .not_transient = {"40001", "23505"}};
    for (const char* code : {"40001", "23505"})
        EXPECT_EQ(
            run(strategy(Product::postgres), Product::postgres, {code}, 1, users).failure.attempts,
            1)
            << code;
}

}  // namespace
}  // namespace perdure::sql
