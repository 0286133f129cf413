// SPDX-License-Identifier: Apache-2.0
//
// Is a record that Cosmos DB refuses told from one that is there, whoever wrote it?
#include <algorithm>

#include "perdure/cosmos/ensure.hpp"
#include "tools/load_cosmos_place.hpp"

namespace tool::load {
namespace {

class LoadCosmosWrite : public ::testing::Test {
protected:
    [[nodiscard]] std::unique_ptr<Target> ready() { return made_ready(place.open(1), 0); }
    [[nodiscard]] static std::string reason_of_only_rejection(Target& target) {
        std::string reasons;
        EXPECT_TRUE(target.rejections("input.csv", [&](const KeptRejection& one) -> Result<void> {
            reasons += one.reason;
            return {};
        }));
        return reasons;
    }
    void refuse_creations(int substatus) const {
        place.gateway().plan({{.method = "POST",
                               .path = "*/orders/docs",
                               .kind = chaos::RequestKind::write,
                               .status = 409,
                               .substatus = substatus}});
    }

    CosmosPlace place;
};

TEST_F(LoadCosmosWrite, compares_a_record_that_was_changed_in_its_place_after_it_was_written) {
    {
        Orders before{"input.csv"};
        auto killed = ready();
        ASSERT_TRUE(killed->enter(before.source()));
        place.gateway().plan(
            {{.method = "PUT", .path = "*/perdure_load/*", .status = 403, .substatus = 5300}});
        EXPECT_FALSE(killed->write(before.make({{1, "one"}, {2, "two"}}), {}));
        place.gateway().plan({});
    }
    auto target = ready();
    Orders mended{"input.csv"};
    const Range range = write(*target, mended.make({{1, "one"}, {2, "TWO"}}));
    EXPECT_EQ(range.written, 1u);
    EXPECT_EQ(range.rejected, 1u);
    EXPECT_EQ(reason_of_only_rejection(*target), "its key is there with other values");
    EXPECT_EQ(rows_of(*target).at("2"), "'two' 0 true");
}

TEST_F(LoadCosmosWrite, rejects_a_record_whose_unique_key_is_taken_and_goes_on) {
    cosmos::Client client{
        {.endpoint = place.gateway().endpoint(), .key = std::string{chaos::emulator_key}}};
    ASSERT_TRUE(ensure_database(client, cosmos::CreateDatabase{"shop"}));
    ASSERT_TRUE(
        ensure_container(client, cosmos::CreateContainer{{"shop", "orders"}, {"/id"}}.with(
                                     "uniqueKeyPolicy",
                                     cosmos::Value::raw(R"({"uniqueKeys":[{"paths":["/a"]}]})"))));
    auto target = place.open(1);
    ASSERT_TRUE(target->look());
    target = made_ready(std::move(target), 0);
    Orders orders{"input.csv"};
    ASSERT_TRUE(target->enter(orders.source()));
    refuse_creations(0);
    const Range refused = write(*target, orders.make({{1, "one"}}));
    EXPECT_EQ(refused.rejected, 1u);
    EXPECT_EQ(reason_of_only_rejection(*target),
              "Cosmos DB does not take it: a unique key of the container is taken");
    place.gateway().plan({});
    EXPECT_EQ(write(*target, orders.make({{2, "two"}})).written, 1u);
}

TEST_F(LoadCosmosWrite, stops_where_no_unique_key_explains_a_refusal) {
    auto target = ready();
    ASSERT_TRUE(target->look());
    Orders orders{"input.csv"};
    ASSERT_TRUE(target->enter(orders.source()));
    refuse_creations(0);
    const auto written = target->write(orders.make({{1, "one"}}), {});
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().cause, Cause::contended);
    EXPECT_THAT(*target->done("input.csv"), IsEmpty());
}

TEST_F(LoadCosmosWrite, rejects_a_record_whose_id_has_the_hash_of_another) {
    auto target = ready();
    Orders orders{"input.csv"};
    ASSERT_TRUE(target->enter(orders.source()));
    refuse_creations(3302);
    EXPECT_EQ(write(*target, orders.make({{1, "one"}})).rejected, 1u);
    EXPECT_EQ(reason_of_only_rejection(*target), "Cosmos DB does not take it: 409/3302");
    const auto records = place.gateway().records();
    EXPECT_EQ(std::ranges::count(records, 3302, &chaos::GatewayRecord::substatus), 1);
}

}  // namespace
}  // namespace tool::load
