// SPDX-License-Identifier: Apache-2.0
#include "chaos/cosmos/store.hpp"

#include <algorithm>
#include <utility>

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

std::string name_of(const Key& key, std::string_view id) {
    std::string name = key.text;
    return name.append(id);
}

bool wins(const Item& item, const Item& over) noexcept {
    if (item.seconds != over.seconds) return item.seconds > over.seconds;
    // What one region wrote comes in its order.
    return item.region <= over.region;
}

Range::Range(std::string its_id, std::string its_min, std::string its_max, std::size_t regions)
    : id{std::move(its_id)}, min{std::move(its_min)}, max{std::move(its_max)}, places_(regions) {
    for (Place& place : places_) place.has_from.resize(regions);
}

std::unique_ptr<Range> Range::child(std::string its_id, std::string its_min,
                                    std::string its_max) const {
    auto child = std::make_unique<Range>(std::move(its_id), std::move(its_min), std::move(its_max),
                                         places_.size());
    child->parents = parents;
    child->parents.push_back(id);
    child->first_ = first_;
    child->write_region = write_region;
    child->write_moves = write_moves;
    for (const Entry& entry : log_) {
        const bool mine = entry.item && child->holds(entry.item->key.effective);
        child->log_.push_back({mine ? entry.item : nullptr, entry.region, entry.at});
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
        child->places_[i].next = places_[i].next;
        child->places_[i].has_from = places_[i].has_from;
        for (const auto& [name, item] : places_[i].items)
            if (child->holds(item->key.effective)) apply(child->places_[i], item);
    }
    return child;
}

void Range::apply(Place& place, const ItemPtr& item) {
    ItemPtr& mine = place.items[item->name];
    if (mine && !mine->gone) place.feed.erase(mine->number);
    mine = item;
    if (!item->gone) place.feed[item->number] = item;
}

void Range::follow(std::size_t region, Duration lag, TimePoint now) {
    Place& place = places_[region];
    for (; place.next < first_ + log_.size(); ++place.next) {
        const Entry& entry = log_[place.next - first_];
        if (entry.region == region) continue;
        if (after(entry.at, lag) > now) break;
        place.has_from[entry.region] = place.next + 1;
        if (!entry.item) continue;
        const ItemPtr mine = find(region, entry.item->name);
        if (!mine || wins(*entry.item, *mine)) apply(place, entry.item);
    }
    forget_what_all_have();
}

void Range::forget_what_all_have() {
    std::uint64_t least = places_[0].next;
    for (const Place& place : places_) least = std::min(least, place.next);
    for (; first_ < least; ++first_) log_.pop_front();
}

ItemPtr Range::find(std::size_t region, const std::string& name) const {
    const auto found = places_[region].items.find(name);
    return found == places_[region].items.end() ? nullptr : found->second;
}

void Range::append(std::size_t region, ItemPtr item, TimePoint now) {
    Place& place = places_[region];
    apply(place, item);
    log_.push_back({std::move(item), region, now});
    const std::uint64_t number = last();
    place.has_from[region] = number;
    if (place.next + 1 == number) place.next = number;
    if (places_.size() == 1) forget_what_all_have();
}

bool Container::expired(const Item& item, WallTime now) const noexcept {
    return rules.ttl && rules.expired(item.ttl, item.seconds, epoch_seconds(now));
}

Range* Container::range_of(std::string_view effective) const {
    for (const auto& range : ranges)
        if (range->holds(effective)) return range.get();
    return nullptr;
}

Range* Container::range_named(std::string_view range) const {
    for (const auto& one : ranges)
        if (one->id == range) return one.get();
    return nullptr;
}

void Container::finish_split(const Range& parent) {
    const auto at = std::ranges::find(ranges, &parent, &std::unique_ptr<Range>::get);
    if (at == ranges.end()) return;
    const std::string middle = keys.middle(parent.min, parent.max);
    auto lower = parent.child(std::to_string(next_range++), parent.min, middle);
    auto upper = parent.child(std::to_string(next_range++), middle, parent.max);
    lower->changed = upper->changed = ++topology;
    heirs[parent.id] = {lower->id, upper->id};
    *at = std::move(lower);
    ranges.insert(at + 1, std::move(upper));
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
