// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/endpoints.hpp"

#include <algorithm>
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

Endpoints::Endpoints(EndpointList urls, EndpointOptions options)
    : options_{options}, preferred_{each_once(std::move(urls))} {}

void Endpoints::refresh(EndpointList urls) {
    auto list = each_once(std::move(urls));
    const Lock lock{mutex_};
    preferred_ = std::move(list);
    order_.reset();
}

void Endpoints::mark(std::string_view url, TimePoint now) {
    const Lock lock{mutex_};
    mark(lock, trouble_of(lock, url), now);
}

void Endpoints::note_timeout(std::string_view url, TimePoint now) {
    if (options_.timeouts_to_mark <= 0) return;
    const Lock lock{mutex_};
    Trouble& trouble = trouble_of(lock, url);
    if (++trouble.timeouts >= options_.timeouts_to_mark) mark(lock, trouble, now);
}

void Endpoints::note_answer(std::string_view url) {
    // A timeout that is noted at this very moment may be missed: then the answer counts as earlier.
    if (!troubled_.load(std::memory_order_relaxed)) return;
    const Lock lock{mutex_};
    const auto found = troubles_.find(url);
    if (found == troubles_.end()) return;
    found->second.timeouts = 0;
    if (found->second.marked_at == unmarked) troubles_.erase(found);
    troubled_.store(!troubles_.empty(), std::memory_order_relaxed);
}

std::shared_ptr<const EndpointList> Endpoints::order(TimePoint now) const {
    const Lock lock{mutex_};
    if (troubles_.empty() || preferred_->size() < 2) return preferred_;
    if (!order_ || now >= order_until_) {
        forget_expired(lock, now);
        order_ = sorted(lock);
    }
    return order_;
}

bool Endpoints::marked(std::string_view url, TimePoint now) const {
    const Lock lock{mutex_};
    const auto found = troubles_.find(url);
    return found != troubles_.end() && found->second.marked_at != unmarked &&
           !expired(found->second, now);
}

bool Endpoints::expired(const Trouble& trouble, TimePoint now) const noexcept {
    return now >= after(trouble.marked_at, options_.mark_for);
}

Endpoints::Trouble& Endpoints::trouble_of(const Lock& /*lock*/, std::string_view url) {
    if (const auto found = troubles_.find(url); found != troubles_.end()) return found->second;
    if (troubles_.size() >= most_troubles)
        troubles_.erase(std::ranges::min_element(
            troubles_, {}, [](const auto& entry) { return entry.second.marked_at; }));
    troubled_.store(true, std::memory_order_relaxed);
    return troubles_.try_emplace(std::string{url}).first->second;
}

void Endpoints::mark(const Lock& /*lock*/, Trouble& trouble, TimePoint now) {
    trouble = {.timeouts = 0, .marked_at = now};
    order_.reset();
}

void Endpoints::forget_expired(const Lock& /*lock*/, TimePoint now) const {
    for (auto& [url, trouble] : troubles_)
        if (trouble.marked_at != unmarked && expired(trouble, now)) trouble.marked_at = unmarked;
    std::erase_if(troubles_, [](const auto& entry) {
        return entry.second.marked_at == unmarked && entry.second.timeouts == 0;
    });
    troubled_.store(!troubles_.empty(), std::memory_order_relaxed);
}

std::shared_ptr<const EndpointList> Endpoints::sorted(const Lock& /*lock*/) const {
    order_until_ = TimePoint::max();
    std::vector<std::pair<TimePoint, std::size_t>> places;  // equal marks stay by preference
    places.reserve(preferred_->size());
    for (std::size_t i = 0; i < preferred_->size(); ++i) {
        const auto found = troubles_.find((*preferred_)[i]);
        const TimePoint marked_at = found == troubles_.end() ? unmarked : found->second.marked_at;
        places.emplace_back(marked_at, i);
        if (marked_at != unmarked)
            order_until_ = std::min(order_until_, after(marked_at, options_.mark_for));
    }
    if (std::ranges::is_sorted(places)) return preferred_;
    std::ranges::sort(places);
    EndpointList urls;
    urls.reserve(places.size());
    for (const auto& place : places) urls.push_back((*preferred_)[place.second]);
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
