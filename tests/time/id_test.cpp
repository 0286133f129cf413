// SPDX-License-Identifier: Apache-2.0
#include "perdure/time/id.hpp"

#include "perdure/testing/fixed_random.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>

namespace {

using perdure::new_id;
using perdure::SeededRandom;
using perdure::testing::FixedRandom;

bool fits(char letter, char pattern) {
    const std::string_view allowed = pattern == 'v'   ? "89ab"
                                     : pattern == 'x' ? "0123456789abcdef"
                                                      : std::string_view{&pattern, 1};
    return allowed.find(letter) != std::string_view::npos;
}

bool is_version_4(std::string_view id) {
    constexpr std::string_view layout = "xxxxxxxx-xxxx-4xxx-vxxx-xxxxxxxxxxxx";
    return std::equal(id.begin(), id.end(), layout.begin(), layout.end(), fits);
}

TEST(Id, keeps_version_and_variant_whatever_the_bits_are) {
    FixedRandom none{0.0}, all{1.0};
    EXPECT_EQ(new_id(none), "00000000-0000-4000-8000-000000000000");
    EXPECT_EQ(new_id(all), "ffffffff-ffff-4fff-bfff-ffffffffffff");
}

TEST(Id, repeats_for_a_seed) {
    SeededRandom first{11}, again{11};
    const std::string id = new_id(first);
    EXPECT_EQ(id, new_id(again));
    EXPECT_NE(id, new_id(first));
}

TEST(Id, lets_every_random_bit_vary) {
    SeededRandom random{3};
    std::string low(36, 'z'), high(36, '\0');
    for (int made = 0; made < 1000; ++made) {
        const std::string id = new_id(random);
        for (std::size_t place = 0; place < id.size(); ++place) {
            low[place] = std::min(low[place], id[place]);
            high[place] = std::max(high[place], id[place]);
        }
    }
    EXPECT_EQ(low, "00000000-0000-4000-8000-000000000000");
    EXPECT_EQ(high, "ffffffff-ffff-4fff-bfff-ffffffffffff");
}

TEST(IdThreads, make_a_hundred_thousand_without_a_repeat) {
    std::vector<std::vector<std::string>> made(4);
    {
        std::vector<std::jthread> workers;
        for (auto& mine : made)
            workers.emplace_back([&mine] {
                for (int id = 0; id < 25'000; ++id) mine.push_back(new_id());
            });
    }
    std::unordered_set<std::string> all;
    for (const auto& mine : made)
        for (const auto& id : mine) {
            ASSERT_TRUE(is_version_4(id)) << id;
            ASSERT_TRUE(all.insert(id).second) << id << " was made twice";
        }
    EXPECT_EQ(all.size(), 100'000U);
}

}  // namespace
