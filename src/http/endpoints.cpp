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

// More marks than anybody has regions; only a list that changes for ever reaches it.
constexpr std::size_t most_troubles = 256;

std::shared_ptr<const EndpointList> each_once(EndpointList urls) {
    EndpointList kept;
    kept.reserve(urls.size());
    for (std::string& url : urls)
        if (std::ranges::find(kept, url) == kept.end()) kept.push_back(std::move(url));
    return std::make_shared<const EndpointList>(std::move(kept));
}

}  // namespace

struct Endpoints::Inside {
    static constexpr TimePoint unmarked = TimePoint::min();
    struct Trouble {
        int timeouts = 0;  // in a row
        TimePoint marked_at = unmarked;
    };
    using Lock = std::lock_guard<std::mutex>;

    Inside(EndpointList urls, EndpointOptions how)
        : options{how}, preferred{each_once(std::move(urls))} {}

    [[nodiscard]] bool expired(const Trouble& trouble, TimePoint now) const noexcept;
    Trouble& trouble_of(const Lock& lock, std::string_view url);
    void mark(const Lock& lock, Trouble& trouble, TimePoint now);
    void forget_expired(const Lock& lock, TimePoint now);
    [[nodiscard]] std::shared_ptr<const EndpointList> sorted(const Lock& lock);

    const EndpointOptions options;
    std::atomic<bool> troubled{false};  // whether `troubles` has anything
    std::mutex mutex;                   // what follows
    std::shared_ptr<const EndpointList> preferred;
    // By the endpoint's URL, also of endpoints that are gone; at most `most_troubles`.
    std::map<std::string, Trouble, std::less<>> troubles;
    std::shared_ptr<const EndpointList> order;  // null: to be worked out
    TimePoint order_until = TimePoint::max();   // the next mark expires then
};

Endpoints::Endpoints(EndpointList urls, EndpointOptions options)
    : inside_{std::make_unique<Inside>(std::move(urls), options)} {}

Endpoints::~Endpoints() = default;

void Endpoints::refresh(EndpointList urls) {
    auto list = each_once(std::move(urls));
    const Inside::Lock lock{inside_->mutex};
    inside_->preferred = std::move(list);
    inside_->order.reset();
}

void Endpoints::mark(std::string_view url, TimePoint now) {
    const Inside::Lock lock{inside_->mutex};
    inside_->mark(lock, inside_->trouble_of(lock, url), now);
}

void Endpoints::note_timeout(std::string_view url, TimePoint now) {
    const int timeouts_to_mark = inside_->options.timeouts_to_mark;
    if (timeouts_to_mark <= 0) return;
    const Inside::Lock lock{inside_->mutex};
    Inside::Trouble& trouble = inside_->trouble_of(lock, url);
    if (++trouble.timeouts >= timeouts_to_mark) inside_->mark(lock, trouble, now);
}

void Endpoints::note_answer(std::string_view url) {
    // A timeout that is noted at this very moment may be missed: then the answer counts as earlier.
    if (!inside_->troubled.load(std::memory_order_relaxed)) return;
    const Inside::Lock lock{inside_->mutex};
    auto& troubles = inside_->troubles;
    const auto found = troubles.find(url);
    if (found == troubles.end()) return;
    found->second.timeouts = 0;
    if (found->second.marked_at == Inside::unmarked) troubles.erase(found);
    inside_->troubled.store(!troubles.empty(), std::memory_order_relaxed);
}

std::shared_ptr<const EndpointList> Endpoints::order(TimePoint now) const {
    Inside& inside = *inside_;
    const Inside::Lock lock{inside.mutex};
    if (inside.troubles.empty() || inside.preferred->size() < 2) return inside.preferred;
    if (!inside.order || now >= inside.order_until) {
        inside.forget_expired(lock, now);
        inside.order = inside.sorted(lock);
    }
    return inside.order;
}

bool Endpoints::marked(std::string_view url, TimePoint now) const {
    const Inside::Lock lock{inside_->mutex};
    const auto found = inside_->troubles.find(url);
    return found != inside_->troubles.end() && found->second.marked_at != Inside::unmarked &&
           !inside_->expired(found->second, now);
}

bool Endpoints::Inside::expired(const Trouble& trouble, TimePoint now) const noexcept {
    return now >= after(trouble.marked_at, options.mark_for);
}

Endpoints::Inside::Trouble& Endpoints::Inside::trouble_of(const Lock& /*lock*/,
                                                          std::string_view url) {
    if (const auto found = troubles.find(url); found != troubles.end()) return found->second;
    if (troubles.size() >= most_troubles)
        troubles.erase(std::ranges::min_element(
            troubles, {}, [](const auto& entry) { return entry.second.marked_at; }));
    troubled.store(true, std::memory_order_relaxed);
    return troubles.try_emplace(std::string{url}).first->second;
}

void Endpoints::Inside::mark(const Lock& /*lock*/, Trouble& trouble, TimePoint now) {
    trouble = {.timeouts = 0, .marked_at = now};
    order.reset();
}

void Endpoints::Inside::forget_expired(const Lock& /*lock*/, TimePoint now) {
    for (auto& [url, trouble] : troubles)
        if (trouble.marked_at != unmarked && expired(trouble, now)) trouble.marked_at = unmarked;
    std::erase_if(troubles, [](const auto& entry) {
        return entry.second.marked_at == unmarked && entry.second.timeouts == 0;
    });
    troubled.store(!troubles.empty(), std::memory_order_relaxed);
}

std::shared_ptr<const EndpointList> Endpoints::Inside::sorted(const Lock& /*lock*/) {
    order_until = TimePoint::max();
    std::vector<std::pair<TimePoint, std::size_t>> places;  // equal marks stay by preference
    places.reserve(preferred->size());
    for (std::size_t i = 0; i < preferred->size(); ++i) {
        const auto found = troubles.find((*preferred)[i]);
        const TimePoint marked_at = found == troubles.end() ? unmarked : found->second.marked_at;
        places.emplace_back(marked_at, i);
        if (marked_at != unmarked)
            order_until = std::min(order_until, after(marked_at, options.mark_for));
    }
    if (std::ranges::is_sorted(places)) return preferred;
    std::ranges::sort(places);
    EndpointList urls;
    urls.reserve(places.size());
    for (const auto& place : places) urls.push_back((*preferred)[place.second]);
    return std::make_shared<const EndpointList>(std::move(urls));
}

const std::string& Journey::at(int endpoint, TimePoint now) {
    static const std::string nowhere;
    const std::size_t index = endpoint < 0 ? 0 : static_cast<std::size_t>(endpoint) % most_places;
    while (count_ <= index) {
        Place place = next(now);
        if (!place.list) return nowhere;
        if (count_ == 0) first_ = std::move(place);
        else more_.push_back(std::move(place));
        ++count_;
    }
    return place(index).url();
}

bool Journey::been_at(std::string_view url) const {
    for (std::size_t i = round_; i < count_; ++i)
        if (place(i).url() == url) return true;
    return false;
}

Journey::Place Journey::next(TimePoint now) {
    auto list = endpoints_->order(now);
    if (list->empty()) return {};
    for (std::size_t i = 0; i < list->size(); ++i)
        if (!been_at((*list)[i])) return {std::move(list), i};
    round_ = count_;
    return {std::move(list), 0};
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
