// SPDX-License-Identifier: Apache-2.0
//
// Is what a caller is told of a write true, whatever the account's kind and whatever the answer? Each answer
// comes after the write was done, unless it says that the service refused it.
#include "cosmos/staged.hpp"

namespace perdure::cosmos {
namespace {

using chaos::GatewayConsistency;
using chaos::Strikes;

// Not on the white list: known substatuses, unknown ones, a status without a row.
const std::vector<StatusCode> open_answers{
    {408},        {408, 20913}, {408, 21013}, {500},        {500, 1007},  {502},
    {504},        {503, 9},     {503, 1022},  {503, 20001}, {503, 20002}, {503, 20003},
    {503, 20913}, {503, 21006}, {503, 21009}, {503, 21011}, {503, 21012}, {503, 65535},
    {410, 9},     {410, 1022},  {410, 20001}, {410, 20002}, {410, 21006}, {410, 21012},
    {404, 1013},  {404, 1023},  {429, 21011}, {418},        {452},
};
const std::vector<StatusCode> refusals{
    {503},        {503, 1000},  {503, 1002},  {503, 1007},  {503, 1008},  {503, 20009},
    {503, 21001}, {503, 21002}, {503, 21003}, {503, 21004}, {503, 21005}, {503, 21007},
    {503, 21008}, {410},        {410, 1000},  {410, 1007},  {410, 21005}, {403, 3},
    {403, 1008},  {429, 3200},  {449},        {400},        {413},
};

struct Kind {
    std::string name;
    chaos::GatewayOptions options;
};

// One or several write regions, five consistency levels. Strong and several write regions do not go together.
std::vector<Kind> kinds() {
    std::vector<Kind> all;
    for (const auto& [level, name] :
         {std::pair{GatewayConsistency::strong, "strong"},
          std::pair{GatewayConsistency::bounded_staleness, "bounded staleness"},
          std::pair{GatewayConsistency::session, "session"},
          std::pair{GatewayConsistency::consistent_prefix, "consistent prefix"},
          std::pair{GatewayConsistency::eventual, "eventual"}}) {
        all.push_back({std::string{"one write region, "} + name, account_of(2)});
        all.back().options.consistency = level;
        if (level == GatewayConsistency::strong) continue;
        all.push_back({std::string{"several write regions, "} + name, multi_write_account(2)});
        all.back().options.consistency = level;
    }
    return all;
}

GatewayFault answers(StatusCode code, Strikes strikes) {
    return {.resource = "docs",
            .kind = RequestKind::write,
            .to = 1,
            .strikes = strikes,
            .status = code.status(),
            .substatus = code.substatus(),
            .retry_after = 1ms};
}

PatchItem count_on(const std::string& id) {
    return {orders, id, PartitionKey{"A"}, Patch{}.increment("/n", 1)};
}

TEST(CosmosToldEffects, of_a_count_that_was_done_are_unknown_after_one_attempt) {
    for (const Kind& kind : kinds()) {
        SCOPED_TRACE(kind.name);
        Stage stage{kind.options};
        Client client{stage.options_for()};
        int number = 0;
        for (const StatusCode code : open_answers) {
            SCOPED_TRACE(to_string(code));
            const std::string id = std::to_string(++number);
            ASSERT_TRUE(
                client.send(CreateItem{orders, item_json(id, R"(,"n":0)"), PartitionKey{"A"}}));
            stage->plan({answers(code, Strikes::after_applying)});
            const auto counted = client.send(count_on(id));
            ASSERT_FALSE(counted);
            EXPECT_EQ(counted.error().effect, Effect::unknown) << to_string(counted.error());
            EXPECT_EQ(counted.error().stop, Stop::unsafe) << to_string(counted.error());
            EXPECT_EQ(counted.error().attempts, 1);
            EXPECT_EQ(stage.times_written(id), 2U) << "made, and counted once";
            stage->plan({});
        }
    }
}

TEST(CosmosToldEffects, of_a_count_that_was_refused_are_none_or_it_is_done_once) {
    for (const Kind& kind : kinds()) {
        SCOPED_TRACE(kind.name);
        Stage stage{kind.options};
        Client client{stage.options_for()};
        int number = 0;
        for (const StatusCode code : refusals) {
            SCOPED_TRACE(to_string(code));
            const std::string id = std::to_string(++number);
            ASSERT_TRUE(
                client.send(CreateItem{orders, item_json(id, R"(,"n":0)"), PartitionKey{"A"}}));
            stage->plan({answers(code, Strikes::before_applying)});
            const auto counted = client.send(count_on(id));
            if (!counted) {
                EXPECT_EQ(counted.error().effect, Effect::none);
            }
            EXPECT_EQ(stage.times_written(id), counted ? 2U : 1U);
            stage->plan({});
        }
    }
}

// An upsert that may be repeated, and a create that knows its own work.
TEST(CosmosToldEffects, of_writes_that_may_be_repeated_are_never_none_once_they_were_done) {
    for (const Kind& kind : kinds()) {
        SCOPED_TRACE(kind.name);
        Stage stage{kind.options};
        Client client{stage.options_for()};
        int number = 0;
        for (const StatusCode code : open_answers) {
            SCOPED_TRACE(to_string(code));
            const std::string id = std::to_string(++number);
            stage->plan({answers(code, Strikes::after_applying)});
            const auto put =
                client.send(UpsertItem{orders, item_json(id), PartitionKey{"A"}}.idempotent());
            if (!put) {
                EXPECT_EQ(put.error().effect, Effect::unknown) << to_string(put.error());
            }
            EXPECT_GE(stage.times_written(id), 1U);
            stage->plan({answers(code, Strikes::after_applying)});
            const auto made =
                client.send(CreateOnce{orders, item_json("once-" + id), PartitionKey{"A"}});
            if (!made) {
                EXPECT_EQ(made.error().effect, Effect::unknown) << to_string(made.error());
            }
            EXPECT_EQ(stage.times_written("once-" + id), 1U);
            stage->plan({});
        }
    }
}

// 404/1013: the container is being made. Nothing has been deleted that will be there in a moment.
TEST(CosmosToldEffects, of_a_container_that_is_still_being_made_are_not_those_of_a_deleted_one) {
    Stage stage;
    Client client{stage.options_for()};
    GatewayFault fault{.resource = "colls", .kind = RequestKind::write, .status = 404};
    for (const int substatus : {1013, 1023}) {
        fault.substatus = substatus;
        stage->plan({fault});
        const auto deleted = client.send(DeleteContainer{orders}.idempotent());
        ASSERT_FALSE(deleted) << substatus;
        EXPECT_EQ(deleted.error().cause, Cause::unavailable);
    }
    for (const int substatus : {0, 1003}) {
        fault.substatus = substatus;
        stage->plan({fault});
        EXPECT_TRUE(client.send(DeleteContainer{orders}.idempotent())) << substatus;
    }
    // The repeats of the deletions have used up the budget of the first client.
    Client reader{stage.options_for()};
    stage->plan({{.resource = "docs", .to = 2, .status = 404, .substatus = 1013}});
    EXPECT_TRUE(reader.send(read_of("known"))) << "it passes";
}

}  // namespace
}  // namespace perdure::cosmos
