// SPDX-License-Identifier: Apache-2.0
#include "range_health.hpp"

#include <algorithm>
#include <mutex>

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

// Ranges that were split away stay here; where there are more, only regions have a health.
constexpr std::size_t most_entries = 4096;
// Longer than any mark, so that a range which fails again now and then keeps its row of failures.
constexpr Duration remembered_for = 10min;

}  // namespace

const RangeHealth::Entry* RangeHealth::entry(const Region& region, std::string_view range) const {
    const auto found = entries_.find(Key{&region, std::string{range}});
    return found == entries_.end() ? nullptr : &found->second;
}

RangeHealth::Entry* RangeHealth::made(const Region& region, std::string_view range) {
    if (region.forgotten.load(std::memory_order_acquire)) return nullptr;
    const Key key{&region, std::string{range}};
    if (entries_.size() >= most_entries && !entries_.contains(key)) return nullptr;
    return &entries_[key];
}

void RangeHealth::watch_until(TimePoint until) noexcept {
    const Duration::rep wanted = until.time_since_epoch().count();
    Duration::rep held = watched_until_.load(std::memory_order_relaxed);
    while (held < wanted &&
           !watched_until_.compare_exchange_weak(held, wanted, std::memory_order_relaxed)) {}
}

Place* RangeHealth::find(const Region& region, std::string_view range, Does does) const {
    const std::shared_lock reading{mutex_};
    const Entry* const found = entry(region, range);
    if (!found) return nullptr;
    return does == Does::read ? found->reads.get() : found->writes.get();
}

void RangeHealth::note_failure(const Region& region, std::string_view range, Does does,
                               const PlaceOptions& options, TimePoint now, Random& random) {
    const std::lock_guard writing{mutex_};
    Entry* const kept = made(region, range);
    if (!kept) return;
    std::unique_ptr<Place>& place = does == Does::read ? kept->reads : kept->writes;
    if (!place)
        place = std::make_unique<Place>(region.name + " range " + std::string{range},
                                        region.health(does), options);
    place->failed_here(now, random);
    watch_until(after(now, remembered_for));
}

void RangeHealth::refuse_writes(const Region& region, std::string_view range, TimePoint now,
                                TimePoint until) {
    const std::lock_guard writing{mutex_};
    if (Entry* const kept = made(region, range)) {
        kept->refused_until = until;
        if (const auto writer = writers_.find(range); writer == writers_.end()) {
            if (writers_.size() < most_entries) writers_.emplace(range, nullptr);
        } else if (writer->second == &region) {
            writer->second = nullptr;
        }
    }
    watch_until(std::max(until, after(now, remembered_for)));
}

void RangeHealth::note_write(const Region& region, std::string_view range) {
    {
        const std::shared_lock reading{mutex_};
        const auto writer = writers_.find(range);
        if (writer == writers_.end() || writer->second == &region) return;
    }
    const std::lock_guard writing{mutex_};
    const auto writer = writers_.find(range);
    if (region.forgotten.load(std::memory_order_acquire)) return;
    if (writer != writers_.end()) writer->second = &region;
    const auto found = entries_.find(Key{&region, std::string{range}});
    if (found != entries_.end()) found->second.refused_until = TimePoint::min();
}

const Region* RangeHealth::writer_of(std::string_view range) const {
    const std::shared_lock reading{mutex_};
    const auto writer = writers_.find(range);
    return writer == writers_.end() ? nullptr : writer->second;
}

void RangeHealth::forget(Region& region) {
    const std::lock_guard writing{mutex_};
    auto own = entries_.lower_bound(Key{&region, std::string{}});
    while (own != entries_.end() && own->first.first == &region) {
        for (auto* const place : {&own->second.reads, &own->second.writes})
            if (*place) region.parts.push_back(std::move(*place));
        own = entries_.erase(own);
    }
    for (auto& [range, writer] : writers_)
        if (writer == &region) writer = nullptr;
}

TimePoint RangeHealth::refused_until(const Region& region, std::string_view range) const {
    const std::shared_lock reading{mutex_};
    const Entry* const found = entry(region, range);
    return found ? found->refused_until : TimePoint::min();
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
