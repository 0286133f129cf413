// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/wire/partition_ranges.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

void drop_parents(std::vector<PartitionRange>& ranges) {
    std::set<std::string, std::less<>> gone;
    for (const PartitionRange& range : ranges)
        gone.insert(range.parents.begin(), range.parents.end());
    std::erase_if(ranges, [&](const PartitionRange& range) { return gone.contains(range.id); });
}

// Of two with one id the later word counts.
void drop_earlier(std::vector<PartitionRange>& ranges) {
    std::set<std::string, std::less<>> seen;
    std::vector<PartitionRange> kept;
    std::for_each(ranges.rbegin(), ranges.rend(), [&](PartitionRange& range) {
        if (seen.insert(range.id).second) kept.push_back(std::move(range));
    });
    ranges = std::move(kept);
}

bool is_complete(const std::vector<PartitionRange>& ranges) {
    if (ranges.empty() || ranges.front().min != least_effective_key ||
        ranges.back().max != end_of_effective_keys)
        return false;
    const auto apart = [](const PartitionRange& a, const PartitionRange& b) {
        return a.max != b.min;
    };
    return std::ranges::adjacent_find(ranges, apart) == ranges.end();
}

}  // namespace

RoutingMap::RoutingMap(std::vector<PartitionRange> ranges) : ranges_{std::move(ranges)} {}

std::optional<RoutingMap> RoutingMap::from(std::vector<PartitionRange> ranges) {
    drop_earlier(ranges);
    drop_parents(ranges);
    std::ranges::sort(ranges, {}, &PartitionRange::min);
    if (!is_complete(ranges)) return {};
    return RoutingMap{std::move(ranges)};
}

std::optional<RoutingMap> RoutingMap::with(std::vector<PartitionRange> changes) const {
    std::vector<PartitionRange> all = ranges_;
    for (PartitionRange& change : changes) all.push_back(std::move(change));
    return from(std::move(all));
}

const PartitionRange& RoutingMap::at(std::string_view effective_key) const noexcept {
    const auto behind = std::ranges::upper_bound(ranges_, effective_key, {}, &PartitionRange::min);
    return *std::prev(behind);
}

std::span<const PartitionRange> RoutingMap::overlapping(std::string_view min,
                                                        std::string_view max) const noexcept {
    if (min >= max) return {};
    const auto first = std::ranges::upper_bound(ranges_, min, {}, &PartitionRange::max);
    const auto last = std::ranges::lower_bound(ranges_, max, {}, &PartitionRange::min);
    return first < last ? std::span{first, last} : std::span<const PartitionRange>{};
}

const PartitionRange* RoutingMap::find(std::string_view id) const noexcept {
    const auto found = std::ranges::find(ranges_, id, &PartitionRange::id);
    return found == ranges_.end() ? nullptr : &*found;
}

bool RoutingMap::is_gone(std::string_view id) const noexcept {
    return std::ranges::any_of(ranges_, [&](const PartitionRange& range) {
        return std::ranges::find(range.parents, id) != range.parents.end();
    });
}

std::vector<const PartitionRange*> RoutingMap::children_of(std::string_view id) const {
    std::vector<const PartitionRange*> children;
    for (const PartitionRange& range : ranges_)
        if (std::ranges::find(range.parents, id) != range.parents.end()) children.push_back(&range);
    return children;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
