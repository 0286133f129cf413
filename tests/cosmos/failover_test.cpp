// SPDX-License-Identifier: Apache-2.0
//
// What does a client do that configures nothing, when a region, or one partition range of it, is ill? On
// the default plan with its budget; calls and requests are counted at the account.
#include <map>

#include "cosmos/outage.hpp"

namespace perdure::cosmos {
namespace {

TEST(CosmosFailover, serves_all_reads_elsewhere_while_one_region_is_ill) {
    const std::pair<const char*, GatewayFault> cases[] = {{"503", answers(503)},
                                                          {"500", answers(500)},
                                                          {"408", answers(408)},
                                                          {"410", answers(410)},
                                                          {"resets", resets()}};
    for (const auto& [name, fault] : cases) {
        for (const int warm : {0, 2000}) {
            Outage outage{account_of(2)};
            Client client{outage.nothing_configured()};
            (void)outage.count(warm, reads(client));
            outage.fall_ill(fault);
            const Tally tally = outage.count(1000, reads(client));
            EXPECT_EQ(tally.done, 1000) << name << ", after " << warm << ": " << tally.why;
            // 410 says that a partition has moved: it marks no region.
            if (std::string_view{name} != "410") {
                EXPECT_LE(tally.at_sick, 10) << name;
            }
            EXPECT_LE(tally.requests - tally.at_sick, 1000) << name;
        }
    }
}

TEST(CosmosFailover, serves_all_writes_elsewhere_where_every_region_takes_them) {
    Outage outage{multi_write_account(2)};
    Client client{outage.nothing_configured()};
    (void)outage.count(1, reads(client));
    outage.fall_ill(answers(503));
    const Tally tally =
        outage.count(300, [&](int i) { return client.send(create_of("w" + std::to_string(i))); });
    EXPECT_EQ(tally.done, 300) << tally.why;
    EXPECT_LE(tally.at_sick, 6);
}

// A write whose connection was lost may be done: it ends as unknown, and the region is left.
TEST(CosmosFailover, leaves_a_region_that_resets_writes_after_three_of_them) {
    Outage outage{multi_write_account(2)};
    Client client{outage.nothing_configured()};
    (void)outage.count(1, reads(client));
    outage.fall_ill(resets());
    const Tally once =
        outage.count(300, [&](int i) { return client.send(create_of("w" + std::to_string(i))); });
    EXPECT_GE(once.done, 295) << once.why;
    EXPECT_EQ(once.done + once.at_sick, 300);
    const Tally upserts = outage.count(300, [&](int i) {
        const std::string id = "u" + std::to_string(i);
        return client.send(UpsertItem{orders, item_json(id), PartitionKey{"A"}}.idempotent());
    });
    EXPECT_EQ(upserts.done, 300) << upserts.why;
}

TEST(CosmosFailover, reads_one_sick_partition_range_elsewhere_and_the_others_here) {
    chaos::GatewayOptions account = account_of(2);
    account.partitions = 10;
    Outage outage{account};
    Client client{outage.nothing_configured()};
    const auto key = [](int i) { return "k" + std::to_string(i); };
    for (int i = 0; i < 40; ++i)
        client
            .send(CreateItem{orders, R"({"id":"1","pk":")" + key(i) + "\"}", PartitionKey{key(i)}})
            .value();
    const auto ask_all = [&](int i) {
        return client.send(ReadItem{orders, "1", PartitionKey{key(i % 40)}});
    };
    (void)outage.count(40, ask_all);
    const auto ranges = client.ranges(orders).value();
    GatewayFault sick = answers(503);
    sick.range = ranges->all().front().id;
    outage.fall_ill(sick);
    const Tally tally = outage.count(4000, ask_all);
    EXPECT_EQ(tally.done, 4000) << tally.why;
    // Three find out, and one goes there alone each time the mark has ended.
    EXPECT_LE(tally.requests, 4000 + 10);
    EXPECT_GE(tally.at_sick, 2000) << "the other ranges are read where they were";
    EXPECT_EQ(client.read_regions().front(), "East US");
}

TEST(CosmosFailover, writes_one_sick_partition_range_elsewhere_and_the_others_here) {
    chaos::GatewayOptions account = multi_write_account(2);
    account.partitions = 10;
    Outage outage{account};
    Client client{outage.nothing_configured()};
    const auto write = [&](int i) {
        const std::string key = "k" + std::to_string(i % 40);
        return client.send(
            UpsertItem{orders, R"({"id":"1","pk":")" + key + "\"}", PartitionKey{key}});
    };
    (void)outage.count(40, write);
    const auto ranges = client.ranges(orders).value();
    GatewayFault sick = answers(503);
    sick.range = ranges->all().front().id;
    outage.fall_ill(sick);
    const Tally tally = outage.count(4000, write);
    EXPECT_EQ(tally.done, 4000) << tally.why;
    EXPECT_LE(tally.requests, 4000 + 10);
    EXPECT_GE(tally.at_sick, 2000) << "the other ranges are written where they were";
    EXPECT_LT(tally.at_sick, 4000) << "the sick one is not";
    EXPECT_EQ(client.write_regions().front(), "East US");
}

// During the outage of a second region a first that is well must not pay for it.
TEST(CosmosFailover, repeats_stray_failures_where_the_call_is_while_the_other_region_is_ill) {
    const auto refuses = [](Outage& outage) {
        outage.stage->set("West US", RegionState::refusing).value();
    };
    const auto answers_503 = [](Outage&) {};
    for (const bool refused : {false, true}) {
        Outage outage{account_of(2)};
        Client client{outage.nothing_configured()};
        (void)outage.count(100, reads(client));
        if (refused) refuses(outage);
        else answers_503(outage);
        GatewayFault stray = answers(503);
        stray.every = 20;
        stray.region = "East US";
        stray.resource = "docs";
        GatewayFault ill = answers(503);
        ill.region = "West US";
        ill.resource = "docs";
        outage.stage->plan({stray, ill});
        const Tally tally = outage.count(2000, reads(client));
        EXPECT_EQ(tally.done, 2000) << tally.why;
        EXPECT_LE(tally.requests - tally.at_sick, 10) << "to West US";
    }
}

TEST(CosmosFailover, asks_the_write_region_when_no_preferred_one_is_left) {
    Outage outage{account_of(2)};
    ClientOptions options = outage.nothing_configured();
    options.preferred = {"West US"};
    Client client{options};
    EXPECT_EQ(outage.count(3, reads(client)).at_sick, 0);
    outage.stage->set("West US", RegionState::refusing).value();
    const Tally tally = outage.count(50, reads(client));
    EXPECT_EQ(tally.done, 50) << tally.why;
}

TEST(CosmosFailover, reads_in_the_write_region_while_the_only_preferred_one_answers_503) {
    Outage outage{account_of(2)};
    ClientOptions options = outage.nothing_configured();
    options.preferred = {"West US"};
    Client client{options};
    EXPECT_EQ(outage.count(3, reads(client)).at_sick, 0);
    GatewayFault ill = answers(503);
    ill.region = "West US";
    ill.resource = "docs";
    outage.stage->plan({ill});
    const Tally tally = outage.count(1000, reads(client));
    EXPECT_EQ(tally.done, 1000) << tally.why;
    EXPECT_LE(tally.requests, 1000 + 10);
    EXPECT_GE(tally.at_sick, 990) << "in East US, which is well";
}

// The third of 30 ms is too short for any region to be blamed.
TEST(CosmosFailover, is_not_brought_about_by_a_caller_in_a_hurry) {
    Outage outage{account_of(2)};
    Client client{outage.nothing_configured()};
    (void)outage.count(50, reads(client));
    GatewayFault slow{.to = 9};
    slow.delay = 30ms;
    outage.fall_ill(slow);
    for (int i = 0; i < 3; ++i) (void)client.send(read_of("known"), {.deadline = within(30ms)});
    EXPECT_EQ(client.read_regions().front(), "East US");
    const Tally later = outage.count(50, reads(client));
    EXPECT_EQ(later.done, 50) << later.why;
    EXPECT_EQ(client.read_regions().front(), "East US");
}

// With a copy after 20 ms, which is no default: without one a slow region is just slow.
TEST(CosmosFailover, moves_reads_away_from_a_region_that_stays_slow) {
    Outage outage{account_of(2)};
    ClientOptions options = outage.nothing_configured();
    options.hedge_after = 20ms;
    Client client{options};
    (void)outage.count(100, reads(client));
    GatewayFault slow;
    slow.delay = 150ms;
    slow.strikes = chaos::Strikes::after_applying;
    outage.fall_ill(slow);
    int quick = 0;
    const Tally tally = outage.count(200, [&](int) {
        const TimePoint began = system_clock().now();
        auto done = client.send(read_of("known"));
        quick += system_clock().now() - began < 140ms ? 1 : 0;
        return done;
    });
    EXPECT_EQ(tally.done, 200) << tally.why;
    EXPECT_GE(quick, 190);
    EXPECT_LE(tally.at_sick, 20);
}

class PartitionFailover : public ::testing::Test {
protected:
    static chaos::GatewayOptions account() {
        chaos::GatewayOptions options = account_of(2);
        options.partitions = 4;
        options.partition_failover = chaos::PartitionFailover::enabled;
        return options;
    }
    static std::string key(int i) { return "k" + std::to_string(i); }
    static UpsertItem write(int i) {
        return {orders, R"({"id":"1","pk":")" + key(i % 40) + "\"}", PartitionKey{key(i % 40)}};
    }

    void move(const std::string& range, const std::string& to) const {
        outage.stage
            ->fail_over({.database = "shop", .container = "orders", .range = range, .to = to},
                        chaos::FailOver::caught_up)
            .value();
    }

    Outage outage{account()};
    Client client{outage.nothing_configured()};
};

TEST_F(PartitionFailover, moves_the_writes_of_one_range_and_leaves_the_others) {
    const auto write_all = [&](int i) { return client.send(write(i)); };
    (void)outage.count(40, write_all);
    const auto ranges = client.ranges(orders).value();
    move(ranges->all().front().id, "West US");
    outage.stage.told();
    const Tally tally = outage.count(400, write_all);
    EXPECT_EQ(tally.done, 400) << tally.why;
    EXPECT_EQ(tally.requests, 401) << "one refusal, then the range is written where it is";
    EXPECT_LE(tally.accounts, 2);
    EXPECT_EQ(client.write_regions().front(), "East US");
}

// The others are behind.
TEST_F(PartitionFailover, reads_its_own_write_where_the_range_is_written) {
    outage.stage->replicate("East US", never).value();
    outage.stage->replicate("West US", never).value();
    ASSERT_TRUE(client.send(write(1)));
    const auto ranges = client.ranges(orders).value();
    for (const PartitionRange& range : ranges->all()) move(range.id, "West US");
    ASSERT_TRUE(client.send(write(1)));
    outage.stage.told();
    const auto read = client.send(ReadItem{orders, "1", PartitionKey{key(1)}});
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(outage.stage.told(), "East US 404/1002, West US 200");
}

TEST_F(PartitionFailover, repeats_a_stray_failure_where_the_range_is_written) {
    (void)outage.count(40, [&](int i) { return client.send(write(i)); });
    outage.stage->plan({{.resource = "docs", .to = 1, .status = 503}});
    ASSERT_TRUE(client.send(write(1)));
    EXPECT_EQ(outage.stage.told(), "East US 503, West US 403/3, East US 200") << "found out once";
    outage.stage->plan({{.resource = "docs", .to = 2, .status = 503}});
    ASSERT_TRUE(client.send(write(1)));
    EXPECT_EQ(outage.stage.told(), "East US 503, East US 503, East US 200");
    // Three in a row are not stray: the range may be on its way to another region.
    outage.stage->plan({{.resource = "docs", .to = 3, .status = 503}});
    ASSERT_TRUE(client.send(write(1)));
    EXPECT_EQ(outage.stage.told(),
              "East US 503, East US 503, East US 503, West US 403/3, East US 200");
}

TEST_F(PartitionFailover, stays_where_a_write_is_throttled) {
    (void)outage.count(1, [&](int i) { return client.send(write(i)); });
    outage.stage->plan({{.resource = "docs", .to = 2, .status = 429, .retry_after = 1ms}});
    ASSERT_TRUE(client.send(write(1)));
    EXPECT_EQ(outage.stage.told(), "East US 429, East US 429, East US 201");
}

TEST_F(PartitionFailover, follows_a_range_that_comes_home) {
    const auto write_all = [&](int i) { return client.send(write(i)); };
    (void)outage.count(40, write_all);
    const auto ranges = client.ranges(orders).value();
    for (const char* const region : {"West US", "East US", "West US"}) {
        move(ranges->all().front().id, region);
        const Tally tally = outage.count(80, write_all);
        EXPECT_EQ(tally.done, 80) << region << ": " << tally.why;
        EXPECT_LE(tally.requests, 82) << region;
    }
}

}  // namespace
}  // namespace perdure::cosmos
