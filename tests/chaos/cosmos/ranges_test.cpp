// SPDX-License-Identifier: Apache-2.0
//
// Can one partition key range fail, or be written in another region, while the others go on?
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "wire.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {
namespace {

class Ranges : public ::testing::Test {
protected:
    Ranges() : account{four_ranges()} {
        account.furnish();
        for (int i = 0; keys.size() < 4; ++i) {
            const std::string key = "k" + std::to_string(i);
            keys.emplace(read("East US", key).header("x-ms-documentdb-partitionkeyrangeid"), key);
        }
        (void)account.gateway->take_records();
    }
    static GatewayOptions four_ranges() {
        GatewayOptions options;
        options.regions = {{"East US"}, {"West US"}};
        options.partitions = 4;
        return options;
    }
    [[nodiscard]] Reply create(std::string_view region, const std::string& key,
                               const std::string& id, const std::string& headers = "") const {
        return account.ask(region,
                           "POST /dbs/d/colls/c/docs HTTP/1.1\nx-ms-documentdb-partitionkey: [\"" +
                               key + "\"]\n" + headers,
                           R"({"id":")" + id + R"(","pk":")" + key + "\"}");
    }
    [[nodiscard]] Reply read(std::string_view region, const std::string& key,
                             const std::string& headers = "") const {
        return account.ask(region, "GET /dbs/d/colls/c/docs/1 HTTP/1.1\n"
                                   "x-ms-documentdb-partitionkey: [\"" +
                                       key + "\"]\n" + headers);
    }
    [[nodiscard]] Reply feed(std::string_view region, const std::string& headers = "") const {
        return account.ask(region, "GET /dbs/d/colls/c/docs HTTP/1.1\n" + headers);
    }
    void move(const std::string& range, const std::string& to) const {
        ASSERT_TRUE(account.gateway->fail_over(
            {.database = "d", .container = "c", .range = range, .to = to}, FailOver::caught_up));
    }

    FakeAccount account;
    std::map<std::string, std::string> keys;  // a key of each range
};

TEST_F(Ranges, can_be_struck_alone) {
    account.gateway->plan(
        {{.name = "sick", .region = "East US", .range = "2", .status = 503, .substatus = 20003}});
    for (const auto& [range, key] : keys) {
        EXPECT_EQ(read("East US", key).status(), range == "2" ? "503/20003" : "404") << range;
        EXPECT_EQ(create("East US", key, "1").status(), range == "2" ? "503/20003" : "201");
        EXPECT_EQ(read("West US", key).status(), range == "2" ? "404" : "200") << range;
    }
    // A request that names no range meets the sick one too; metadata belong to none.
    EXPECT_EQ(feed("East US").status(), "503/20003");
    EXPECT_EQ(feed("East US", "x-ms-documentdb-partitionkeyrangeid: 2\n").status(), "503/20003");
    EXPECT_EQ(feed("East US", "x-ms-documentdb-partitionkeyrangeid: 1\n").status(), "200");
    EXPECT_EQ(account.ask("East US", "GET /dbs/d/colls/c/pkranges HTTP/1.1\n").status(), "200");
    EXPECT_EQ(account.ask("East US", "GET /dbs/d/colls/c HTTP/1.1\n").status(), "200");
    EXPECT_EQ(account.gateway->struck()[0], 4U);
    for (const GatewayRecord& record : account.gateway->records()) {
        if (record.partition_key.empty()) continue;
        EXPECT_EQ(record.fault.empty(), record.range != "2" || record.region != "East US");
        EXPECT_EQ(record.partition_key, "[\"" + keys.at(record.range) + "\"]");
    }
}

TEST_F(Ranges, can_be_struck_after_a_write_was_applied) {
    account.gateway->plan({{.range = "1",
                            .kind = RequestKind::write,
                            .strikes = Strikes::after_applying,
                            .ending = FaultEnding::reset},
                           {.range = "3", .kind = RequestKind::read, .status = 500}});
    EXPECT_TRUE(create("East US", keys["1"], "1").ended);
    EXPECT_EQ(read("East US", keys["1"]).status(), "200");
    EXPECT_EQ(create("East US", keys["3"], "1").status(), "201");
    EXPECT_EQ(read("East US", keys["3"]).status(), "500");
}

TEST_F(Ranges, can_be_slow_alone) {
    account.gateway->plan({{.range = "0", .delay = 150ms}});
    Wire slow{account.gateway->endpoint("East US")};
    slow.send(bytes("GET /dbs/d/colls/c/docs/1 HTTP/1.1\nx-ms-documentdb-partitionkey: [\"" +
                    keys["0"] + "\"]\n"));
    while (account.gateway->struck()[0] == 0) account.gateway->look();
    EXPECT_EQ(read("East US", keys["1"]).status(), "404");
    EXPECT_TRUE(slow.quiet());
    account.pass(150ms);
    EXPECT_EQ(slow.receive().status(), "404");
}

TEST_F(Ranges, can_have_a_write_region_of_their_own) {
    const std::string token = create("East US", keys["2"], "1").header("x-ms-session-token");
    EXPECT_EQ(token, "2:1#1#1=1");
    move("2", "West US");
    EXPECT_EQ(create("East US", keys["2"], "2").status(), "403/3");
    EXPECT_EQ(create("global", keys["2"], "2").status(), "403/3");
    const Reply moved = create("West US", keys["2"], "2", "x-ms-session-token: " + token + '\n');
    EXPECT_EQ(moved.status(), "201");
    EXPECT_EQ(moved.header("x-ms-session-token"), "2:2#2#2=2");
    // Reads are served everywhere, other ranges are written where they were.
    for (const char* region : {"East US", "West US"})
        EXPECT_EQ(read(region, keys["2"]).status(), "200");
    EXPECT_EQ(create("East US", keys["1"], "1").status(), "201");
    EXPECT_EQ(create("West US", keys["1"], "2").status(), "403/3");
    // The account document does not say it.
    const std::string document = account.ask("global", "GET / HTTP/1.1\n").body;
    EXPECT_NE(document.find(R"("writableLocations":[{"name":"East US")"), std::string::npos);
    // Only the write region of the range takes what asks for it.
    const std::string hub = "x-ms-cosmos-hub-region-processing-only: True\n";
    EXPECT_EQ(read("East US", keys["2"], hub).status(), "403/3");
    EXPECT_EQ(read("West US", keys["2"], hub).status(), "200");
    move("2", "");
    EXPECT_EQ(create("East US", keys["2"], "3").status(), "201");
    EXPECT_EQ(create("West US", keys["2"], "4").status(), "403/3");
}

TEST_F(Ranges, take_their_write_region_into_a_split_and_lose_it_with_the_account) {
    move("0", "West US");
    ASSERT_TRUE(account.gateway->split({"d", "c", "0"}));
    const Reply child = create("West US", keys["0"], "1");
    EXPECT_EQ(child.status(), "201");
    EXPECT_NE(child.header("x-ms-documentdb-partitionkeyrangeid"), "0");
    EXPECT_EQ(create("East US", keys["0"], "2").status(), "403/3");
    ASSERT_TRUE(account.gateway->fail_over("East US", FailOver::caught_up));
    EXPECT_EQ(create("East US", keys["0"], "2").status(), "201");
    EXPECT_EQ(create("West US", keys["0"], "3").status(), "403/3");
}

TEST_F(Ranges, that_are_not_there_or_all_written_everywhere_are_not_moved) {
    const auto refused = [&](const RangeFailOver& move) {
        const auto done = account.gateway->fail_over(move, FailOver::caught_up);
        return !done && done.error().cause == Cause::invalid;
    };
    EXPECT_TRUE(refused({"d", "c", "9", "West US"}));
    EXPECT_TRUE(refused({"d", "x", "0", "West US"}));
    EXPECT_TRUE(refused({"d", "c", "0", "Mars"}));
    account.gateway->set_writes(WriteMode::multiple);
    EXPECT_TRUE(refused({"d", "c", "0", "West US"}));
}

TEST_F(Ranges, are_moved_and_struck_by_the_control_port_too) {
    Wire control{account.gateway->control()};
    const auto post = [&](const char* path, const char* body) {
        control.send(bytes(std::string{"POST "} + path + " HTTP/1.1\n", body));
        const Reply reply = control.receive();
        return reply.status() + ' ' + reply.body;
    };
    EXPECT_EQ(post("/account", R"({"partition_failover":"enabled"})"), "200 {}");
    EXPECT_NE(account.ask("global", "GET / HTTP/1.1\n")
                  .body.find(R"("enablePerPartitionFailoverBehavior":true)"),
              std::string::npos);
    EXPECT_EQ(post("/account", R"({"partition_failover":"maybe"})"),
              R"(400 {"problem":"partition_failover: silent, enabled or disabled"})");
    EXPECT_EQ(post("/fail_over", R"({"database":"d","container":"c","range":"1","to":"West US"})"),
              "200 {}");
    EXPECT_EQ(create("East US", keys["1"], "1").status(), "403/3");
    EXPECT_EQ(create("East US", keys["0"], "1").status(), "201");
    EXPECT_EQ(post("/fail_over", R"({"database":"d","range":"1","to":"West US"})"),
              R"(400 {"problem":"there is no container ''"})");
    EXPECT_EQ(post("/faults", R"([{"range":"1","status":503}])"), "200 {}");
    EXPECT_EQ(read("West US", keys["1"]).status(), "503");
    EXPECT_NE(post("/take_records", "{}").find(R"("range":"1","fault":"")"), std::string::npos);
}

TEST_F(Ranges, count_the_writes_of_each_item) {
    EXPECT_EQ(create("East US", keys["0"], "a").status(), "201");
    EXPECT_EQ(create("East US", keys["0"], "a").status(), "409");
    EXPECT_EQ(create("East US", keys["0"], "a", "x-ms-documentdb-is-upsert: True\n").status(),
              "200");
    EXPECT_EQ(create("East US", keys["1"], "b").status(), "201");
    const std::vector<WriteCount> counts = account.gateway->write_counts("d", "c");
    ASSERT_EQ(counts.size(), 2U);
    const auto first = std::ranges::find(counts, "a", &WriteCount::id);
    EXPECT_EQ(first->created, 1U);
    EXPECT_EQ(first->replaced, 1U);
    EXPECT_EQ(first->patched + first->deleted, 0U);
    EXPECT_EQ(account.gateway->write_counts("d", "other").size(), 0U);
    EXPECT_EQ(account.gateway->write_counts().size(), 2U);
    Wire control{account.gateway->control()};
    control.send(bytes("POST /write_counts HTTP/1.1\n", R"({"database":"d","container":"c"})"));
    EXPECT_NE(
        control.receive().body.find(R"("id":"a","created":1,"replaced":1,"patched":0,"deleted":0)"),
        std::string::npos);
}

TEST(Rules, can_strike_each_so_many_of_what_they_count) {
    const FakeAccount account;
    account.furnish();
    account.gateway->plan(
        {{.kind = RequestKind::read, .from = 2, .to = 9, .every = 3, .status = 503},
         {.kind = RequestKind::read, .every = 4, .status = 500}});
    std::string seen;
    for (int i = 0; i < 12; ++i) seen += account.read("East US", "1").status().front();
    // 503 at the second, fifth and eighth; of the other nine, 500 at the first, fifth and ninth.
    EXPECT_EQ(account.gateway->struck(), (std::vector<std::uint64_t>{3, 3}));
    EXPECT_EQ(seen, "554454554445");
}

TEST(Accounts, say_that_partitions_fail_over_only_if_they_are_told_to) {
    const auto said = [](PartitionFailover failover) {
        GatewayOptions options;
        options.partition_failover = failover;
        const FakeAccount account{options};
        const std::string document = account.ask("global", "GET / HTTP/1.1\n").body;
        const std::size_t at = document.find("enablePerPartitionFailoverBehavior");
        return at == std::string::npos ? "" : document.substr(at + 36, 5);
    };
    EXPECT_EQ(said(PartitionFailover::silent), "");
    EXPECT_EQ(said(PartitionFailover::enabled), "true,");
    EXPECT_EQ(said(PartitionFailover::disabled), "false");
}

}  // namespace
}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
