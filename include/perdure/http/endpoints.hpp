// SPDX-License-Identifier: Apache-2.0
//
// Where? Several places that can answer, in order of preference, and one call's memory of where it has
// been.
//
//     http::Endpoints regions{{"https://east.example", "https://west.example"}};
//     http::Journey journey{regions};
//     const std::string& url = journey.at(attempt.endpoint, now).name();   // east; after a move, west
//     if (failure.remedies.has(Remedy::mark_endpoint)) regions.mark(url, now, random);
//
// A mark puts an endpoint last for a while; it never takes one out, because a place that is marked is
// better than none.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/policy/place.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

using EndpointList = std::vector<std::string>;

// Shared: every member may be called from any thread. Long-lived, one per dependency.
class Endpoints {
public:
    // The best first; what stands twice counts once. Each has a budget of its own beside the
    // dependency's, which must outlive it, where that is given and is of a kind that has places.
    explicit Endpoints(EndpointList urls, PlaceOptions options = {},
                       const Budget* dependency = nullptr);
    Endpoints(const Endpoints&) = delete;
    Endpoints& operator=(const Endpoints&) = delete;
    ~Endpoints();

    // A new list. Marks and budgets stay with their endpoints, also with one that is gone and comes
    // back before its mark has expired.
    void refresh(EndpointList urls);

    void mark(std::string_view url, TimePoint now, Random& random);
    [[nodiscard]] bool marked(std::string_view url, TimePoint now) const;

    // Those without a mark by preference, then those whose mark ends soonest. Empty only if the list is.
    // One short lock; a new list is made only while there are marks.
    [[nodiscard]] std::shared_ptr<const EndpointList> order(TimePoint now) const;

    // Its budget and health; made when first asked for.
    [[nodiscard]] std::shared_ptr<Place> place(std::string_view url);

private:
    friend class Journey;
    struct Inside;  // src/http
    const std::unique_ptr<Inside> inside_;
};

// One call's memory. Belongs to the call; used by one thread at a time. The endpoints must outlive it.
class Journey final : public Places {
public:
    explicit Journey(Endpoints& endpoints) noexcept : endpoints_{&endpoints} {}

    // A new number is the best place of now where this call has not been yet. When it has been
    // everywhere it starts again. Valid as long as the journey; a place without a name if there are no
    // endpoints.
    [[nodiscard]] Place& at(int endpoint, TimePoint now) override;
    [[nodiscard]] int count(TimePoint now) const override;
    // Five copies in a row that won at one place make it the first.
    void race_ended(Place* winning_copy) override;

private:
    // Numbers beyond share places with earlier ones, so that a call without end stays bounded.
    static constexpr std::size_t most_places = 64;
    using Visited = std::shared_ptr<Place>;

    [[nodiscard]] const Visited& visited(std::size_t index) const {
        return index == 0 ? first_ : more_[index - 1];
    }
    [[nodiscard]] bool been_at(const Place& place, std::size_t since) const;
    [[nodiscard]] Visited next(TimePoint now);

    Endpoints* endpoints_;
    Visited first_{};  // most calls need no other
    std::vector<Visited> more_{};
    std::size_t count_ = 0;
    std::size_t round_ = 0;  // where the present round of all endpoints began
};

}  // namespace http
}  // namespace v0
}  // namespace perdure
