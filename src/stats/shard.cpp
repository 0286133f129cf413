// SPDX-License-Identifier: Apache-2.0
#include "perdure/stats/shard.hpp"

#include <atomic>

namespace perdure {
inline namespace v0 {
namespace {

// In turn rather than by a hash of the thread's id: eight threads then surely get eight shards.
constinit std::atomic<unsigned> next_shard{0};

}  // namespace

unsigned assign_thread_shard() noexcept {
    thread_shard = next_shard.fetch_add(1, std::memory_order_relaxed) % shard_count;
    return thread_shard;
}

}  // namespace v0
}  // namespace perdure
