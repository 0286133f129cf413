// SPDX-License-Identifier: Apache-2.0
#include "perdure/stats/sketch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <utility>

namespace perdure {
inline namespace v0 {
namespace {

struct Range {
    std::int64_t first, last;
};

constexpr Range range_of(std::size_t bucket) noexcept {
    const std::size_t shift = bucket < 128 ? 0 : bucket / 64 - 1;
    const auto first = static_cast<std::int64_t>((bucket - shift * 64) << shift);
    return {first, first + (std::int64_t{1} << shift) - 1};
}

static_assert(Sketch::bucket_of(Sketch::longest) == Sketch::bucket_count - 1);
static_assert(range_of(Sketch::bucket_count - 1).last == Sketch::longest.count());

constexpr Duration middle_of(std::size_t bucket) noexcept {
    const auto [first, last] = range_of(bucket);
    return Duration{first + (last - first) / 2};
}

// On a cache line of its own, however small: threads that write to one line wait for each other.
constexpr std::align_val_t line{64};

// Zeroed; null without memory.
std::atomic<std::uint64_t>* make_shard(std::size_t counters) noexcept {
    using Counter = std::atomic<std::uint64_t>;
    const std::size_t bytes = std::max(counters * sizeof(Counter), static_cast<std::size_t>(line));
    void* memory = ::operator new(bytes, line, std::nothrow);
    auto* shard = static_cast<Counter*>(memory);
    if (shard != nullptr) std::uninitialized_value_construct_n(shard, counters);
    return shard;
}

void free_shard(std::atomic<std::uint64_t>* shard) noexcept { ::operator delete(shard, line); }

}  // namespace

void Sketch::record(Duration duration, std::uint64_t times) { add(bucket_of(duration), times); }

void Sketch::add(std::size_t bucket, std::uint64_t times) {
    if (times == 0) return;
    if (counts_.empty()) counts_.resize(bucket_count);
    counts_[bucket] += times;
    count_ += times;
}

void Sketch::merge(const Sketch& other) {
    for (std::size_t bucket = 0; bucket < other.counts_.size(); ++bucket)
        add(bucket, other.counts_[bucket]);
}

Sketch Sketch::since(const Sketch& earlier) const {
    Sketch fresh;
    for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
        const std::uint64_t before = earlier.counts_.empty() ? 0 : earlier.counts_[bucket];
        if (counts_[bucket] > before) fresh.add(bucket, counts_[bucket] - before);
    }
    return fresh;
}

std::optional<Duration> Sketch::at_rank(std::uint64_t rank) const noexcept {
    if (rank == 0 || rank > count_) return std::nullopt;
    std::size_t bucket = 0;
    for (std::uint64_t seen = counts_[0]; seen < rank; seen += counts_[bucket]) ++bucket;
    return middle_of(bucket);
}

std::optional<Duration> Sketch::quantile(double q) const noexcept {
    if (!(q > 0.0)) return at_rank(std::min<std::uint64_t>(1, count_));
    if (q >= 1.0) return at_rank(count_);
    // 0.07 * 100 is a hair above 7 in binary; the ceiling of a hair would be a whole rank.
    constexpr double hair = 4 * std::numeric_limits<double>::epsilon();
    const double rank = std::ceil(q * static_cast<double>(count_) * (1.0 - hair));
    return at_rank(std::clamp<std::uint64_t>(static_cast<std::uint64_t>(rank),
                                             std::min<std::uint64_t>(1, count_), count_));
}

std::uint64_t Sketch::count_above(Duration duration) const noexcept {
    std::uint64_t above = 0;
    for (std::size_t bucket = bucket_of(duration) + 1; bucket < counts_.size(); ++bucket)
        above += counts_[bucket];
    return above;
}

std::optional<Duration> Sketch::min() const noexcept {
    const auto found = std::find_if(counts_.begin(), counts_.end(), [](auto n) { return n != 0; });
    if (found == counts_.end()) return std::nullopt;
    return Duration{range_of(static_cast<std::size_t>(found - counts_.begin())).first};
}

std::optional<Duration> Sketch::max() const noexcept {
    const auto found =
        std::find_if(counts_.rbegin(), counts_.rend(), [](auto n) { return n != 0; });
    if (found == counts_.rend()) return std::nullopt;
    return Duration{range_of(static_cast<std::size_t>(counts_.rend() - found) - 1).last};
}

bool operator==(const Sketch& left, const Sketch& right) noexcept {
    return left.count_ == right.count_ && (left.count_ == 0 || left.counts_ == right.counts_);
}

SharedSketch::~SharedSketch() {
    for (auto& shard : shards_) free_shard(shard.load(std::memory_order_acquire));
}

void SharedSketch::record_first(unsigned index, std::size_t bucket) noexcept {
    // Without memory the sample is dropped: a call that succeeded must not fail over statistics.
    Counter* fresh = make_shard(counters());
    Counter* expected = nullptr;
    if (fresh != nullptr &&
        shards_[index].compare_exchange_strong(expected, fresh, std::memory_order_acq_rel,
                                               std::memory_order_acquire))
        expected = std::exchange(fresh, nullptr);
    if (expected != nullptr) expected[bucket & mask_].fetch_add(1, std::memory_order_relaxed);
    free_shard(fresh);
}

Sketch SharedSketch::snapshot() const {
    Sketch sum;
    if (resolution() == Resolution::count_only) return sum;
    for (const auto& pointer : shards_) {
        const Counter* shard = pointer.load(std::memory_order_acquire);
        if (shard == nullptr) continue;
        for (std::size_t bucket = 0; bucket < Sketch::bucket_count; ++bucket)
            sum.add(bucket, shard[bucket].load(std::memory_order_relaxed));
    }
    return sum;
}

std::uint64_t SharedSketch::count() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& pointer : shards_)
        if (const Counter* shard = pointer.load(std::memory_order_acquire))
            for (std::size_t bucket = 0; bucket < counters(); ++bucket)
                sum += shard[bucket].load(std::memory_order_relaxed);
    return sum;
}

}  // namespace v0
}  // namespace perdure
