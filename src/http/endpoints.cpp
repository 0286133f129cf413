// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/endpoints.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

// More than anybody has regions; only a list that changes for ever reaches it.
constexpr std::size_t most_remembered = 256;
constexpr int wins_to_become_first = 5;

using PlaceList = std::vector<std::shared_ptr<Place>>;

EndpointList each_once(EndpointList urls) {
    EndpointList kept;
    kept.reserve(urls.size());
    for (std::string& url : urls)
        if (std::ranges::find(kept, url) == kept.end()) kept.push_back(std::move(url));
    return kept;
}

}  // namespace

struct Endpoints::Inside {
    using Lock = std::lock_guard<std::mutex>;

    Inside(EndpointList urls, const PlaceOptions& how, const Budget* purse)
        : options{how}, dependency{purse}, nowhere{std::make_shared<Place>("")} {
        set(Lock{mutex}, std::move(urls));
    }

    void set(const Lock& lock, EndpointList urls);
    const std::shared_ptr<Place>& place_of(const Lock& lock, std::string_view url);
    void forget_one(const Lock& lock);
    // As Endpoints::order says.
    [[nodiscard]] std::shared_ptr<const PlaceList> sorted(TimePoint now);
    void note_race(Place* winning_copy);

    const PlaceOptions options;
    const Budget* const dependency;
    const std::shared_ptr<Place> nowhere;
    std::atomic<Place*> winner{nullptr};  // of the latest copies, so many in a row:
    std::atomic<int> wins{0};
    std::mutex mutex;  // what follows
    std::shared_ptr<const EndpointList> preferred;
    std::shared_ptr<const PlaceList> places;  // the same
    // Also of endpoints that are gone.
    std::map<std::string, std::shared_ptr<Place>, std::less<>> known;
};

Endpoints::Endpoints(EndpointList urls, PlaceOptions options, const Budget* dependency)
    : inside_{std::make_unique<Inside>(std::move(urls), options, dependency)} {}

Endpoints::~Endpoints() = default;

void Endpoints::refresh(EndpointList urls) {
    inside_->set(Inside::Lock{inside_->mutex}, std::move(urls));
}

void Endpoints::mark(std::string_view url, TimePoint now, Random& random) {
    place(url)->mark(now, random);
}

bool Endpoints::marked(std::string_view url, TimePoint now) const {
    const Inside::Lock lock{inside_->mutex};
    const auto found = inside_->known.find(url);
    return found != inside_->known.end() && found->second->marked(now);
}

std::shared_ptr<Place> Endpoints::place(std::string_view url) {
    const Inside::Lock lock{inside_->mutex};
    return inside_->place_of(lock, url);
}

std::shared_ptr<const EndpointList> Endpoints::order(TimePoint now) const {
    const auto places = inside_->sorted(now);
    {
        const Inside::Lock lock{inside_->mutex};
        if (places == inside_->places) return inside_->preferred;
    }
    EndpointList urls;
    urls.reserve(places->size());
    for (const auto& place : *places) urls.push_back(place->name());
    return std::make_shared<const EndpointList>(std::move(urls));
}

void Endpoints::Inside::set(const Lock& lock, EndpointList urls) {
    urls = each_once(std::move(urls));
    PlaceList list;
    list.reserve(urls.size());
    for (const std::string& url : urls) list.push_back(place_of(lock, url));
    preferred = std::make_shared<const EndpointList>(std::move(urls));
    places = std::make_shared<const PlaceList>(std::move(list));
}

const std::shared_ptr<Place>& Endpoints::Inside::place_of(const Lock& lock, std::string_view url) {
    if (const auto found = known.find(url); found != known.end()) return found->second;
    if (known.size() >= most_remembered) forget_one(lock);
    auto made = std::make_shared<Place>(std::string{url},
                                        dependency ? dependency->for_place() : nullptr, options);
    return known.try_emplace(std::string{url}, std::move(made)).first->second;
}

// Of the places that are neither in the list nor used by a call, the one whose mark ended first.
void Endpoints::Inside::forget_one(const Lock&) {
    auto oldest = known.end();
    for (auto it = known.begin(); it != known.end(); ++it)
        if (it->second.use_count() == 1 &&
            (oldest == known.end() || it->second->marked_until() < oldest->second->marked_until()))
            oldest = it;
    if (oldest != known.end()) known.erase(oldest);
}

std::shared_ptr<const PlaceList> Endpoints::Inside::sorted(TimePoint now) {
    std::shared_ptr<const PlaceList> list;
    {
        const Lock lock{mutex};
        list = places;
    }
    const auto mark_of = [now](const std::shared_ptr<Place>& place) {
        return place->marked(now) ? place->marked_until() : TimePoint::min();
    };
    if (std::ranges::none_of(*list, [&](const auto& place) { return place->marked(now); }))
        return list;
    std::vector<std::pair<TimePoint, std::shared_ptr<Place>>> by_mark;  // read once: marks change
    by_mark.reserve(list->size());
    for (const auto& place : *list) by_mark.emplace_back(mark_of(place), place);
    // Equal marks stay in the order of preference: an insertion sort of a handful.
    for (auto it = by_mark.begin(); it != by_mark.end(); ++it)
        std::rotate(std::ranges::upper_bound(by_mark.begin(), it, it->first, {},
                                             [](const auto& entry) { return entry.first; }),
                    it, it + 1);
    PlaceList order;
    order.reserve(by_mark.size());
    for (auto& [mark, place] : by_mark) order.push_back(std::move(place));
    return std::make_shared<const PlaceList>(std::move(order));
}

void Endpoints::Inside::note_race(Place* winning_copy) {
    if (winner.exchange(winning_copy, std::memory_order_relaxed) != winning_copy)
        wins.store(0, std::memory_order_relaxed);
    if (!winning_copy || wins.fetch_add(1, std::memory_order_relaxed) + 1 < wins_to_become_first)
        return;
    wins.store(0, std::memory_order_relaxed);
    const Lock lock{mutex};
    EndpointList urls = *preferred;
    const auto won = std::ranges::find(urls, winning_copy->name());
    if (won == urls.end()) return;
    std::rotate(urls.begin(), won, won + 1);
    set(lock, std::move(urls));
}

Place& Journey::at(int endpoint, TimePoint now) {
    const std::size_t index = endpoint < 0 ? 0 : static_cast<std::size_t>(endpoint) % most_places;
    while (count_ <= index) {
        Visited place = next(now);
        if (!place) return *endpoints_->inside_->nowhere;
        if (count_ == 0) first_ = std::move(place);
        else more_.push_back(std::move(place));
        ++count_;
    }
    return *visited(index);
}

int Journey::count(TimePoint now) const {
    return static_cast<int>(endpoints_->inside_->sorted(now)->size());
}

void Journey::race_ended(Place* winning_copy) { endpoints_->inside_->note_race(winning_copy); }

bool Journey::been_at(const Place& place, std::size_t since) const {
    for (std::size_t i = since; i < count_; ++i)
        if (visited(i).get() == &place) return true;
    return false;
}

Journey::Visited Journey::next(TimePoint now) {
    const auto list = endpoints_->inside_->sorted(now);
    if (list->empty()) return {};
    for (const Visited& place : *list)
        if (!been_at(*place, round_)) return place;
    round_ = count_;
    return list->front();
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
