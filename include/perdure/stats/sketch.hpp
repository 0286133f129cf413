// SPDX-License-Identifier: Apache-2.0
//
// How long do calls take? A histogram of durations that answers any percentile within 1 %, is added
// up exactly across threads and processes, and never grows.
//
//     perdure::SharedSketch latencies;                 // written by all threads
//     latencies.record(elapsed);
//     const auto p99 = latencies.snapshot().quantile(0.99);
//
// Buckets are log-linear: 64 per doubling. Below 128 ns each holds one value and is exact; above,
// the reported middle of a bucket lies within 1/128 (0.8 %) of everything in it. The range ends at
// 2^40 ns, 18 minutes: longer durations count as the longest, negative ones as zero.
#pragma once

#include "perdure/duration.hpp"
#include "perdure/stats/shard.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace perdure {
inline namespace v0 {

// A value: copy, add, ask. Owned by one thread; const functions may run in several.
class Sketch {
public:
    static constexpr std::size_t bucket_count = 34 * 64 + 64;
    static constexpr Duration longest{(std::int64_t{1} << 40) - 1};

    static constexpr std::size_t bucket_of(Duration duration) noexcept {
        auto value = static_cast<std::uint64_t>(duration.count());
        if (value > static_cast<std::uint64_t>(longest.count())) [[unlikely]]
            value = duration < Duration::zero() ? 0U : static_cast<std::uint64_t>(longest.count());
        const int shift = 57 - std::countl_zero(value | 64U);  // the lowest 128 are not shifted
        return static_cast<std::size_t>(shift) * 64 + static_cast<std::size_t>(value >> shift);
    }

    void record(Duration duration) { record(duration, 1); }
    void record(Duration duration, std::uint64_t times);
    void merge(const Sketch& other);
    // What was added after `earlier`, a copy or snapshot of the same sketch.
    Sketch since(const Sketch& earlier) const;

    std::uint64_t count() const noexcept { return count_; }

    // The middle of the bucket that holds the `rank`-th smallest; ranks count from 1 to count().
    std::optional<Duration> at_rank(std::uint64_t rank) const noexcept;

    // The smallest recorded value that at least a share `q` of all values does not exceed (nearest
    // rank). `q` outside [0, 1] is taken as the nearer end. Nothing, if nothing was recorded.
    std::optional<Duration> quantile(double q) const noexcept;

    // How many lie above the whole bucket of `duration`: exactly those longer than a value which is
    // at most 1/64 above `duration`.
    std::uint64_t count_above(Duration duration) const noexcept;

    // Bounds of what was recorded: no value is below min() or above max(), apart from clamped ones.
    std::optional<Duration> min() const noexcept;
    std::optional<Duration> max() const noexcept;

    friend bool operator==(const Sketch& left, const Sketch& right) noexcept;

private:
    friend class SharedSketch;
    void add(std::size_t bucket, std::uint64_t times);

    std::vector<std::uint64_t> counts_;  // empty until the first record, then bucket_count long
    std::uint64_t count_ = 0;
};

// What a SharedSketch keeps of a record: its bucket, or only that there was one.
enum class Resolution : std::uint8_t { buckets, count_only };

// Written and read by any number of threads at once, without locks; no record is lost or counted
// twice. Each shard takes 18 KB, or 64 bytes where only the count is kept, and is made when the
// first thread of that shard records.
class SharedSketch {
public:
    explicit SharedSketch(Resolution resolution = Resolution::buckets) noexcept
        : mask_{resolution == Resolution::buckets ? ~std::size_t{0} : 0} {}
    SharedSketch(const SharedSketch&) = delete;
    SharedSketch& operator=(const SharedSketch&) = delete;
    ~SharedSketch();

    void record(Duration duration) noexcept { record_in(this_thread_shard(), duration); }
    // For those who have asked for this thread's shard already.
    void record_in(unsigned index, Duration duration) noexcept {
        const std::size_t bucket = Sketch::bucket_of(duration);
        if (Counter* shard = shards_[index].load(std::memory_order_acquire)) [[likely]]
            shard[bucket & mask_].fetch_add(1, std::memory_order_relaxed);
        else record_first(index, bucket);
    }

    // Everything recorded before the call, and perhaps some of what is being recorded meanwhile.
    // With Resolution::count_only it is empty, for nothing is known but count().
    Sketch snapshot() const;
    std::uint64_t count() const noexcept;

    Resolution resolution() const noexcept {
        return mask_ == 0 ? Resolution::count_only : Resolution::buckets;
    }

private:
    using Counter = std::atomic<std::uint64_t>;

    [[gnu::cold]] void record_first(unsigned index, std::size_t bucket) noexcept;
    std::size_t counters() const noexcept { return mask_ == 0 ? 1 : Sketch::bucket_count; }

    const std::size_t mask_;  // zero puts every record into the first counter
    std::array<std::atomic<Counter*>, shard_count> shards_{};  // each `counters()` long
};

}  // namespace v0
}  // namespace perdure
