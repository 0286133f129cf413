// SPDX-License-Identifier: Apache-2.0
//
// When does a read get a copy in another region, and whose answer counts?
#include "cosmos/staged.hpp"

namespace perdure::cosmos {
namespace {

class CosmosHedging : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Both, CosmosHedging, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

ClientOptions hedging(const Stage& stage, Duration after = 30ms) {
    ClientOptions options = stage.options_for();
    options.hedge_after = after;
    return options;
}

TEST_P(CosmosHedging, reads_in_another_region_when_the_first_is_silent) {
    Stage stage{account_of(3)};
    Client client{hedging(stage)};
    ASSERT_TRUE(ask(client, read_of("known")));
    stage->set("East US", RegionState::black_hole).value();
    stage.told();
    Story story;
    const TimePoint began = system_clock().now();
    const auto read = ask(client, read_of("known"), {.deadline = within(5s), .story = &story});
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_LT(system_clock().now() - began, 1s);
    EXPECT_EQ(stage.told(), "West US 200");
    ASSERT_EQ(story.legs().size(), 2u);
    EXPECT_EQ(story.legs()[1].reason, Reason::hedge);
    EXPECT_EQ(story.legs()[1].region, "West US");
}

TEST_P(CosmosHedging, asks_one_other_region_at_most) {
    Stage stage{account_of(3)};
    Client client{hedging(stage, 20ms)};
    ASSERT_TRUE(ask(client, read_of("known")));
    stage->plan({{.resource = "docs", .to = 2, .delay = 200ms}});
    stage.told();
    ASSERT_TRUE(ask(client, read_of("known")));
    const std::string told = stage.told();
    EXPECT_EQ(told.find("North Europe"), std::string::npos) << told;
}

TEST_P(CosmosHedging, is_not_done_where_the_answer_comes_soon) {
    Stage stage;
    Client client{hedging(stage, 5s)};
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(ask(client, read_of("known")));
    EXPECT_EQ(stage.told().find("West US"), std::string::npos);
}

TEST_P(CosmosHedging, is_off_unless_it_is_asked_for_or_where_the_account_forbids_it) {
    for (const bool forbidden : {false, true}) {
        Stage stage;
        if (forbidden) stage->set_hedging(chaos::HedgingSwitch::disabled);
        Client client{forbidden ? hedging(stage, 10ms) : stage.options_for()};
        ASSERT_TRUE(ask(client, read_of("known")));
        stage->plan({{.region = "East US", .resource = "docs", .delay = 100ms}});
        stage.told();
        ASSERT_TRUE(ask(client, read_of("known")));
        EXPECT_EQ(stage.told(), "East US 200");
    }
}

TEST_P(CosmosHedging, is_never_done_for_writes) {
    Stage stage{multi_write_account(2)};
    Client client{hedging(stage, 10ms)};
    ASSERT_TRUE(ask(client, read_of("known")));
    stage->plan({{.region = "East US", .kind = RequestKind::write, .delay = 100ms}});
    stage.told();
    ASSERT_TRUE(ask(client, create_of("1")));
    EXPECT_EQ(stage.told(), "East US 201");
}

// By the copy, while the first is still under way.
TEST_P(CosmosHedging, ends_with_the_first_answer_that_is_final) {
    const struct {
        int status, substatus;
        bool final;
    } cases[] = {{400, 0, true},  {401, 0, true},  {404, 0, true},  {409, 0, true},
                 {412, 0, true},  {413, 0, true},  {403, 0, false}, {404, 1002, false},
                 {408, 0, false}, {410, 0, false}, {429, 0, false}, {449, 0, false},
                 {500, 0, false}, {503, 0, false}};
    for (const auto& [status, substatus, final] : cases) {
        Stage stage;
        Client client{hedging(stage, 10ms)};
        ASSERT_TRUE(ask(client, read_of("known")));
        stage->plan(
            {{.region = "East US", .resource = "docs", .to = 1, .delay = 250ms},
             {.region = "West US", .resource = "docs", .status = status, .substatus = substatus}});
        const auto read = ask(client, read_of("known"));
        EXPECT_EQ(read.has_value(), !final) << status << '/' << substatus;
        if (!read && final) {
            EXPECT_EQ(read.error().status, status);
        }
    }
}

}  // namespace
}  // namespace perdure::cosmos
