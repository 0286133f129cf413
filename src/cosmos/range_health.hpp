// SPDX-License-Identifier: Apache-2.0
//
// Which partition ranges of a container fail alone, or are written in a region of their own?
//
//     if (health.any(now))
//         if (Place* const own = health.find(region, "7", Does::read); own && own->marked(now)) …
//
// A range is known here from its first failure on; before, and for all others, the region's health counts.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>

#include "perdure/duration.hpp"
#include "perdure/policy/place.hpp"
#include "regions.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// Safe for any number of threads. Places stay as long as their region.
class RangeHealth {
public:
    // Whether anything went wrong with a range lately: one atomic read for each call.
    [[nodiscard]] bool any(TimePoint now) const noexcept {
        return now.time_since_epoch().count() < watched_until_.load(std::memory_order_relaxed);
    }
    // Null: this range has not failed here.
    [[nodiscard]] Place* find(const Region& region, std::string_view range, Does does) const;
    // A failure that counts against the service, of which the region's own health knows.
    void note_failure(const Region& region, std::string_view range, Does does,
                      const PlaceOptions& options, TimePoint now, Random& random);

    // The range is not written in this region: its write region is another one.
    void refuse_writes(const Region& region, std::string_view range, TimePoint now,
                       TimePoint until);
    void note_write(const Region& region, std::string_view range);  // it is written there
    // Where a range was written last of which a region has refused a write; null: nobody knows.
    [[nodiscard]] const Region* writer_of(std::string_view range) const;
    // TimePoint::min(): nobody has refused.
    [[nodiscard]] TimePoint refused_until(const Region& region, std::string_view range) const;

    // Gives its places to the region, which is marked as forgotten: calls may still use them.
    void forget(Region& region);

private:
    struct Entry {
        std::unique_ptr<Place> reads{};
        std::unique_ptr<Place> writes{};
        TimePoint refused_until = TimePoint::min();
    };
    using Key = std::pair<const Region*, std::string>;

    [[nodiscard]] const Entry* entry(const Region& region, std::string_view range) const;
    [[nodiscard]] Entry* made(const Region& region, std::string_view range);
    void watch_until(TimePoint until) noexcept;

    mutable std::shared_mutex mutex_;
    std::map<Key, Entry> entries_;
    std::map<std::string, const Region*, std::less<>> writers_;  // of refused ranges
    std::atomic<Duration::rep> watched_until_{TimePoint::min().time_since_epoch().count()};
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
