// SPDX-License-Identifier: Apache-2.0
#include "perdure/stats/counters.hpp"

#include <latch>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace {

using perdure::CallCounts;
using perdure::Count;
using perdure::count_kinds;
using perdure::Counters;
using perdure::to_string;

TEST(Counters, start_at_nothing) { EXPECT_EQ(Counters{}.snapshot(), CallCounts{}); }

TEST(Counters, add_to_the_count_that_was_named_and_to_no_other) {
    for (std::size_t kind = 0; kind < count_kinds; ++kind) {
        const auto count = static_cast<Count>(kind);
        SCOPED_TRACE(to_string(count));
        Counters counters;
        counters.add(count);
        counters.add(count, 4);
        const CallCounts counts = counters.snapshot();
        for (std::size_t other = 0; other < count_kinds; ++other) {
            const std::uint64_t expected = other == kind ? 5 : 0;
            EXPECT_EQ(counters[static_cast<Count>(other)], expected);
            EXPECT_EQ(counts[static_cast<Count>(other)], expected);
        }
    }
}

TEST(Counters, are_read_by_field_or_by_name) {
    Counters counters;
    counters.add(Count::calls_failed, 1);
    counters.add(Count::retries_helped, 2);
    counters.add(Count::unknown_outcomes, 3);
    CallCounts expected;
    expected.calls_failed = 1;
    expected.retries_helped = 2;
    expected.unknown_outcomes = 3;
    EXPECT_EQ(counters.snapshot(), expected);
    EXPECT_EQ(expected[Count::retries_helped], 2U);
}

TEST(Counters, have_names_of_their_own) {
    EXPECT_EQ(to_string(Count::retries_refused), "retries_refused");
    EXPECT_EQ(to_string(Count::unknown_outcomes), "unknown_outcomes");
    std::set<std::string_view> names;
    for (std::size_t kind = 0; kind < count_kinds; ++kind)
        names.insert(to_string(static_cast<Count>(kind)));
    EXPECT_EQ(names.size(), count_kinds);
}

TEST(CountersThreads, lose_nothing) {
    constexpr std::uint64_t workers = 4, times = 500'000;
    Counters counters;
    std::latch ready{workers};
    {
        std::vector<std::jthread> threads;
        threads.reserve(workers);
        for (std::uint64_t worker = 0; worker < workers; ++worker)
            threads.emplace_back([&] {
                ready.arrive_and_wait();
                for (std::uint64_t n = 0; n < times; ++n) counters.add(Count::retries_made);
            });
    }
    EXPECT_EQ(counters[Count::retries_made], workers * times);
}

}  // namespace
