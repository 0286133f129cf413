// SPDX-License-Identifier: Apache-2.0
#include "perdure/time/periodic.hpp"

#include "perdure/time/id.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace {

using perdure::Duration;
using perdure::even_offset;
using perdure::host_identity;
using perdure::Schedule;
using perdure::stable_offset;
using perdure::WallTime;
using perdure::operator""h;
using perdure::operator""s;
using perdure::operator""ms;
using perdure::operator""ns;

constexpr std::uint64_t last_epoch = std::numeric_limits<std::uint64_t>::max();

WallTime at(Duration since_1970) { return WallTime{since_1970}; }

TEST(StableOffset, never_moves_a_job) {
    const struct {
        std::string_view host, job;
        Duration window;
        std::uint64_t epoch;
        Duration expected;
    } cases[] = {
        {"host-1", "purge", 60s, 0, 5'638'613'318ns},
        {"host-2", "purge", 60s, 0, 8'147'570'348ns},
        {"host-1", "refresh", 60s, 0, 35'407'533'605ns},
        {"host-1", "purge", 1h, 0, 338'316'799'124ns},
        {"host-1", "purge", 60s, 1, 752'670'920ns},
        {"host-1", "purge", 60s, last_epoch, 50'040'567'879ns},
        {"", "", 60s, 0, 41'298'069'698ns},
        {"4b1f0c8e6a5d4f7c9e2b1a0d3c5f7e91", "account-refresh", 300s, 0, 19'764'715'740ns},
        {"host-1", "purge", 1ns, 0, 0ns},
        {"host-1", "purge", Duration::max(), 0, 866'783'806'844'445'961ns},
        {"host-1", "purge", 0ns, 0, 0ns},
        {"host-1", "purge", -60s, 0, 0ns},
    };
    for (const auto& [host, job, window, epoch, expected] : cases)
        EXPECT_EQ(stable_offset(host, job, window, epoch), expected)
            << host << ' ' << job << ' ' << window.count() << ' ' << epoch;
}

TEST(StableOffset, keeps_host_and_job_apart) {
    EXPECT_NE(stable_offset("ab", "c", 1h), stable_offset("a", "bc", 1h));
}

TEST(StableOffset, spreads_ten_thousand_hosts_over_a_minute) {
    std::array<int, 60> seconds{};
    for (int host = 0; host < 10'000; ++host) {
        const Duration offset = stable_offset("host-" + std::to_string(host), "purge", 60s);
        ASSERT_GE(offset, 0ns);
        ASSERT_LT(offset, 60s);
        ++seconds[static_cast<std::size_t>(offset / 1s)];
    }
    EXPECT_LE(*std::max_element(seconds.begin(), seconds.end()), 230);  // the mean is 167
    EXPECT_GE(*std::min_element(seconds.begin(), seconds.end()), 110);
}

TEST(EvenOffset, gives_no_second_more_than_its_share) {
    for (const std::uint32_t count : {1U, 59U, 60U, 61U, 1000U, 10'000U}) {
        std::array<std::uint32_t, 60> seconds{};
        for (std::uint32_t index = 0; index < count; ++index)
            ++seconds[static_cast<std::size_t>(even_offset(index, count, 60s) / 1s)];
        EXPECT_EQ(*std::max_element(seconds.begin(), seconds.end()), (count + 59) / 60) << count;
    }
}

TEST(EvenOffset, stays_inside_its_window_at_every_extreme) {
    constexpr std::uint32_t most = std::uint32_t{1} << 31;
    EXPECT_EQ(even_offset(0, 1, 60s), 30s);
    EXPECT_EQ(even_offset(0, 4, 60s), 7500ms);
    EXPECT_EQ(even_offset(3, 4, 60s), 52'500ms);
    EXPECT_EQ(even_offset(7, 4, 60s), even_offset(3, 4, 60s));
    EXPECT_EQ(even_offset(0, 0, 60s), 0ns);
    EXPECT_EQ(even_offset(1, 4, 0ns), 0ns);
    EXPECT_EQ(even_offset(1, 4, -60s), 0ns);
    EXPECT_EQ(even_offset(0, 2, Duration::max()), Duration::max() / 4);
    EXPECT_LT(even_offset(most - 1, most, Duration::max()), Duration::max());
    EXPECT_GT(even_offset(most - 1, most, Duration::max()), Duration::max() - 10s);
    EXPECT_EQ(even_offset(most - 1, most, 1s), 999'999'999ns);
}

TEST(HostIdentity, is_there_and_stays) {
    EXPECT_FALSE(host_identity().empty());
    EXPECT_EQ(host_identity(), host_identity());
}

TEST(HostIdentity, is_the_first_word_of_the_file_or_else_the_host_name) {
    const std::string path = ::testing::TempDir() + "machine-id-" + perdure::new_id();
    const auto identity_of = [&path](std::string_view content) {
        std::ofstream{path} << content;
        return host_identity(path);
    };
    const std::string host_name = host_identity(path);  // not written yet
    EXPECT_FALSE(host_name.empty());
    EXPECT_EQ(identity_of("4b1f0c8e6a5d4f7c9e2b1a0d3c5f7e91\n"),
              "4b1f0c8e6a5d4f7c9e2b1a0d3c5f7e91");
    EXPECT_EQ(identity_of(""), host_name);
    EXPECT_EQ(identity_of("\n"), host_name);
    EXPECT_EQ(identity_of("uninitialized\n"), host_name);
    std::remove(path.c_str());
}

TEST(Schedule, fires_at_multiples_of_its_period_plus_its_offset) {
    const struct {
        const char* when;
        Schedule schedule;
        WallTime now, expected;
    } cases[] = {
        {"before the offset", {10s, 3s}, at(0s), at(3s)},
        {"a nanosecond before", {10s, 3s}, at(3s - 1ns), at(3s)},
        {"exactly then: the next one", {10s, 3s}, at(3s), at(13s)},
        {"a nanosecond after", {10s, 3s}, at(3s + 1ns), at(13s)},
        {"long after: missed ones are skipped", {10s, 3s}, at(1'000'000s), at(1'000'003s)},
        {"no offset", {10s, 0s}, at(25s), at(30s)},
        {"an offset of a period is none", {10s, 10s}, at(25s), at(30s)},
        {"an offset of several periods", {10s, 43s}, at(0s), at(3s)},
        {"a negative offset", {10s, -7s}, at(0s), at(3s)},
        {"before 1970", {10s, 3s}, at(-5s), at(3s)},
        {"further before 1970", {10s, 3s}, at(-7s), at(3s)},
        {"still further before 1970", {10s, 3s}, at(-8s), at(-7s)},
        {"the shortest period", {1ns, 0ns}, at(5ns), at(6ns)},
        {"a period of zero never fires", {0s, 0s}, at(5s), WallTime::max()},
        {"a negative period never fires", {-10s, 3s}, at(5s), WallTime::max()},
        {"a huge period", {Duration::max(), 3s}, at(0s), at(3s)},
        {"a huge period, its time past", {Duration::max(), 3s}, at(5s), WallTime::max()},
        {"a huge offset", {10s, Duration::max()}, at(0s), at(Duration::max() % 10s)},
        {"the smallest offset", {10s, Duration::min()}, at(0s), at(10s + Duration::min() % 10s)},
        {"the end of time", {10s, 3s}, WallTime::max(), WallTime::max()},
        {"the beginning of time", {10s, 0s}, WallTime::min(), at(Duration::min() / 10s * 10s)},
    };
    for (const auto& [when, schedule, now, expected] : cases) {
        SCOPED_TRACE(when);
        EXPECT_EQ(schedule.next_after(now), expected);
    }
}

TEST(Schedule, says_how_long_to_wait) {
    const Schedule schedule{10s, 3s};
    EXPECT_EQ(schedule.until_next(at(3s)), 10s);
    EXPECT_EQ(schedule.until_next(at(12'999ms)), 1ms);
    EXPECT_EQ(Schedule{}.until_next(at(3s)), perdure::never);
}

TEST(Schedule, does_not_drift_with_the_length_of_the_job) {
    const Schedule schedule{10s, 3s};
    std::vector<WallTime> started, expected;
    WallTime now = at(0s);
    for (int run = 0; run < 100; ++run) {
        now += schedule.until_next(now);
        started.push_back(now);
        expected.push_back(at(3s + run * 10s));
        now += 1700ms;
    }
    EXPECT_EQ(started, expected);
}

TEST(Schedule, skips_what_a_long_job_missed) {
    const Schedule schedule{10s, 3s};
    EXPECT_EQ(schedule.next_after(at(3s) + 25s), at(33s));
}

TEST(Schedule, keeps_to_its_grid_when_the_clock_jumps_forward) {
    const Schedule schedule{10s, 3s};
    EXPECT_EQ(schedule.next_after(at(3s) + 1h, at(3s)), at(3s) + 1h + 10s);
    EXPECT_EQ(schedule.next_after(at(4s) + 1h, at(3s)), at(3s) + 1h + 10s);
}

TEST(Schedule, does_not_run_twice_when_the_clock_steps_back_a_little) {
    const Schedule schedule{10s, 3s};
    const WallTime fired = at(103s);
    EXPECT_EQ(schedule.next_after(fired + 1s, fired), at(113s));
    EXPECT_EQ(schedule.next_after(fired, fired), at(113s));
    EXPECT_EQ(schedule.next_after(fired - 1ns, fired), at(113s));
    EXPECT_EQ(schedule.next_after(fired - 10s, fired), at(113s));
}

TEST(Schedule, believes_a_clock_that_steps_back_by_more_than_a_period) {
    const Schedule schedule{10s, 3s};
    const WallTime fired = at(103s) + 24h * 365;
    EXPECT_EQ(schedule.next_after(at(104s), fired), at(113s));
}

TEST(Schedule, comes_strictly_later_and_within_one_period_whatever_the_clock_says) {
    constexpr std::uint64_t seed = 1970;
    SCOPED_TRACE(seed);
    perdure::SeededRandom random{seed};
    for (int drawn = 0; drawn < 100'000; ++drawn) {
        const Schedule schedule{Duration{static_cast<std::int64_t>(random.bits() >> 20) + 1},
                                Duration{static_cast<std::int64_t>(random.bits())}};
        const WallTime now = at(Duration{static_cast<std::int64_t>(random.bits()) / 2});
        const WallTime next = schedule.next_after(now);
        ASSERT_GT(next, now);
        ASSERT_LE(next - now, schedule.period);
        ASSERT_EQ(schedule.next_after(next), next + schedule.period);
        ASSERT_EQ(schedule.next_after(next - 1ns), next);
    }
}

}  // namespace
