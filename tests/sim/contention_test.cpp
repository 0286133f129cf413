// SPDX-License-Identifier: Apache-2.0
//
// Does the library's own back-off do in AWS's model what AWS's program did?
#include "perdure/sim/contention.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "contention_table.hpp"
#include "evidence.hpp"
#include "perdure/sim/summary.hpp"

namespace perdure::testing {
namespace {

using namespace sim;

constexpr std::array<const char*, 5> names{"none", "exponential", "equal", "full", "decorrelated"};
constexpr int reference_seeds = 300;

// AWS's program counts the first retry as number 1, so its first window is two bases wide.
Backoff backoff(std::size_t column) {
    const Backoff full{.base = 5ms, .cap = 2s, .skip = 1};
    Backoff made = full;
    if (column == 0) made.base = Duration::zero();
    if (column == 1) made.jitter = Jitter::none;
    if (column == 2) made.jitter = Jitter::equal;
    if (column == 4) made.curve = Curve::decorrelated;
    return made;
}

struct Measured {
    std::vector<double> calls, milliseconds;
};

Measured measure(int clients, std::size_t column, int seeds) {
    const Contest contest{.clients = clients, .plan = contention_plan(backoff(column))};
    Measured measured;
    for (int seed = 1; seed <= seeds; ++seed) {
        const Contended one = contend(contest, static_cast<std::uint64_t>(seed));
        measured.calls.push_back(static_cast<double>(one.calls));
        measured.milliseconds.push_back(static_cast<double>(one.time.count()) / 1e6);
    }
    return measured;
}

// The reference is printed to a digit: half of it is no difference.
double z(const Expected& expected, std::span<const double> values, double last_digit) {
    const double off =
        std::max(0.0, std::abs(summarise(values).mean - expected.mean) - last_digit / 2);
    if (expected.deviation == 0) return off == 0 ? 0 : HUGE_VAL;
    const double n = static_cast<double>(values.size());
    return off / (expected.deviation * std::sqrt(1.0 / reference_seeds + 1 / n));
}

struct Cells {
    int all = 0, beyond_three = 0;
};

// Rows are shared out, and every thread writes into its own.
Cells compare(int most_clients, int seeds) {
    std::array<std::array<std::array<double, 2>, 5>, contention_calls.size()> found{};
    const auto one_thread = [&](std::size_t first) {
        for (std::size_t row = first; row < found.size(); row += 2)
            for (std::size_t column = 0; column < names.size(); ++column) {
                const int clients = contention_calls[row].clients;
                if (clients > most_clients) continue;
                const Measured measured = measure(clients, column, seeds);
                found[row][column] = {
                    z(contention_calls[row].cells[column], measured.calls, 0.1),
                    z(contention_time[row].cells[column], measured.milliseconds, 1)};
            }
    };
    std::thread other{one_thread, 1U};
    one_thread(0);
    other.join();

    Cells cells;
    for (std::size_t row = 0; row < found.size(); ++row)
        for (std::size_t column = 0; column < names.size(); ++column)
            for (std::size_t what = 0; what < 2 && contention_calls[row].clients <= most_clients;
                 ++what) {
                const double score = found[row][column][what];
                ++cells.all;
                cells.beyond_three += score > 3;
                EXPECT_LE(score, 4.5)
                    << names[column] << ", " << contention_calls[row].clients << " clients, "
                    << (what == 0 ? "calls" : "time") << ", seeds 1 to " << seeds;
            }
    return cells;
}

TEST(Contention, counts_one_call_for_one_client_and_three_for_two) {
    for (std::size_t column = 0; column < names.size(); ++column)
        for (const auto& [clients, calls] : {std::pair{1, 1U}, std::pair{2, 3U}})
            for (std::uint64_t seed = 1; seed <= 300; ++seed) {
                SCOPED_TRACE(std::string{names[column]} + ", seed " + std::to_string(seed));
                const Contest contest{.clients = clients, .plan = contention_plan(backoff(column))};
                EXPECT_EQ(contend(contest, seed).calls, calls);
            }
}

TEST(Contention, agrees_with_the_program_of_aws_up_to_fifty_clients) {
    const Cells cells = compare(50, 300);
    EXPECT_LE(cells.beyond_three, std::max(1, cells.all / 100)) << "of " << cells.all;
}

TEST(SimFull, contention_agrees_with_the_program_of_aws_up_to_two_hundred_clients) {
    if (!full_run_wanted()) GTEST_SKIP() << "takes a minute; set PERDURE_SIM_FULL";
    const Cells cells = compare(200, 300);
    EXPECT_LE(cells.beyond_three, cells.all / 100) << "of " << cells.all;
}

TEST(Contention, gives_the_same_numbers_for_the_same_seed) {
    const Contest contest{.clients = 40, .plan = contention_plan(backoff(3))};
    const Contended once = contend(contest, 7);
    const Contended again = contend(contest, 7);
    EXPECT_EQ(once.calls, again.calls);
    EXPECT_EQ(once.time, again.time);
    EXPECT_NE(once.time, contend(contest, 8).time);
}

TEST(Contention, shows_full_jitter_more_than_halving_the_calls_of_bare_exponential_backoff) {
    const double bare = summarise(measure(100, 1, 20).calls).mean;
    EXPECT_LT(summarise(measure(100, 3, 20).calls).mean, bare / 2);
    EXPECT_LT(summarise(measure(100, 2, 20).calls).mean, bare / 2);
}

}  // namespace
}  // namespace perdure::testing
