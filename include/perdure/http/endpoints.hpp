// SPDX-License-Identifier: Apache-2.0
//
// Where? Several places that can answer, in order of preference, and one call's memory of where it has
// been.
//
//     http::Endpoints regions{{"https://east.example", "https://west.example"}};
//     http::Journey journey{regions};
//     const std::string& url = journey.at(attempt.endpoint, now);    // east; after a move, west
//     if (failure.remedies.has(Remedy::mark_endpoint)) regions.mark(url, now);
//
// A mark puts an endpoint last for a while; it never takes one out, because a place that is marked is
// better than none.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

struct EndpointOptions {
    Duration mark_for = 5min;  // as the Azure Cosmos DB clients do
    // So many in a row, without an answer between them, mark an endpoint; 0: never. One timeout says
    // nothing about a place.
    int timeouts_to_mark = 3;
};

using EndpointList = std::vector<std::string>;

// Shared: every member may be called from any thread. Long-lived, one per dependency.
class Endpoints {
public:
    // The best first; what stands twice counts once.
    explicit Endpoints(EndpointList urls, EndpointOptions options = {});
    Endpoints(const Endpoints&) = delete;
    Endpoints& operator=(const Endpoints&) = delete;
    ~Endpoints();

    // A new list. Marks stay with their endpoints, also with one that is gone and comes back before
    // its mark has expired.
    void refresh(EndpointList urls);

    void mark(std::string_view url, TimePoint now);
    void note_timeout(std::string_view url, TimePoint now);
    // Any answer: the endpoint is there. Ends a row of timeouts, but no mark: who answers may still
    // have been marked for what it answered. Costs one atomic read while nothing is wrong.
    void note_answer(std::string_view url);

    // Those without a mark by preference, then the marked, the oldest mark first. Empty only if the
    // list is. One short lock; a new list is made only after a change.
    [[nodiscard]] std::shared_ptr<const EndpointList> order(TimePoint now) const;

    [[nodiscard]] bool marked(std::string_view url, TimePoint now) const;

private:
    struct Inside;  // src/http
    const std::unique_ptr<Inside> inside_;
};

// One call's memory. Belongs to the call; used by one thread at a time. The endpoints must outlive it.
class Journey {
public:
    explicit Journey(const Endpoints& endpoints) noexcept : endpoints_{&endpoints} {}

    // The place of an endpoint index (Attempt::endpoint): the same index, the same place; a new one,
    // the best place of now where this call has not been yet. When it has been everywhere it starts
    // again. Valid as long as the journey; the empty string if there are no endpoints.
    [[nodiscard]] const std::string& at(int endpoint, TimePoint now);

private:
    // Indexes beyond share places with earlier ones, so that a call without end stays bounded.
    static constexpr std::size_t most_places = 64;
    struct Place {
        std::shared_ptr<const EndpointList> list;
        std::size_t index = 0;
        [[nodiscard]] const std::string& url() const { return (*list)[index]; }
    };
    [[nodiscard]] const Place& place(std::size_t index) const {
        return index == 0 ? first_ : more_[index - 1];
    }
    [[nodiscard]] bool been_at(std::string_view url) const;
    [[nodiscard]] Place next(TimePoint now);

    const Endpoints* endpoints_;
    Place first_{};  // most calls need no other
    std::vector<Place> more_{};
    std::size_t count_ = 0;
    std::size_t round_ = 0;  // where the present round of all endpoints began
};

}  // namespace http
}  // namespace v0
}  // namespace perdure
