// SPDX-License-Identifier: Apache-2.0
//
// Is the gateway's own account of things true, also when many ask at once?
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "wire.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {
namespace {

std::string create_bytes(const std::string& key, const std::string& id,
                         const std::string& more = "") {
    return bytes("POST /dbs/d/colls/c/docs HTTP/1.1\nx-ms-documentdb-partitionkey: [\"" + key +
                     "\"]\n",
                 R"({"id":")" + id + R"(","pk":")" + key + '"' + more + "}");
}

TEST(Gateway, accepts_the_token_it_was_given) {
    GatewayOptions options;
    options.entra_token = "eyJ0b2tlbiJ9.abc";
    const FakeAccount account{options, Signatures::checked};
    const std::string start = "GET / HTTP/1.1\nauthorization: type%3Daad%26ver%3D1.0%26sig%3D";
    EXPECT_EQ(account.ask("global", start + "eyJ0b2tlbiJ9.abc\n").status(), "200");
    EXPECT_EQ(account.ask("global", start + "other\n").status(), "401");
    EXPECT_EQ(account.ask("global", start + "\n").status(), "401");
}

TEST(Gateway, says_where_it_is) {
    GatewayOptions options;
    options.regions = {{"East US"}, {"West US"}};
    const FakeAccount account{options};
    const CosmosGateway& gateway = *account.gateway;
    EXPECT_EQ(gateway.connection_string(), "AccountEndpoint=" + gateway.endpoint() +
                                               ";AccountKey=" + std::string{emulator_key} + ';');
    const std::set<std::string> all{gateway.endpoint(), gateway.control(),
                                    gateway.endpoint("East US"), gateway.endpoint("West US")};
    EXPECT_EQ(all.size(), 4U);
    EXPECT_EQ(gateway.endpoint("Mars"), "");
    EXPECT_EQ(account.gateway->set("Mars", RegionState::up).error().cause, Cause::invalid);
    EXPECT_EQ(account.gateway->split({.database = "d", .container = "c"}).error().cause,
              Cause::invalid);
}

TEST(Gateway, knows_items_by_region_and_the_marker_of_each_write) {
    GatewayOptions options;
    options.regions = {{"East US"}, {"West US", 1s}};
    options.marker = "op";
    FakeAccount account{options};
    account.furnish();
    EXPECT_EQ(account.create("East US", "1", R"(,"op":"first")").status(), "201");
    const ItemName name{"d", "c", R"(["A"])", "1"};
    EXPECT_TRUE(account.gateway->item(name, "East US"));
    EXPECT_FALSE(account.gateway->item(name, "West US"));
    EXPECT_EQ(account.gateway->items("d", "c", "West US"), 0U);
    account.clock.advance(1s);
    EXPECT_EQ(account.gateway->item(name, "East US"), account.gateway->item(name, "West US"));
    EXPECT_EQ(account.gateway->items("d", "c", "West US"), 1U);
    ASSERT_EQ(account.gateway->writes(name).size(), 1U);
    EXPECT_EQ(account.gateway->writes(name)[0].marker, R"("first")");
    EXPECT_EQ(account.gateway->take_records().size(), 3U);
    EXPECT_EQ(account.gateway->records().size(), 0U);
}

TEST(Gateway, can_stay_silent_for_good) {
    const FakeAccount account;
    account.furnish();
    account.gateway->plan(
        {{.resource = "docs", .strikes = Strikes::after_applying, .ending = FaultEnding::silence}});
    Wire wire{account.gateway->endpoint("East US")};
    wire.send(create_bytes("A", "1"));
    while (account.gateway->struck()[0] == 0) account.gateway->look();
    account.gateway->look();
    EXPECT_TRUE(wire.quiet());
    EXPECT_TRUE(account.gateway->item({"d", "c", R"(["A"])", "1"}, "East US"));
}

TEST(Gateway, spreads_keys_of_both_versions_over_partitions) {
    GatewayOptions options;
    options.partitions = 4;
    const FakeAccount account{options};
    EXPECT_EQ(account.ask("global", "POST /dbs HTTP/1.1\n", R"({"id":"d"})").status(), "201");
    for (const char* version : {"1", "2"}) {
        const std::string container = std::string{"v"} + version;
        EXPECT_EQ(account
                      .ask("global", "POST /dbs/d/colls HTTP/1.1\n",
                           R"({"id":")" + container +
                               R"(","partitionKey":{"paths":["/pk"],"kind":"Hash","version":)" +
                               version + "}}")
                      .status(),
                  "201");
        std::set<std::string> ranges;
        for (int i = 0; i < 200; ++i)
            ranges.insert(account
                              .ask("East US", "GET /dbs/d/colls/" + container +
                                                  "/docs/1 HTTP/1.1\n"
                                                  "x-ms-documentdb-partitionkey: [\"" +
                                                  std::to_string(i) + "\"]\n")
                              .header("x-ms-documentdb-partitionkeyrangeid"));
        EXPECT_EQ(ranges, (std::set<std::string>{"0", "1", "2", "3"})) << version;
    }
}

TEST(Gateway, takes_several_requests_in_one_packet) {
    const FakeAccount account;
    account.furnish();
    Wire wire{account.gateway->endpoint("East US")};
    wire.send(create_bytes("A", "1") + create_bytes("A", "1") + create_bytes("A", "2"));
    EXPECT_EQ(wire.receive().status(), "201");
    EXPECT_EQ(wire.receive().status(), "409");
    EXPECT_EQ(wire.receive().status(), "201");
}

TEST(Gateway, loses_and_doubles_nothing_while_it_splits_and_fails_over) {
    GatewayOptions options;
    options.regions = {{"East US"}, {"West US"}, {"North Europe"}};
    const FakeAccount account{options};
    account.furnish();
    constexpr int threads = 4, each = 200;
    std::atomic<int> made{0};
    std::vector<std::thread> clients;
    for (int thread = 0; thread < threads; ++thread)
        clients.emplace_back([&, thread] {
            Wire wire{account.gateway->endpoint()};  // wherever the write region is
            for (int i = 0; i < each;) {
                wire.send(create_bytes("key" + std::to_string(i % 7),
                                       std::to_string(thread) + '-' + std::to_string(i)));
                const std::string status = wire.receive().status();
                if (status == "410/1007") continue;
                EXPECT_EQ(status, "201");
                ++i;
                ++made;
            }
        });
    const char* const hubs[] = {"West US", "North Europe", "East US"};
    for (int round = 0; made.load() < threads * each; ++round) {
        EXPECT_TRUE(account.gateway->fail_over(hubs[round % 3], FailOver::caught_up));
        if (round % 16 == 0 && round < 96) {
            EXPECT_TRUE(account.gateway->split({.database = "d", .container = "c", .requests = 3}));
        }
        std::this_thread::yield();
    }
    for (std::thread& client : clients) client.join();
    for (const char* region : hubs)
        EXPECT_EQ(account.gateway->items("d", "c", region), std::size_t{threads} * each) << region;
    std::set<std::string> ids;
    for (const AppliedWrite& write : account.gateway->writes())
        EXPECT_TRUE(ids.insert(write.id).second) << write.id;
}

}  // namespace
}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
