// SPDX-License-Identifier: Apache-2.0
//
// Does a load into Cosmos DB keep what every target promises, and what is its own?
#include <thread>

#include "perdure/cosmos/create_item.hpp"
#include "perdure/cosmos/ensure.hpp"
#include "tools/load_cosmos_place.hpp"

namespace tool::load {
namespace {

using chaos::FaultEnding;
using chaos::Strikes;

std::unique_ptr<TargetPlace> cosmos_place() { return std::make_unique<CosmosPlace>(); }

INSTANTIATE_TEST_SUITE_P(Cosmos, LoadContract,
                         ::testing::Values(PlaceMaker{"cosmos", cosmos_place}));

class LoadCosmosTarget : public ::testing::Test {
protected:
    [[nodiscard]] std::unique_ptr<Target> ready(std::optional<std::size_t> key) {
        return made_ready(place.open(0), key);
    }
    // How often each of the items 1 to `last` was written, where that was not once.
    [[nodiscard]] std::string not_once(int last) const {
        std::map<std::string, int> times;
        for (const chaos::AppliedWrite& one : place.gateway().writes())
            if (one.container == "dbs/shop/colls/orders") ++times[one.id];
        std::string wrong;
        for (int i = 1; i <= last; ++i)
            if (times[std::to_string(i)] != 1)
                wrong += std::to_string(i) + ": " + std::to_string(times[std::to_string(i)]) + " ";
        return wrong;
    }
    static std::vector<TestRecord> records(int first, int last) {
        std::vector<TestRecord> made;
        for (int i = first; i <= last; ++i) made.push_back({.id = i, .name = "n"});
        return made;
    }

    CosmosPlace place;
};

TEST_F(LoadCosmosTarget, takes_records_of_a_batch_that_was_never_noted_as_written) {
    Orders orders{"input.csv"};
    const Order order = orders.make(records(1, 20));
    {
        auto killed = ready(0);
        ASSERT_TRUE(killed->enter(orders.source()));
        place.gateway().plan(
            {{.method = "PUT", .path = "*/perdure_load/*", .status = 403, .substatus = 5300}});
        EXPECT_FALSE(killed->write(order, {}));
        EXPECT_EQ(*killed->count(), 20u);
        EXPECT_THAT(*killed->done("input.csv"), IsEmpty());
    }
    place.gateway().plan({});
    auto target = ready(0);
    const Range range = write(*target, order);
    EXPECT_EQ(range.written, 20u);
    EXPECT_EQ(range.present + range.rejected, 0u);
    EXPECT_EQ(not_once(20), "");
}

TEST_F(LoadCosmosTarget, loses_and_doubles_nothing_while_answers_are_lost) {
    auto target = ready(0);
    Orders orders{"input.csv"};
    ASSERT_TRUE(target->enter(orders.source()));
    std::vector<chaos::GatewayFault> faults;
    for (const std::uint64_t each : {3u, 11u, 19u, 20u, 31u, 44u}) {
        faults.push_back({.kind = chaos::RequestKind::write,
                          .from = each,
                          .to = each,
                          .strikes = Strikes::after_applying,
                          .ending = FaultEnding::reset});
        faults.push_back({.method = "PUT",
                          .from = 1,
                          .to = 2,
                          .strikes = Strikes::after_applying,
                          .ending = FaultEnding::half_answer});
        faults.push_back({.kind = chaos::RequestKind::any,
                          .from = each + 2,
                          .to = each + 3,
                          .ending = FaultEnding::reset});
    }
    place.gateway().plan(faults);
    std::uint64_t written = 0;
    for (int i = 0; i < 5; ++i) {
        const auto range = target->write(orders.make(records(1 + i * 20, 20 + i * 20)), {});
        ASSERT_TRUE(range) << to_string(range.error());
        written += range->written;
    }
    EXPECT_EQ(written, 100u);
    EXPECT_EQ(*target->count(), 100u);
    EXPECT_EQ(not_once(100), "");
    EXPECT_EQ(target->done("input.csv")->size(), 5u);
    EXPECT_GT(target->counts().retries, 0u);
}

TEST_F(LoadCosmosTarget, writes_nothing_twice_when_overtaken_in_the_middle_of_a_batch) {
    auto first = ready(0);
    auto second = ready(0);
    Orders orders{"input.csv"};
    const Order large = orders.make(records(1, 30));
    ASSERT_TRUE(first->enter(orders.source()));
    // It has written its records, and comes late with the note.
    place.gateway().plan({{.method = "PUT",
                           .path = "*/perdure_load/*",
                           .to = 1,
                           .delay = std::chrono::milliseconds{300}}});
    std::string told;
    std::thread overtaken{[&] {
        const auto late = first->write(large, {});
        told = late ? "written" : late.error().code;
    }};
    const auto both_there = [&] {
        return place.gateway().items("shop", "orders", "East US") == 30;
    };
    while (!both_there()) std::this_thread::yield();
    ASSERT_TRUE(second->enter(orders.source()));
    const auto seen = second->done("input.csv");
    overtaken.join();
    ASSERT_TRUE(seen);
    if (told == "taken") {
        EXPECT_THAT(*seen, IsEmpty());
        Orders smaller{"input.csv"};
        EXPECT_EQ(write(*second, smaller.make(records(1, 10))).written, 10u);
        EXPECT_EQ(write(*second, smaller.make(records(11, 30))).written, 20u);
    } else {
        EXPECT_EQ(told, "written");
        EXPECT_EQ(seen->size(), 1u);
    }
    EXPECT_EQ(not_once(30), "");
}

TEST_F(LoadCosmosTarget, waits_when_it_is_told_to_slow_down) {
    auto target = ready(0);
    Orders orders{"input.csv"};
    ASSERT_TRUE(target->enter(orders.source()));
    place.gateway().plan({{.kind = chaos::RequestKind::write,
                           .to = 15,
                           .status = 429,
                           .substatus = 3200,
                           .retry_after = std::chrono::milliseconds{5}}});
    const auto range = target->write(orders.make(records(1, 40)), {});
    ASSERT_TRUE(range) << to_string(range.error());
    EXPECT_EQ(range->written, 40u);
    EXPECT_GE(target->counts().throttled, 10u);
    EXPECT_EQ(not_once(40), "");
}

TEST_F(LoadCosmosTarget, forgets_a_rejection_that_an_unfinished_run_left) {
    Orders orders{"input.csv"};
    const Order order = orders.with_rejected(records(1, 2), "no");
    auto killed = ready(0);
    ASSERT_TRUE(killed->enter(orders.source()));
    place.gateway().plan(
        {{.method = "PUT", .path = "*/perdure_load/*", .status = 403, .substatus = 5300}});
    EXPECT_FALSE(killed->write(order, {}));
    place.gateway().plan({});
    std::size_t kept = 0;
    const auto count = [&](const KeptRejection&) -> Result<void> {
        ++kept;
        return {};
    };
    ASSERT_TRUE(killed->rejections("input.csv", count));
    EXPECT_EQ(kept, 0u) << "its range was never noted";
    auto target = ready(0);
    Orders again{"input.csv"};
    EXPECT_EQ(write(*target, again.make(records(1, 2))).written, 2u);
    ASSERT_TRUE(target->rejections("input.csv", count));
    EXPECT_EQ(kept, 0u);
}

TEST_F(LoadCosmosTarget, tells_items_that_others_made_from_its_own) {
    auto target = ready(0);
    cosmos::Client client{
        {.endpoint = place.gateway().endpoint(), .key = std::string{chaos::emulator_key}}};
    const cosmos::ContainerName name{"shop", "orders"};
    ASSERT_TRUE(client.send(cosmos::CreateItem{
        name, R"({"id":"1","size":0,"good":true,"na\"m`e é?":"n","more":[1]})", {"1"}}));
    ASSERT_TRUE(client.send(cosmos::CreateItem{name, R"({"id":"2","size":1})", {"2"}}));
    Orders orders{"input.csv"};
    const Range range = write(*target, orders.make(records(1, 3)));
    EXPECT_EQ(range.present, 1u);
    EXPECT_EQ(range.rejected, 1u);
    EXPECT_EQ(range.written, 1u);
}

TEST_F(LoadCosmosTarget, knows_records_by_id_and_partition_key) {
    place.partition = "/size";
    auto target = ready(std::nullopt);
    Orders orders{"input.csv"};
    const Range range = write(*target, orders.make({{1, "a", 1}, {1, "b", 2}, {1, "a", 1}}));
    EXPECT_EQ(range.written, 2u);
    EXPECT_EQ(range.present, 1u);
    auto other = place.open(0);
    const auto facts = other->look();
    ASSERT_TRUE(facts && *facts);
    ASSERT_EQ((*facts)->columns.size(), 2u);
    EXPECT_EQ((*facts)->columns[0].name, "id");
    EXPECT_EQ((*facts)->columns[1].name, "size");
    EXPECT_THAT((*facts)->unique, IsEmpty()) << "neither of them alone";
    const std::vector<Value> keys{Value{std::int64_t{1}}, Value{2.0}};
    std::string found;
    ASSERT_TRUE(target->find(keys, [&](std::span<const Value> row) -> Result<void> {
        found += shown(row[1]);
        return {};
    }));
    EXPECT_EQ(found, "'b'");
}

TEST_F(LoadCosmosTarget, refuses_a_partition_key_of_several_parts_with_a_clear_word) {
    cosmos::Client client{
        {.endpoint = place.gateway().endpoint(), .key = std::string{chaos::emulator_key}}};
    ASSERT_TRUE(ensure_database(client, cosmos::CreateDatabase{"shop"}));
    ASSERT_TRUE(
        ensure_container(client, cosmos::CreateContainer{{"shop", "orders"}, {"/a", "/b"}}));
    const auto facts = place.open(0)->look();
    ASSERT_FALSE(facts);
    EXPECT_EQ(facts.error().code, "not-loadable");
}

TEST_F(LoadCosmosTarget, with_a_wrong_key_says_so_and_does_not_show_it) {
    CosmosTargetOptions options = place.options(1);
    options.access.key = "d3JvbmcgYW5kIHNlY3JldA==";
    const auto target = open_cosmos_target(options);
    ASSERT_TRUE(target);
    const auto facts = (*target)->look();
    ASSERT_FALSE(facts);
    EXPECT_EQ(facts.error().status, 401);
    EXPECT_EQ(to_string(facts.error()).find("d3Jvbmc"), std::string::npos);
}

}  // namespace
}  // namespace tool::load
