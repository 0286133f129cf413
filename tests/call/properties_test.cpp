// SPDX-License-Identifier: Apache-2.0
//
// Promises that hold for every plan, every operation and every sequence of outcomes; what they are
// is written in trial.hpp.
#include "trial.hpp"

#include <gtest/gtest.h>

#include <random>

namespace perdure::testing {
namespace {

TEST(Properties, hold_in_twenty_thousand_random_conversations) {
    for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
        std::mt19937_64 dice{seed};
        SeededRandom random{seed};
        Choices choices{
            [&](std::uint32_t bound) { return static_cast<std::uint32_t>(dice() % bound); }};
        try {
            try_calls(choices, random, 1 + static_cast<int>(choices.below(6)));
        } catch (const std::logic_error& broken) {
            FAIL() << "seed " << seed << ": it is not so that " << broken.what();
        }
    }
}

}  // namespace
}  // namespace perdure::testing
