// SPDX-License-Identifier: Apache-2.0
//
// Regions of an account go and come back while sixteen threads read and write through one client: are
// the reads served, is every write what its caller was told, and is the client as good as new afterwards?
// Half a minute; `make cosmos-full` does it for longer.
#include <gtest/gtest.h>

#include <cstdlib>

#include "live/cosmos/support/drill.hpp"
#include "perdure/cosmos/requests.hpp"

namespace perdure::live {
namespace {

using chaos::CosmosGateway;
using chaos::FailOver;
using chaos::RegionState;

Duration drill_time() {
    const char* const told = std::getenv("PERDURE_DRILL");  // NOLINT(concurrency-mt-unsafe)
    const int seconds = told ? std::atoi(told) : 0;         // NOLINT(cert-err34-c)
    return std::chrono::seconds{seconds > 0 ? seconds : 30};
}

std::vector<DrillEvent> events() {
    return {
        {"calm", [](CosmosGateway&) {}},
        {"East US refuses",
         [](CosmosGateway& its) { its.set("East US", RegionState::refusing).value(); }},
        {"writes move to West US",
         [](CosmosGateway& its) {
             its.fail_over("West US", FailOver::caught_up).value();
             its.flap(1s);
         }},
        {"East US is back",
         [](CosmosGateway& its) { its.set("East US", RegionState::up).value(); }},
        {"a partition is split",
         [](CosmosGateway& its) {
             its.split({.database = "drill", .container = "items", .time = 300ms}).value();
         }},
        {"West US is a black hole",
         [](CosmosGateway& its) { its.set("West US", RegionState::black_hole).value(); }},
        {"West US is back",
         [](CosmosGateway& its) { its.set("West US", RegionState::up).value(); }},
        {"East US is a black hole",
         [](CosmosGateway& its) { its.set("East US", RegionState::black_hole).value(); }},
        {"writes move to East US, back",
         [](CosmosGateway& its) {
             its.set("East US", RegionState::up).value();
             its.fail_over("East US", FailOver::caught_up).value();
             its.flap(1s);
         }},
        {"calm again", [](CosmosGateway&) {}},
    };
}

TEST(CosmosDrill, serves_reads_and_tells_the_truth_while_regions_go_and_come_back) {
    Drill drill{drill_time()};
    drill.play(events());
    drill.print();

    const Ends reads = drill.settled_reads();
    EXPECT_GT(reads.all(), 500);
    EXPECT_GE(reads.share(), 0.999);
    EXPECT_EQ(drill.lies(), std::vector<std::string>{});
    EXPECT_EQ(drill.stale(), std::vector<std::string>{});
    for (const Phase& phase : drill.phases()) {
        EXPECT_EQ(phase.reads.late + phase.writes.late, 0) << phase.name;
        EXPECT_EQ(phase.reads.unknown, 0) << phase.name;
    }
    // Whatever happened, it is over.
    const Phase& calm = drill.phases().back();
    EXPECT_GE(calm.settled_reads.share(), 0.999);
    EXPECT_GE(calm.settled_writes.share(), 0.99);
    EXPECT_EQ(drill.client().read_regions().front(), "East US");
    EXPECT_EQ(drill.client().write_regions().front(), "East US");
}

}  // namespace
}  // namespace perdure::live
