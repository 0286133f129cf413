// SPDX-License-Identifier: Apache-2.0
//
// A sum that many threads add to and few read. Each thread adds to the cache line of its own shard, so
// that two threads do not slow each other down; a reader visits all shards.
//
//     under_way.add(1);
//     if (retries < under_way.total() / 5) …
//
// A call may begin on one thread and end on another: then one shard is below zero, and the total is
// still right.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "perdure/stats/shard.hpp"

namespace perdure {
inline namespace v0 {

// Safe for any number of threads. A total that is read while others add is one that the sum may have
// had if those additions had come in another order.
class ShardedSum {
public:
    void add(std::int64_t amount) noexcept {
        shards_[this_thread_shard()].sum.fetch_add(amount, std::memory_order_relaxed);
    }
    [[nodiscard]] std::int64_t total() const noexcept {
        std::int64_t total = 0;
        for (const Shard& shard : shards_) total += shard.sum.load(std::memory_order_relaxed);
        return total;
    }

private:
    struct alignas(64) Shard {
        std::atomic<std::int64_t> sum{0};
    };
    std::array<Shard, shard_count> shards_{};
};

}  // namespace v0
}  // namespace perdure
