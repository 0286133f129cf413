// SPDX-License-Identifier: Apache-2.0
#include "net/name_cache.hpp"

#include <algorithm>

#include "perdure/time/jitter.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

const NameCache::Entry* NameCache::find(std::string_view name, TimePoint now) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end() || now >= found->second->kept_until) return nullptr;
    return &*found->second;
}

void NameCache::store(std::string_view name, const NameAnswer& answer, TimePoint now) {
    const auto found = by_name_.find(name);
    if (answer.memory == Memory::none) {
        if (found != by_name_.end()) keep_older(*found->second, now);
        return;
    }
    if (found != by_name_.end()) {
        entries_.splice(entries_.end(), entries_, found->second);
    } else {
        entries_.push_back({.name = std::string{name}});
        by_name_.emplace(entries_.back().name, std::prev(entries_.end()));
    }
    limit(entries_.back(), answer, now);
    if (entries_.size() <= std::max<std::size_t>(options_.most_names, 1)) return;
    by_name_.erase(entries_.front().name);
    entries_.pop_front();
}

void NameCache::keep_older(Entry& entry, TimePoint now) {
    entry.fresh_until = std::min(end_of_negative(now), entry.kept_until);
}

TimePoint NameCache::end_of_negative(TimePoint now) {
    return after(now, shortened(options_.negative_for, random_.next()));
}

void NameCache::limit(Entry& entry, const NameAnswer& answer, TimePoint now) {
    entry.answer = answer.answer;
    switch (answer.memory) {
        case Memory::for_its_ttl: {
            const Duration longest = std::max(options_.least_ttl, options_.longest_ttl);
            const Duration ttl = std::clamp(answer.ttl, options_.least_ttl, longest);
            const Duration drawn = shortened(ttl, random_.next());
            entry.fresh_until = after(now, std::max(drawn, options_.least_ttl));
            entry.kept_until = after(entry.fresh_until, options_.stale_for);
            break;
        }
        case Memory::negative: entry.fresh_until = entry.kept_until = end_of_negative(now); break;
        case Memory::forever:
        case Memory::none: entry.fresh_until = entry.kept_until = TimePoint::max(); break;
    }
}

void NameCache::forget(std::string_view name) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return;
    const auto entry = found->second;
    by_name_.erase(found);
    entries_.erase(entry);
}

}  // namespace net
}  // namespace v0
}  // namespace perdure
