// SPDX-License-Identifier: Apache-2.0
//
// Do other people's clients find on our fake gateway what they find on Cosmos DB? What @azure/cosmos
// does under faults was watched behind a proxy before the gateway was there; here it must be the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "live/cosmos/support/stage.hpp"

namespace perdure::live {
namespace {

using chaos::GatewayFault;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::Ge;
using ::testing::Le;

// The same for ever.
GatewayFault answers(int status, int substatus = 0) {
    return {.status = status, .substatus = substatus};
}
GatewayFault once(GatewayFault fault) {
    fault.to = 1;
    return fault;
}
GatewayFault in_the_east(GatewayFault fault) {
    fault.region = "East US";
    return fault;
}
GatewayFault resets() { return {.ending = chaos::FaultEnding::reset}; }

struct Watched {
    Scene scene{};
    std::string steps{};
    bool done = false;
    Duration gap{};  // every one, about
};

constexpr auto one = Account::one_region;
constexpr auto two = Account::two_regions;
constexpr auto writable = Account::two_writable;
constexpr auto read = Does::read;
constexpr auto create = Does::create;

std::vector<Watched> in_one_region() {
    return {
        {{"throttled-thrice", one, read, throttles(3)},
         "East US 429/3200 x3, East US 200",
         true,
         50ms},
        {{"throttled-for-ever", one, read, throttles(1'000)}, "East US 429/3200 x10", false, 50ms},
        {{"throttled-writes", one, create, throttles(3)},
         "East US 429/3200 x3, East US 201",
         true,
         50ms},
        {{"read-449", one, read, answers(449)}, "East US 449"},
        {{"create-449", one, create, answers(449)}, "East US 449"},
        // With discovery a region of its own is the next one.
        {{"read-503", one, read, answers(503)}, "East US 503 x2"},
        {{"read-503-alone", one, read, answers(503), Follows::endpoint}, "East US 503"},
        {{"create-503", one, create, answers(503)}, "East US 503"},
        {{"read-410-1002", one, read, answers(410, 1002)}, "East US 410/1002"},
        {{"read-408", one, read, answers(408)}, "East US 408"},
        {{"read-500", one, read, answers(500)}, "East US 500"},
        {{"reset-read", one, read, once(resets())}, "East US reset, East US 200", true, 1s},
        {{"reset-create", one, create, once(resets())}, "East US reset"},
    };
}

std::vector<Watched> in_two_regions() {
    return {
        {{"elsewhere-503", two, read, in_the_east(answers(503))},
         "East US 503, West US 200",
         true,
         0s},
        {{"create-503-single", two, create, in_the_east(answers(503))}, "East US 503"},
        {{"create-503-multi", writable, create, in_the_east(answers(503))},
         "East US 503, West US 201",
         true,
         0s},
        {{"region-gone", two, read, in_the_east(answers(403, 1008))},
         "East US 403/1008, account, West US 200",
         true,
         1s},
        {{"write-forbidden", two, create, in_the_east(answers(403, 3))},
         "East US 403/3, account, global 201",
         true,
         1s},
        // What is read without the token may be older than what was written before.
        {{"behind", two, read, in_the_east(once(answers(404, 1002)))},
         "East US 404/1002, East US 200 without token",
         true,
         0s},
    };
}

struct CosmosPeers : ::testing::Test {
    void SetUp() override {
        if (!js_missing().empty()) GTEST_SKIP() << js_missing();
        for (const auto& list : {in_one_region(), in_two_regions()})
            watched.insert(watched.end(), list.begin(), list.end());
        for (const Watched& each : watched) scenes.push_back(each.scene);
        stage.prepare(scenes);
        told = play_with_js(stage, scenes);
    }

    std::vector<Watched> watched;
    std::vector<Scene> scenes;
    Stage stage;
    std::map<std::string, Told> told;
};

TEST_F(CosmosPeers, the_javascript_client_does_what_it_was_seen_to_do) {
    for (const Watched& each : watched) {
        SCOPED_TRACE(each.scene.name);
        const Seen seen = stage.seen(each.scene);
        EXPECT_EQ(to_string(seen), each.steps);
        // Gaps are measured between arrivals, so a request that was slow to arrive shortens the gap
        // after it.
        EXPECT_THAT(seen.gaps(), Each(AllOf(Ge(each.gap - 10ms), Le(each.gap + 900ms))));
        ASSERT_TRUE(told.contains(each.scene.name));
        EXPECT_EQ(told.at(each.scene.name).done, each.done) << told.at(each.scene.name).error;
    }
}

}  // namespace
}  // namespace perdure::live
