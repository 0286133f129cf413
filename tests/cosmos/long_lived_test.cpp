// SPDX-License-Identifier: Apache-2.0
//
// What befalls a client that lives for months? Clocks are put right, calls are stopped, regions answer
// again, if only with a refusal.
#include <atomic>
#include <thread>

#include "cosmos/staged.hpp"

namespace perdure::cosmos {
namespace {

Task<bool> was_shown(Client* client, const std::stop_token* stop, const std::atomic<int>* shown) {
    auto call = client->start(read_of("known"), {.stop = *stop});
    const auto read = co_await call;
    co_return !read && read.error().cause == Cause::cancelled && *shown == 1;
}

// What it was given for the call is gone afterwards.
TEST(CosmosCoroutine, that_is_stopped_has_told_its_story_before_it_goes_on) {
    Stage stage{account_of(1)};
    std::atomic<int> shown = 0;
    ClientOptions options = stage.options_for();
    options.slow = {.point = 0ms, .other = 0ms, .show = [&](const Story&) { ++shown; }};
    Client watched{options};
    ASSERT_TRUE(watched.send(read_of("known")));
    shown = 0;
    stage->plan({{.resource = "docs", .delay = 10s}});
    std::stop_source stop;
    const std::jthread stopper{[&] {
        while (stage->struck()[0] == 0) std::this_thread::yield();
        stop.request_stop();
    }};
    const std::stop_token token = stop.get_token();
    EXPECT_TRUE(block_on(net::default_reactor(), was_shown(&watched, &token, &shown)));
}

TEST(CosmosClock, that_is_put_right_again_does_not_lock_the_client_out) {
    Stage stage{account_of(1)};
    WrongWall clock{-1h};
    Client client{stage.options_for(quick(), Environment{clock})};
    const auto late = client.send(read_of("known"));
    ASSERT_TRUE(late) << to_string(late.error());
    clock.put_right();
    const auto right = client.send(read_of("known"));
    EXPECT_TRUE(right) << to_string(right.error());
}

TEST(CosmosPrewarm, connects_to_the_best_region) {
    Stage stage;
    Client client{stage.options_for()};
    const auto idle = client.prewarm(2);
    ASSERT_TRUE(idle) << to_string(idle.error());
    EXPECT_EQ(*idle, 2);
    Story story;
    ASSERT_TRUE(client.send(read_of("known"), {.story = &story}));
    ASSERT_EQ(story.call.attempts().size(), 1u);
    ASSERT_TRUE(story.call.attempts()[0].phases);
    EXPECT_TRUE(story.call.attempts()[0].phases->reused);
}

// The account's document is throttled by a budget of its own; that is an answer too.
TEST(CosmosProbes, take_a_refusal_for_a_sign_of_life) {
    Stage stage;
    ClientOptions options = stage.options_for();
    options.regions.probe_every = 10ms;
    Client client{options};
    ASSERT_TRUE(client.send(read_of("known")));
    stage->set("East US", RegionState::refusing).value();
    ASSERT_TRUE(client.send(read_of("known")));
    EXPECT_EQ(client.read_regions().front(), "West US");
    stage->plan({{.region = "East US", .resource = "account", .status = 401}});
    stage->set("East US", RegionState::up).value();
    const TimePoint end = system_clock().now() + 20s;
    while (client.read_regions().front() != "East US" && system_clock().now() < end)
        ASSERT_TRUE(client.send(read_of("known")));
    EXPECT_EQ(client.read_regions().front(), "East US");
}

}  // namespace
}  // namespace perdure::cosmos
