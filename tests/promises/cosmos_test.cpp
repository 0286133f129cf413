// SPDX-License-Identifier: Apache-2.0
//
// Regions and partition ranges of a Cosmos DB account fall sick under clients that have configured
// nothing but the account.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "promises/support/cosmos_account.hpp"
#include "promises/support/cosmos_ways.hpp"

namespace perdure::promises {
namespace {

using chaos::GatewayFault;
using chaos::RegionState;

constexpr const char* sick_range = "3";

GatewayFault says(int status) { return {.name = "sick", .status = status}; }
GatewayFault resets() { return {.name = "sick", .ending = chaos::FaultEnding::reset}; }
GatewayFault late(Duration time) { return {.name = "sick", .delay = time}; }
// The request is applied, and its response is lost or says otherwise.
GatewayFault afterwards(GatewayFault fault) {
    fault.strikes = chaos::Strikes::after_applying;
    return fault;
}
GatewayFault in_one_range(GatewayFault fault) {
    fault.range = sick_range;
    return fault;
}

class PromisesCosmos : public ::testing::Test {
protected:
    using MakeBreak = std::function<RegionBreak(CosmosAccount&)>;

    static void TearDownTestSuite() { shared_js.reset(); }
    // Without @azure/cosmos the other ways are still compared, and the test is reported as skipped.
    void TearDown() override {
        if (!HasFailure() && !IsSkipped() && !JsClient::missing().empty())
            GTEST_SKIP() << JsClient::missing();
    }

    static void drill_with(RegionDrill drill, AccountShape shape, const MakeBreak& make_break,
                           const Configured& configured = {}) {
        // The short form takes a few seconds in all.
        if (!short_form().empty()) drill.calls = 20;
        if (drill.does == Does::read) shape.items = drill.callers * drill.calls;
        shape.call_takes = drill.call_takes;
        CosmosAccount account{shape};
        CosmosWays ways{account, drill.does, configured, js()};
        const auto counts = [&](const std::string& way, TimePoint first_second_over) {
            return account.counts_of(way, drill.sick, first_second_over);
        };
        expect_promises(run_region_drill(drill, ways.ways(), counts, make_break(account)));
    }
    static MakeBreak in_the_east(const GatewayFault& fault) {
        return [fault](CosmosAccount& account) {
            return RegionBreak{.strike = [&account, fault] { account.plan_in_the_east(fault); }};
        };
    }

private:
    static JsClient* js() {
        if (!shared_js && JsClient::missing().empty()) shared_js = std::make_unique<JsClient>();
        return shared_js.get();
    }
    static inline std::unique_ptr<JsClient> shared_js{};
};
using PromisesCosmosFull = LongForm<PromisesCosmos>;

const AccountShape one_writes{};
const AccountShape both_write{.writes = chaos::WriteMode::multiple};

AccountShape ten_ranges(AccountShape shape) {
    shape.partitions = 10;
    return shape;
}

RegionDrill reads(const std::string& what_happens) {
    return {.name = "Cosmos DB, reads, " + what_happens, .sick = {east}};
}
RegionDrill writes(const std::string& what_happens) {
    return {.name = "Cosmos DB, writes, " + what_happens, .does = Does::write, .sick = {east}};
}
RegionDrill may_be_done(RegionDrill drill) {
    drill.doubts = Doubts::may_remain;
    return drill;
}
RegionDrill about_one_range(RegionDrill drill) {
    drill.sick.range = sick_range;
    return drill;
}

TEST_F(PromisesCosmos, reads_leave_a_region_that_says_503) {
    drill_with(reads("the first of two regions says 503"), one_writes, in_the_east(says(503)));
}

TEST_F(PromisesCosmosFull, reads_leave_a_region_that_says_500) {
    drill_with(reads("the first of two regions says 500"), one_writes, in_the_east(says(500)));
}

TEST_F(PromisesCosmosFull, reads_leave_a_region_that_resets_connections) {
    drill_with(reads("the first of two regions resets connections"), one_writes,
               in_the_east(resets()));
}

// Without hedging nothing says that another region would be quicker: the calls are done, late.
TEST_F(PromisesCosmosFull, reads_of_a_slow_region_are_done) {
    RegionDrill drill = reads("the first of two regions is 150 ms late");
    drill.sick_share = SickShare::shown;
    drill.apart = 200ms;
    drill_with(drill, one_writes, in_the_east(late(150ms)));
}

TEST_F(PromisesCosmosFull, hedged_reads_leave_a_slow_region) {
    RegionDrill drill = reads("the first of two regions is 150 ms late, hedge_after 50 ms");
    drill.apart = 200ms;
    drill_with(drill, one_writes, in_the_east(late(150ms)), {.hedge_after = 50ms});
}

TEST_F(PromisesCosmos, reads_of_one_sick_range_go_elsewhere) {
    drill_with(about_one_range(reads("one range of ten says 503 in the first of two regions")),
               ten_ranges(one_writes), in_the_east(in_one_range(says(503))));
}

TEST_F(PromisesCosmosFull, reads_go_on_when_the_only_preferred_region_refuses) {
    RegionDrill drill = reads("the only preferred region refuses connections");
    drill.sick = {west};
    const auto refuses = [](CosmosAccount& account) {
        return RegionBreak{
            .strike = [&] { account.gateway().set(west, RegionState::refusing).value(); }};
    };
    drill_with(drill, one_writes, refuses, {.preferred = {west}});
}

TEST_F(PromisesCosmosFull, reads_go_on_when_the_only_preferred_region_says_503) {
    RegionDrill drill = reads("the only preferred region says 503");
    drill.sick = {west};
    const auto says_503 = [](CosmosAccount& account) {
        return RegionBreak{.strike = [&] {
            GatewayFault fault = says(503);
            fault.region = west;
            account.plan({fault});
        }};
    };
    drill_with(drill, one_writes, says_503, {.preferred = {west}});
}

// Both regions are healthy. The timeouts of short deadlines must not move the other calls to West US.
TEST_F(PromisesCosmos, reads_of_one_program_with_short_deadlines_do_not_move_the_others) {
    RegionDrill drill = reads("one program has deadlines of 30 ms, a response takes 60 ms");
    drill.sick = {west};
    drill.call_takes = 60ms;
    drill_with(drill, one_writes, [](CosmosAccount&) { return RegionBreak{.strike = [] {}}; },
               {.short_deadline = 30ms});
}

TEST_F(PromisesCosmosFull, writes_leave_a_region_that_says_503) {
    drill_with(writes("the first of two writing regions says 503"), both_write,
               in_the_east(says(503)));
}

TEST_F(PromisesCosmosFull, writes_leave_a_region_that_says_500) {
    drill_with(may_be_done(writes("the first of two writing regions says 500, nothing is done")),
               both_write, in_the_east(says(500)));
}

TEST_F(PromisesCosmosFull, writes_leave_a_region_that_says_500_when_they_are_done) {
    drill_with(may_be_done(writes("the first of two writing regions says 500 when it is done")),
               both_write, in_the_east(afterwards(says(500))));
}

TEST_F(PromisesCosmosFull, writes_leave_a_region_that_resets_connections) {
    drill_with(may_be_done(writes("the first of two writing regions resets, nothing is done")),
               both_write, in_the_east(resets()));
}

TEST_F(PromisesCosmosFull, writes_leave_a_region_that_resets_connections_when_they_are_done) {
    drill_with(may_be_done(writes("the first of two writing regions resets when it is done")),
               both_write, in_the_east(afterwards(resets())));
}

TEST_F(PromisesCosmosFull, writes_of_one_sick_range_go_elsewhere) {
    drill_with(about_one_range(writes("one range of ten says 503 in the first writing region")),
               ten_ranges(both_write), in_the_east(in_one_range(says(503))));
}

TEST_F(PromisesCosmosFull, writes_follow_a_range_to_its_own_write_region) {
    AccountShape shape = ten_ranges(one_writes);
    shape.partition_failover = chaos::PartitionFailover::enabled;
    const auto moves = [](CosmosAccount& account) {
        return RegionBreak{.strike = [&] {
            account.gateway()
                .fail_over({.database = drill_items.database,
                            .container = drill_items.container,
                            .range = sick_range,
                            .to = west},
                           chaos::FailOver::caught_up)
                .value();
        }};
    };
    drill_with(about_one_range(writes("one range of ten is written in the other region")), shape,
               moves);
}

// Where one region writes there is nowhere else to go: calls in flight wait, later ones share the budget.
TEST_F(PromisesCosmosFull, writes_wait_for_the_only_writing_region) {
    RegionDrill drill = writes("the only writing region says 503 for 1 s");
    drill.sick_share = SickShare::shown;
    drill.beside = Beside::the_sdk;
    const auto for_a_second = [](CosmosAccount& account) {
        return RegionBreak{.strike = [&] { account.plan_in_the_east(says(503)); },
                           .repaired_after = 1s,
                           .repair = [&] { account.plan({}); }};
    };
    drill_with(drill, one_writes, for_a_second);
}

TEST_F(PromisesCosmosFull, writes_follow_the_account_to_another_region) {
    RegionDrill drill =
        may_be_done(writes("the only writing region refuses, after 1 s the other one writes"));
    const auto moves = [](CosmosAccount& account) {
        chaos::CosmosGateway& gateway = account.gateway();
        return RegionBreak{
            .strike = [&] { gateway.set(east, RegionState::refusing).value(); },
            .repaired_after = 1s,
            .repair = [&] { gateway.fail_over(west, chaos::FailOver::caught_up).value(); }};
    };
    drill_with(drill, one_writes, moves);
}

}  // namespace
}  // namespace perdure::promises
