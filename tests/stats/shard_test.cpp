// SPDX-License-Identifier: Apache-2.0
#include "perdure/stats/shard.hpp"

#include <array>
#include <cstddef>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace {

using perdure::shard_count;
using perdure::this_thread_shard;

TEST(Shard, stays_the_same_for_the_life_of_a_thread) {
    const unsigned mine = this_thread_shard();
    EXPECT_LT(mine, shard_count);
    EXPECT_EQ(this_thread_shard(), mine);
}

TEST(ShardThreads, are_dealt_out_evenly) {
    std::array<unsigned, std::size_t{4} * shard_count> shards{};
    {
        std::vector<std::jthread> workers;
        for (unsigned& shard : shards)
            workers.emplace_back([&shard] { shard = this_thread_shard(); });
    }
    std::array<unsigned, shard_count> threads_of{};
    for (const unsigned shard : shards) {
        ASSERT_LT(shard, shard_count);
        ++threads_of[shard];
    }
    for (const unsigned threads : threads_of) EXPECT_EQ(threads, 4U);
}

}  // namespace
