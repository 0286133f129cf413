// SPDX-License-Identifier: Apache-2.0
#include "perdure/stats/sketch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>

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
    for (auto& shard : shards_) delete shard.load(std::memory_order_acquire);
}

void SharedSketch::record_first(unsigned index, std::size_t bucket) noexcept {
    // Without memory the sample is dropped: a call that succeeded must not fail over statistics.
    std::unique_ptr<Shard> fresh{new (std::nothrow) Shard{}};
    Shard* expected = nullptr;
    if (fresh && shards_[index].compare_exchange_strong(
                     expected, fresh.get(), std::memory_order_acq_rel, std::memory_order_acquire))
        expected = fresh.release();
    if (expected != nullptr) (*expected)[bucket].fetch_add(1, std::memory_order_relaxed);
}

Sketch SharedSketch::snapshot() const {
    Sketch sum;
    for (const auto& pointer : shards_) {
        const Shard* shard = pointer.load(std::memory_order_acquire);
        if (shard == nullptr) continue;
        for (std::size_t bucket = 0; bucket < shard->size(); ++bucket)
            sum.add(bucket, (*shard)[bucket].load(std::memory_order_relaxed));
    }
    return sum;
}

std::uint64_t SharedSketch::count() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& pointer : shards_)
        if (const Shard* shard = pointer.load(std::memory_order_acquire))
            for (const auto& counter : *shard) sum += counter.load(std::memory_order_relaxed);
    return sum;
}

}  // namespace v0
}  // namespace perdure
