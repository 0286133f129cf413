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

// An account has some sixty regions in the world at most; one that comes back finds its mark.
constexpr std::size_t most_departed = 32;
// Five in a row do not happen by chance: between regions that are equally fast one in 32 times.
constexpr int races_to_mark_slow = 5;

std::string text_of(const http::Url& url) { return url.scheme + "://" + http::host_of(url); }

}  // namespace

std::size_t sort_by_health(RegionList& list, const Topology& topology, Does does, TimePoint now,
                           FunctionRef<RegionHealth(const Region&)> health_of) {
    const RegionList& all = topology.of(does);
    const auto is_lost = [&](const Region* region) {
        const auto position =
            static_cast<std::size_t>(std::ranges::find(all, region) - all.begin());
        return position < all.size() && position + topology.lost(does) >= all.size();
    };
    std::vector<std::tuple<int, TimePoint, std::size_t>> ranks;  // sorted by position at last
    std::size_t well = 0;
    for (const Region* const region : list) {
        const RegionHealth health = health_of(*region);
        const bool marked = health.place && health.place->marked(now);
        const std::size_t position = ranks.size();
        if (is_lost(region)) ranks.emplace_back(3, TimePoint::min(), position);
        else if (now < health.refused_until) ranks.emplace_back(2, health.refused_until, position);
        else if (marked) ranks.emplace_back(1, health.place->marked_until(), position);
        else ranks.emplace_back(0, TimePoint::min(), position), ++well;
    }
    std::ranges::sort(ranks);
    RegionList sorted;
    for (const auto& rank : ranks) sorted.push_back(list[std::get<std::size_t>(rank)]);
    list = std::move(sorted);
    return well;
}

Regions::Regions(Choice choice, MakeRoute make_route, Random& random, const Budget* dependency,
                 Forget forget)
    : choice_{std::move(choice)},
      make_route_{std::move(make_route)},
      random_{random},
      dependency_{dependency},
      forget_{std::move(forget)} {}

LocationCheck Regions::check(const http::Url& url) const {
    return check_location(choice_.given, url, choice_.options.other_domains);
}

// Routes are made here and nowhere else, so here is the check that none leads to a weaker place.
Region* Regions::find(const Lock&, std::string_view name, const http::Url& url) {
    if (check(url) != LocationCheck::allowed) return nullptr;
    const std::string text = text_of(url);
    for (Region& region : all_)
        if (region.url == text && same_region(region.name, name)) return &region;
    auto route = make_route_(text);
    if (!route) return nullptr;
    const auto health = [&] {
        return std::make_unique<Place>(std::string{name},
                                       dependency_ ? dependency_->for_place() : nullptr,
                                       choice_.options.health);
    };
    Region& made = all_.emplace_back();
    made.name = name;
    made.endpoint = url.host + ':' + std::to_string(url.port);
    made.host = http::host_of(url);
    made.url = text;
    made.place = made.name + " (" + made.endpoint + ')';
    made.route = *std::move(route);
    made.dates = http::dates_of(url);
    made.reads = health();
    made.writes = health();
    return &made;
}

const Region* Regions::at(std::string_view name, const http::Url& url) {
    const Lock lock{mutex_};
    Region* const found = find(lock, name, url);
    if (found) found->given = true;
    return found;
}

std::size_t Regions::count() const {
    const Lock lock{mutex_};
    std::size_t count = all_.size();
    for (const Forgotten& past : forgotten_) count += past.regions.size();
    return count;
}

void Regions::settle_for(const Region& only) {
    const Lock lock{mutex_};
    readable_ = writable_ = {&only};
    known_ = true;
    single_.store(true, std::memory_order_relaxed);
    change(lock);
}

RegionList Regions::regions_of(const Lock& lock, const std::vector<Location>& locations,
                               std::vector<Unused>& unused) {
    RegionList list;
    const std::size_t unused_before = unused.size();
    for (const Location& location : locations) {
        const LocationCheck checked = check(location.endpoint);
        if (checked != LocationCheck::allowed) unused.push_back({location, checked});
        const Region* const region = find(lock, location.name, location.endpoint);
        if (region && !contains(list, region)) list.push_back(region);
    }
    // The given address leads to the write region too.
    if (list.empty() && unused.size() > unused_before)
        if (const Region* const own = find(lock, "global", choice_.given)) list.push_back(own);
    return list;
}

std::vector<Regions::Unused> Regions::learn(const AccountDocument& document) {
    std::list<Region> free;  // their connections are closed without the lock
    const Lock lock{mutex_};
    std::vector<Unused> unused;
    RegionList readable = regions_of(lock, document.readable, unused);
    RegionList writable = regions_of(lock, document.writable, unused);
    // A document in the middle of a change may name none; the old ones are better than nothing.
    if (!readable.empty()) readable_ = std::move(readable);
    if (!writable.empty()) writable_ = std::move(writable);
    if (readable_.empty()) readable_ = writable_;
    if (writable_.empty()) writable_ = readable_;
    multi_write_ = document.multi_write.value_or(multi_write_);
    may_hedge_ = !document.hedging_disabled.value_or(!may_hedge_);
    by_partition_ = document.per_partition_failover.value_or(by_partition_);
    consistency_ = document.consistency.value_or(consistency_);
    known_ = !readable_.empty();
    single_.store(readable_.size() == 1 && writable_ == readable_, std::memory_order_relaxed);
    change(lock);
    free = forget_departed(lock);
    return unused;
}

bool Regions::is_current(const Region& region) const noexcept {
    return region.given || contains(readable_, &region) || contains(writable_, &region);
}

std::list<Region> Regions::forget_departed(const Lock& lock) {
    std::erase_if(departed_, [&](const Region* region) { return is_current(*region); });
    for (Region& region : all_)
        if (!is_current(region) && std::ranges::find(departed_, &region) == departed_.end())
            departed_.push_back(&region);
    if (departed_.size() > most_departed) {
        Forgotten past{.over = epoch_->over()};
        while (departed_.size() > most_departed) {
            Region& region = *departed_.front();
            departed_.pop_front();
            forget(lock, region);
            const auto is_it = [&](const Region& one) { return &one == &region; };
            past.regions.splice(past.regions.end(), all_, std::ranges::find_if(all_, is_it));
        }
        forgotten_.push_back(std::move(past));
        epoch_ = std::make_shared<const Epoch>();
    }
    return take_free(lock);
}

// Before the next epoch begins, so that nothing of that finds the region elsewhere.
void Regions::forget(const Lock&, Region& region) {
    region.forgotten.store(true, std::memory_order_release);
    standings_.erase(&region);
    if (forget_) forget_(region);
}

// Oldest first: who holds an epoch may have pointers to what was forgotten in any later one.
std::list<Region> Regions::take_free(const Lock&) {
    std::list<Region> free;
    while (!forgotten_.empty() && forgotten_.front().over->load(std::memory_order_acquire)) {
        free.splice(free.end(), forgotten_.front().regions);
        forgotten_.pop_front();
    }
    return free;
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
// more often than the options say. Nobody asks a slow region whether it is fast again but reads.
Regions::Marked Regions::marked(const Lock&, Mark mark, TimePoint now) const {
    const Duration length =
        mark == Mark::slow ? choice_.options.probe_every : choice_.options.mark_for;
    return {.since = now, .until = after(now, lengthened(length, random_.next()))};
}

Regions::Marked& Regions::mark_of(Standing& standing, Mark mark) const noexcept {
    switch (mark) {
        case Mark::lost: return standing.lost;
        case Mark::no_writes: return standing.no_writes;
        case Mark::slow: break;
    }
    return standing.slow;
}

// Those the user prefers, in that order; without a wish the account's own order. A wish that names none
// of the account's regions is no wish. Behind the preferred ones stands the write region, for the time
// when none of them answers: as .NET's GetPreferredAvailableEndpoints.
RegionList Regions::by_preference(const RegionList& given) const {
    RegionList list;
    for (const std::string& name : choice_.preferred)
        for (const Region* const region : given)
            if (same_region(region->name, name) && !contains(list, region)) list.push_back(region);
    if (list.empty()) list = given;
    else if (!writable_.empty() && !contains(list, writable_.front()))
        list.push_back(writable_.front());
    std::erase_if(list,
                  [&](const Region* region) { return names(choice_.excluded, region->name); });
    return list.empty() ? given : list;
}

void Regions::sort(const Lock&, Topology& topology, TimePoint now) {
    topology.multi_write =
        multi_write_ && choice_.writes == Writes::every_region && !writable_.empty();
    topology.may_hedge = may_hedge_;
    topology.by_partition = by_partition_ && !topology.multi_write;
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

    topology.epoch = epoch_;
    valid_until_ = TimePoint::max();
    // Whoever answers may take writes by now, whoever is lost does not; of the lost the one that has
    // been so for longest. Among equals the document knows best.
    constexpr int lost_rank = 2;
    const auto rank_of = [&](const Region* region, Does does) -> std::pair<int, TimePoint> {
        const auto found = standings_.find(region);
        if (found == standings_.end()) return {0, TimePoint::min()};
        const Standing& standing = found->second;
        const auto expires = [&](const Marked& mark) {
            valid_until_ = std::min(valid_until_, mark.until);
        };
        if (standing.lost.holds(now))
            return expires(standing.lost), std::pair{lost_rank, standing.lost.since};
        const Marked& other = does == Does::read ? standing.slow : standing.no_writes;
        if (!other.holds(now)) return {0, TimePoint::min()};
        return expires(other), std::pair{1, TimePoint::min()};
    };
    // By rank and place: stable_sort asks the library for a buffer in a way that Clang calls deprecated.
    const auto order = [&](RegionList& list, Does does, std::size_t& lost) {
        std::vector<std::tuple<int, TimePoint, std::size_t>> ranks;
        for (const Region* const region : list) {
            const auto [rank, since] = rank_of(region, does);
            ranks.emplace_back(rank, since, ranks.size());
        }
        std::ranges::sort(ranks);
        RegionList sorted;
        for (const auto& rank : ranks) {
            sorted.push_back(list[std::get<std::size_t>(rank)]);
            if (std::get<int>(rank) == lost_rank) ++lost;
        }
        list = std::move(sorted);
    };
    order(topology.reads, Does::read, topology.lost_reads);
    order(topology.writes, Does::write, topology.lost_writes);
}

void Regions::mark(const Region& region, Mark mark, TimePoint now) {
    const Lock lock{mutex_};
    if (region.forgotten.load(std::memory_order_relaxed)) return;
    mark_of(standings_[&region], mark) = marked(lock, mark, now);
    troubled_.store(true, std::memory_order_relaxed);
    change(lock);
}

void Regions::note_timeout(const Region& region, TimePoint begun, Duration fair, TimePoint now) {
    if (choice_.options.timeouts_to_mark == 0) return;
    const Lock lock{mutex_};
    if (region.forgotten.load(std::memory_order_relaxed)) return;
    Standing& standing = standings_[&region];
    troubled_.store(true, std::memory_order_relaxed);
    standing.waited += now - begun;
    standing.silent_since = std::min(standing.silent_since, begun);
    if (++standing.timeouts < choice_.options.timeouts_to_mark || standing.waited < fair ||
        now - standing.silent_since < fair)
        return;
    standing.lost = marked(lock, Mark::lost, now);
    change(lock);
}

void Regions::note_lost_race(const Region& asked, TimePoint now) {
    if (asked.lost_races.fetch_add(1, std::memory_order_relaxed) + 1 < races_to_mark_slow) return;
    asked.lost_races.store(0, std::memory_order_relaxed);
    mark(asked, Mark::slow, now);
}

void Regions::note_answer(const Region& region, TimePoint now) {
    if (!troubled_.load(std::memory_order_relaxed)) return;
    const Lock lock{mutex_};
    if (const auto found = standings_.find(&region); found != standings_.end())
        found->second.answered();
    const bool over = std::ranges::none_of(standings_, [&](const auto& one) {
        const Standing& standing = one.second;
        return standing.timeouts > 0 || standing.lost.holds(now) || standing.no_writes.holds(now) ||
               standing.slow.holds(now);
    });
    if (over) troubled_.store(false, std::memory_order_relaxed);
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
        found->second.answered();
    }
    troubled_.store(std::ranges::any_of(standings_,
                                        [](const auto& one) {
                                            return one.second.timeouts > 0 ||
                                                   one.second.lost.ever() ||
                                                   one.second.no_writes.ever() ||
                                                   one.second.slow.ever();
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
