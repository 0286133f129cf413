// SPDX-License-Identifier: Apache-2.0
//
// How long does the client sleep between two looks at the account, and at a region that is lost?
#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "cosmos/staged.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "time/tenths.hpp"

namespace perdure::cosmos {
namespace {

// The system's clock, with a record of everybody who sleeps for long.
class SleepClock final : public Clock {
public:
    [[nodiscard]] TimePoint now() const noexcept override { return system_clock().now(); }
    [[nodiscard]] WallTime wall() const noexcept override { return system_clock().wall(); }
    Woken sleep_until(TimePoint until, const std::stop_token& stop) override {
        if (const Duration sleep = until - now(); sleep > 30s) {
            const std::lock_guard held{mutex_};
            sleeps_[std::this_thread::get_id()] = sleep;
            changed_.notify_all();
        }
        return system_clock().sleep_until(until, stop);
    }
    // The latest sleep of each thread, as soon as so many threads sleep.
    std::vector<Duration> sleeps(std::size_t threads) {
        std::unique_lock held{mutex_};
        changed_.wait_for(held, 20s, [&] { return sleeps_.size() >= threads; });
        std::vector<Duration> all;
        for (const auto& [thread, sleep] : sleeps_) all.push_back(sleep);
        return all;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::thread::id, Duration> sleeps_;
};

constexpr Duration slack = 5s;  // a sleep is measured a little after it was worked out

ClientOptions watched(const Stage& stage, Clock& clock, Random& random) {
    ClientOptions options = stage.options_for(quick(), {.clock = clock, .random = random});
    options.regions = {.probe_every = 1h, .refresh_every = 100s};
    return options;
}

TEST(CosmosTimers, read_the_account_again_up_to_a_tenth_later_than_they_say) {
    Stage stage;
    for (const auto& [draw, wait] : {std::pair{0.0, 100s}, {1.0, 110s}}) {
        SleepClock clock;
        testing::FixedRandom random{draw};
        Client client{watched(stage, clock, random)};
        ASSERT_TRUE(client.send(read_of("known")));
        const auto sleeps = clock.sleeps(1);
        ASSERT_EQ(sleeps.size(), 1u);
        EXPECT_LE(sleeps[0], wait);
        EXPECT_GT(sleeps[0], wait - slack);
    }
}

TEST(CosmosTimers, ask_a_lost_region_again_up_to_a_tenth_later_than_they_say) {
    Stage stage;
    stage->set("East US", RegionState::refusing).value();
    for (const auto& [draw, wait] : {std::pair{0.0, 100s}, {1.0, 110s}}) {
        SleepClock clock;
        testing::FixedRandom random{draw};
        ClientOptions options = watched(stage, clock, random);
        options.regions = {.probe_every = 100s, .refresh_every = 1h, .refresh_apart = 0s};
        Client client{options};
        ASSERT_TRUE(client.send(read_of("known")));
        const auto sleeps = clock.sleeps(2);
        ASSERT_EQ(sleeps.size(), 2u) << "who reads the account, and who probes";
        for (const Duration sleep : sleeps) {
            EXPECT_LE(sleep, wait);
            EXPECT_GT(sleep, wait - slack);
        }
    }
}

TEST(CosmosTimers, of_a_fleet_do_not_end_together) {
    Stage stage;
    std::vector<Duration> waits;
    for (int number = 0; number < 20; ++number) {
        SleepClock clock;
        Client client{watched(stage, clock, system_random())};
        ASSERT_TRUE(client.send(read_of("known")));
        const auto sleeps = clock.sleeps(1);
        waits.insert(waits.end(), sleeps.begin(), sleeps.end());
    }
    ASSERT_EQ(waits.size(), 20u);
    EXPECT_LT(fullest_tenth(waits, 95s, 110s), 0.9);
}

}  // namespace
}  // namespace perdure::cosmos
