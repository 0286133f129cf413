// SPDX-License-Identifier: Apache-2.0
//
// Which read consistency may a request ask the gateway for?
#include "wire.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {
namespace {

std::string strategy(const std::string& value) {
    return "x-ms-cosmos-read-consistency-strategy: " + value + '\n';
}

TEST(ReadConsistencyStrategy, is_one_of_four_and_global_strong_only_of_strong_accounts) {
    for (const auto level : {GatewayConsistency::session, GatewayConsistency::strong}) {
        GatewayOptions options;
        options.consistency = level;
        const FakeAccount account{options};
        account.furnish();
        EXPECT_EQ(account.create("East US", "1").status(), "201");
        for (const char* const known : {"Eventual", "Session", "LatestCommitted"})
            EXPECT_EQ(account.read("East US", "1", strategy(known)).status(), "200") << known;
        for (const char* const unknown : {"latestcommitted", "BoundedStaleness", "Default"})
            EXPECT_EQ(account.read("East US", "1", strategy(unknown)).status(), "400") << unknown;
        EXPECT_EQ(account.read("East US", "1", strategy("GlobalStrong")).status(),
                  level == GatewayConsistency::strong ? "200" : "400");
    }
}

TEST(ReadConsistencyStrategy, excludes_a_consistency_level_beside_it) {
    const FakeAccount account;
    account.furnish();
    EXPECT_EQ(account.create("East US", "1").status(), "201");
    const std::string level = "x-ms-consistency-level: Eventual\n";
    EXPECT_EQ(account.read("East US", "1", strategy("LatestCommitted") + level).status(), "400");
}

TEST(ReadConsistencyStrategy, decides_whether_the_session_token_is_looked_at) {
    const FakeAccount account;
    account.furnish();
    EXPECT_EQ(account.create("East US", "1").status(), "201");
    const std::string ahead = "x-ms-session-token: 0:1#9#1=9\n";
    EXPECT_EQ(account.read("East US", "1", ahead).status(), "404/1002");
    EXPECT_EQ(account.read("East US", "1", ahead + strategy("Session")).status(), "404/1002");
    EXPECT_EQ(account.read("East US", "1", ahead + strategy("LatestCommitted")).status(), "200");
}

}  // namespace
}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
