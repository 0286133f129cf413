// SPDX-License-Identifier: Apache-2.0
#include "perdure/time/random.hpp"

#include <array>
#include <cstdint>
#include <set>
#include <thread>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using perdure::Random;
using perdure::SeededRandom;
using perdure::system_random;

std::vector<std::uint64_t> draw(Random& random, std::size_t count) {
    std::vector<std::uint64_t> drawn;
    while (drawn.size() < count) drawn.push_back(random.bits());
    return drawn;
}

// What a forked child draws first, handed back through a pipe; 0 if anything went wrong.
std::uint64_t first_draw_of_a_child(Random& random) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return 0;
    const pid_t child = fork();
    if (child == 0) {
        const std::uint64_t drawn = random.bits();
        _exit(write(ends[1], &drawn, sizeof drawn) == sizeof drawn ? 0 : 1);
    }
    close(ends[1]);
    std::uint64_t drawn = 0;
    const bool complete = read(ends[0], &drawn, sizeof drawn) == sizeof drawn;
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return complete && status == 0 ? drawn : 0;
}

TEST(SeededRandom, draws_the_published_sequence_of_its_algorithm) {
    // The first words of xoshiro256++ from the state 1, 2, 3, 4.
    perdure::Xoshiro generator{{1, 2, 3, 4}};
    EXPECT_EQ(generator(), 41943041U);
    EXPECT_EQ(generator(), 58720359U);
    EXPECT_EQ(generator(), 3588806011781223U);
}

TEST(SeededRandom, never_changes_what_a_seed_means) {
    SeededRandom random{42};
    EXPECT_EQ(draw(random, 3), (std::vector<std::uint64_t>{0xd0764d4f4476689fU, 0x519e4174576f3791U,
                                                           0xfbe07cfb0c24ed8cU}));
}

TEST(SeededRandom, repeats_itself_for_the_same_seed_only) {
    SeededRandom first{7}, again{7}, other{8};
    const auto drawn = draw(first, 1000);
    EXPECT_EQ(drawn, draw(again, 1000));
    const auto others = draw(other, 1000);
    std::set<std::uint64_t> all(drawn.begin(), drawn.end());
    all.insert(others.begin(), others.end());
    EXPECT_EQ(all.size(), 2000U);
}

TEST(SeededRandom, cannot_be_copied_because_a_copy_repeats_its_jitter) {
    EXPECT_FALSE(std::is_copy_constructible_v<SeededRandom>);
    EXPECT_FALSE(std::is_copy_assignable_v<SeededRandom>);
    EXPECT_FALSE(std::is_move_constructible_v<SeededRandom>);
}

TEST(SeededRandom, spreads_evenly_over_zero_to_one_without_one) {
    SeededRandom random{1};
    std::array<int, 10> bins{};
    for (int drawn = 0; drawn < 100'000; ++drawn) {
        const double number = random.next();
        ASSERT_GE(number, 0.0);
        ASSERT_LT(number, 1.0);
        ++bins[static_cast<std::size_t>(number * 10)];
    }
    for (const int bin : bins) EXPECT_NEAR(bin, 10'000, 500);  // five standard deviations
}

TEST(Random, stays_below_one_even_when_every_bit_is_set) {
    struct Ones final : Random {
        std::uint64_t bits() override { return ~std::uint64_t{0}; }
    } ones;
    EXPECT_LT(ones.next(), 1.0);
    EXPECT_GT(ones.next(), 0.999'999);
}

// Each source that the process shares.
class SystemRandom : public ::testing::TestWithParam<Random& (*)()> {};
INSTANTIATE_TEST_SUITE_P(OfTheProcess, SystemRandom,
                         ::testing::Values(&system_random, &perdure::unpredictable_random));

TEST_P(SystemRandom, does_not_repeat_itself) {
    const auto drawn = draw(GetParam()(), 10'000);
    EXPECT_EQ(std::set<std::uint64_t>(drawn.begin(), drawn.end()).size(), drawn.size());
}

TEST_P(SystemRandom, gives_a_forked_child_other_numbers_than_its_parent) {
    Random& random = GetParam()();
    static_cast<void>(random.bits());  // the parent's state exists and is inherited
    const std::uint64_t child = first_draw_of_a_child(random);
    const std::uint64_t sibling = first_draw_of_a_child(random);
    const std::uint64_t parent = random.bits();
    EXPECT_NE(child, 0U);
    EXPECT_NE(sibling, 0U);
    EXPECT_NE(child, parent);
    EXPECT_NE(sibling, parent);
    EXPECT_NE(child, sibling);
}

void expect_threads_draw_apart(Random& (*random)()) {
    constexpr std::size_t threads = 8, draws = 1000;
    std::vector<std::vector<std::uint64_t>> drawn(threads);
    {
        std::vector<std::jthread> workers;
        workers.reserve(threads);
        for (auto& mine : drawn)
            workers.emplace_back([&mine, random] { mine = draw(random(), draws); });
    }
    std::set<std::uint64_t> all;
    for (const auto& mine : drawn) all.insert(mine.begin(), mine.end());
    EXPECT_EQ(all.size(), threads * draws);
}

TEST(SystemRandomThreads, each_draw_numbers_of_their_own) {
    expect_threads_draw_apart(&system_random);
    expect_threads_draw_apart(&perdure::unpredictable_random);
}

}  // namespace
