// SPDX-License-Identifier: Apache-2.0
#include "perdure/time/jitter.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "perdure/time/random.hpp"
#include "time/tenths.hpp"

namespace perdure {
namespace {

using Change = Duration (*)(Duration, double, double) noexcept;

TEST(Jitter, reaches_from_one_end_to_the_other) {
    struct Case {
        std::string name;
        Change change;
        Duration at_0, at_half, at_1;
    };
    const Case cases[] = {
        {"lengthened", lengthened, 10s, 10'500ms, 11s},
        {"shortened", shortened, 9s, 9'500ms, 10s},
        {"varied", varied, 9s, 10s, 11s},
    };
    for (const Case& each : cases) {
        SCOPED_TRACE(each.name);
        EXPECT_EQ(each.change(10s, 0, 0.1), each.at_0);
        EXPECT_EQ(each.change(10s, 0.5, 0.1), each.at_half);
        EXPECT_EQ(each.change(10s, 1, 0.1), each.at_1);
        EXPECT_EQ(each.change(10s, 0.3, 0), 10s) << "no share, no jitter";
        EXPECT_EQ(each.change(0s, 0.3, 0.1), 0s);
        EXPECT_EQ(each.change(-1s, 0.3, 0.1), -1s);
        EXPECT_EQ(each.change(never, 0.3, 0.1), never);
    }
    EXPECT_EQ(lengthened(5s, 1), 5'500ms) << "a tenth if nothing is said";
}

TEST(Jitter, is_exact_for_the_period_itself_and_does_not_overflow) {
    const Duration long_time = never - 1ns;
    EXPECT_EQ(lengthened(long_time, 0), long_time);
    EXPECT_EQ(shortened(long_time, 1), long_time);
    EXPECT_EQ(varied(long_time, 0.5), long_time);
    EXPECT_EQ(lengthened(long_time, 1), never);
    EXPECT_LT(shortened(long_time, 0), long_time);
}

TEST(Jitter, spreads_timers_evenly) {
    SeededRandom random{1};
    std::vector<Duration> waits(10'000);
    for (Duration& wait : waits) wait = lengthened(10s, random.next());
    EXPECT_LT(fullest_tenth(waits, 10s, 11s), 0.11) << "seed 1";
}

}  // namespace
}  // namespace perdure
