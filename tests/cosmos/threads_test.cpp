// SPDX-License-Identifier: Apache-2.0
//
// What happens when many share one client, and when somebody no longer waits?
#include "cosmos/staged.hpp"

#include <atomic>
#include <barrier>
#include <thread>

namespace perdure::cosmos {
namespace {

TEST(CosmosThreads, read_the_account_and_the_ranges_once_for_all) {
    Stage stage;
    Client client{stage.options_for()};
    constexpr int crew_size = 16;
    std::atomic<int> good = 0;
    std::barrier together{crew_size};
    {
        std::vector<std::jthread> crew;
        for (int i = 0; i < crew_size; ++i)
            crew.emplace_back([&, i] {
                together.arrive_and_wait();
                if (client.send(create_of("t" + std::to_string(i)))) ++good;
                for (int n = 0; n < 20; ++n)
                    if (client.send(read_of("t" + std::to_string(i)))) ++good;
            });
    }
    EXPECT_EQ(good, crew_size * 21);
    stage.told();
    EXPECT_EQ(stage.account_reads(), 1u);
    EXPECT_LE(stage.range_reads(), 4u);
}

TEST(CosmosThreads, learn_of_a_failover_together) {
    Stage stage;
    Client client{stage.options_for()};
    ASSERT_TRUE(client.send(read_of("known")));
    stage->fail_over("West US", chaos::FailOver::caught_up).value();
    stage.told();
    constexpr int crew_size = 16;
    std::atomic<int> good = 0;
    {
        std::vector<std::jthread> crew;
        for (int i = 0; i < crew_size; ++i)
            crew.emplace_back([&, i] {
                const auto made = client.send(create_of("t" + std::to_string(i)));
                EXPECT_TRUE(made) << to_string(made.error());
                if (made) ++good;
            });
    }
    EXPECT_EQ(good, crew_size);
    stage.told();
    // Whoever asks while a document is on its way shares the next one.
    EXPECT_LE(stage.account_reads(), static_cast<std::size_t>(crew_size));
}

TEST(CosmosThreads, may_stop_a_call_that_waits_for_the_account) {
    Stage stage;
    stage->set("global", RegionState::black_hole).value();
    Client client{stage.options_for()};
    std::stop_source stop;
    std::atomic<bool> begun = false;
    Result<Item> read = fail({});
    {
        std::jthread caller{[&] {
            begun = true;
            read = client.send(read_of("known"), {.stop = stop.get_token()});
        }};
        while (!begun) std::this_thread::yield();
        stop.request_stop();
    }
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().stop, Stop::cancelled) << to_string(read.error());
    EXPECT_EQ(read.error().effect, Effect::none);
}

TEST(CosmosCoroutine, that_is_never_awaited_asks_nobody) {
    Stage stage;
    Client client{stage.options_for()};
    for (int i = 0; i < 10; ++i) const auto dropped = client.start(read_of("known"));
    EXPECT_EQ(stage.told(), "");
    EXPECT_EQ(stage.account_reads(), 0u);
}

// Its clerk may be in the middle of a fetch that is never answered.
TEST(CosmosClientAlone, ends_while_its_account_never_answers) {
    Stage stage;
    stage->set("global", RegionState::black_hole).value();
    const TimePoint began = system_clock().now();
    {
        Client client{stage.options_for()};
        EXPECT_FALSE(client.send(read_of("known"), {.deadline = within(50ms)}));
    }
    EXPECT_LT(system_clock().now() - began, 5s);
}

}  // namespace
}  // namespace perdure::cosmos
