// SPDX-License-Identifier: Apache-2.0
//
// Which copy of a shared counter does this thread write to? Threads that write to one cache line
// wait for each other; a few copies, summed when read, keep them apart.
//
//     counters_[perdure::this_thread_shard()].fetch_add(1, std::memory_order_relaxed);
//
// Two threads may have the same shard, so what lies there must still be atomic.
#pragma once

namespace perdure {
inline namespace v0 {

inline constexpr unsigned shard_count = 8;

// The next shard in turn, given to a thread at its first question. Any thread.
[[gnu::cold]] unsigned assign_thread_shard() noexcept;

// `shard_count` means: not assigned yet. constinit, so that reading it is one load and no call.
inline constinit thread_local unsigned thread_shard = shard_count;

// Below `shard_count`, and the same for the whole life of a thread. Any thread.
inline unsigned this_thread_shard() noexcept {
    const unsigned shard = thread_shard;
    if (shard < shard_count) [[likely]]
        return shard;
    return assign_thread_shard();
}

}  // namespace v0
}  // namespace perdure
