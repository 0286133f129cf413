// SPDX-License-Identifier: Apache-2.0
#include "regions.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "perdure/http/url.hpp"
#include "perdure/time/jitter.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

bool names(const std::vector<std::string>& list, std::string_view region) {
    return std::ranges::any_of(list,
                               [&](const std::string& one) { return same_region(one, region); });
}

bool contains(const RegionList& list, const Region* region) {
    return std::ranges::find(list, region) != list.end();
}

std::string text_of(const http::Url& url) { return url.scheme + "://" + http::host_of(url); }

}  // namespace

Regions::Regions(Choice choice, MakeRoute make_route, Random& random)
    : choice_{std::move(choice)}, make_route_{std::move(make_route)}, random_{random} {}

const Region* Regions::find(const Lock&, std::string_view name, const http::Url& url) {
    const std::string text = text_of(url);
    for (const Region& region : all_)
        if (region.url == text && same_region(region.name, name)) return &region;
    auto route = make_route_(text);
    if (!route) return nullptr;
    all_.push_back(
        {.name = std::string{name},
         .endpoint = url.host + ':' + std::to_string(url.port),
         .host = http::host_of(url),
         .url = text,
         .place = std::string{name} + " (" + url.host + ':' + std::to_string(url.port) + ')',
         .route = *route});
    return &all_.back();
}

const Region* Regions::at(std::string_view name, const http::Url& url) {
    const Lock lock{mutex_};
    return find(lock, name, url);
}

void Regions::settle_for(const Region& only) {
    const Lock lock{mutex_};
    readable_ = writable_ = {&only};
    known_ = true;
    change(lock);
}

void Regions::learn(const AccountDocument& document) {
    const Lock lock{mutex_};
    const auto regions_of = [&](const std::vector<Location>& locations) {
        RegionList list;
        for (const Location& location : locations) {
            const Region* const region = find(lock, location.name, location.endpoint);
            if (region && !contains(list, region)) list.push_back(region);
        }
        return list;
    };
    RegionList readable = regions_of(document.readable);
    RegionList writable = regions_of(document.writable);
    // A document in the middle of a change may name none; the old ones are better than nothing.
    if (!readable.empty()) readable_ = std::move(readable);
    if (!writable.empty()) writable_ = std::move(writable);
    if (readable_.empty()) readable_ = writable_;
    if (writable_.empty()) writable_ = readable_;
    multi_write_ = document.multi_write.value_or(multi_write_);
    may_hedge_ = !document.hedging_disabled.value_or(!may_hedge_);
    consistency_ = document.consistency.value_or(consistency_);
    known_ = !readable_.empty();
    change(lock);
}

bool Regions::known() const {
    const Lock lock{mutex_};
    return known_;
}

std::shared_ptr<const Topology> Regions::now(TimePoint now) {
    const Lock lock{mutex_};
    if (topology_ && now < valid_until_) return topology_;
    if (!known_) return nullptr;
    auto made = std::make_shared<Topology>();
    sort(lock, *made, now);
    topology_ = std::move(made);
    return topology_;
}

// Longer and never shorter, as all intervals of this client are: the region and the account are not asked
// more often than the options say.
Regions::Marked Regions::marked(const Lock&, TimePoint now) const {
    return {.since = now,
            .until = after(now, lengthened(choice_.options.mark_for, random_.next()))};
}

// Those the user prefers, in that order; without a wish the account's own order. A wish that names none
// of the account's regions is no wish.
RegionList Regions::by_preference(const RegionList& given) const {
    RegionList list;
    for (const std::string& name : choice_.preferred)
        for (const Region* const region : given)
            if (same_region(region->name, name) && !contains(list, region)) list.push_back(region);
    if (list.empty()) list = given;
    std::erase_if(list,
                  [&](const Region* region) { return names(choice_.excluded, region->name); });
    return list.empty() ? given : list;
}

void Regions::sort(const Lock&, Topology& topology, TimePoint now) {
    topology.multi_write =
        multi_write_ && choice_.writes == Writes::every_region && !writable_.empty();
    topology.may_hedge = may_hedge_;
    topology.consistency = consistency_;
    topology.write_region = writable_.empty() ? nullptr : writable_.front();
    topology.reads = by_preference(readable_);
    if (topology.multi_write) {
        topology.writes = by_preference(writable_);
    } else {
        // Only one region takes writes. After a failover it may be one that the document does not name
        // yet; asking it costs one refusal, which has no effect.
        topology.writes = writable_;
        for (const Region* const region : readable_)
            if (!contains(topology.writes, region)) topology.writes.push_back(region);
    }

    valid_until_ = TimePoint::max();
    // Whoever answers may take writes by now, whoever is lost does not; of the lost the one that has
    // been so for longest. Among equals the document knows best.
    const auto rank_of = [&](const Region* region, Does does) -> std::pair<int, TimePoint> {
        const auto found = standings_.find(region);
        if (found == standings_.end()) return {0, TimePoint::min()};
        const Standing& standing = found->second;
        const auto expires = [&](const Marked& mark) {
            valid_until_ = std::min(valid_until_, mark.until);
        };
        if (standing.lost.holds(now))
            return expires(standing.lost), std::pair{2, standing.lost.since};
        if (does == Does::read || !standing.no_writes.holds(now)) return {0, TimePoint::min()};
        return expires(standing.no_writes), std::pair{1, TimePoint::min()};
    };
    // By rank and place: stable_sort asks the library for a buffer in a way that Clang calls deprecated.
    const auto order = [&](RegionList& list, Does does) {
        std::vector<std::tuple<int, TimePoint, std::size_t>> ranks;
        for (const Region* const region : list) {
            const auto [rank, since] = rank_of(region, does);
            ranks.emplace_back(rank, since, ranks.size());
        }
        std::ranges::sort(ranks);
        RegionList sorted;
        for (const auto& rank : ranks) sorted.push_back(list[std::get<std::size_t>(rank)]);
        list = std::move(sorted);
    };
    order(topology.reads, Does::read);
    order(topology.writes, Does::write);
}

void Regions::mark(const Region& region, Mark mark, TimePoint now) {
    const Lock lock{mutex_};
    Standing& standing = standings_[&region];
    (mark == Mark::lost ? standing.lost : standing.no_writes) = marked(lock, now);
    troubled_.store(true, std::memory_order_relaxed);
    change(lock);
}

void Regions::note_timeout(const Region& region, TimePoint now) {
    if (choice_.options.timeouts_to_mark == 0) return;
    const Lock lock{mutex_};
    Standing& standing = standings_[&region];
    troubled_.store(true, std::memory_order_relaxed);
    if (++standing.timeouts < choice_.options.timeouts_to_mark) return;
    standing.lost = marked(lock, now);
    change(lock);
}

void Regions::note_answer(const Region& region) {
    if (!troubled_.load(std::memory_order_relaxed)) return;
    const Lock lock{mutex_};
    if (const auto found = standings_.find(&region); found != standings_.end())
        found->second.timeouts = 0;
}

void Regions::note_write(const Region& region) {
    if (!troubled_.load(std::memory_order_relaxed)) return;
    const Lock lock{mutex_};
    const auto found = standings_.find(&region);
    if (found == standings_.end()) return;
    Standing& standing = found->second;
    if (!standing.no_writes.ever() && !standing.lost.ever()) return;
    standing.no_writes = standing.lost = {};
    change(lock);
}

void Regions::found_again(const Region& region) {
    const Lock lock{mutex_};
    if (const auto found = standings_.find(&region); found != standings_.end()) {
        found->second.lost = {};
        found->second.timeouts = 0;
    }
    troubled_.store(std::ranges::any_of(standings_,
                                        [](const auto& one) {
                                            return one.second.timeouts > 0 ||
                                                   one.second.lost.ever() ||
                                                   one.second.no_writes.ever();
                                        }),
                    std::memory_order_relaxed);
    change(lock);
}

RegionList Regions::lost(TimePoint now) {
    const Lock lock{mutex_};
    RegionList list;
    for (const auto& [region, standing] : standings_)
        if (standing.lost.holds(now) &&
            (contains(readable_, region) || contains(writable_, region)))
            list.push_back(region);
    return list;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
