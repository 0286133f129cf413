// SPDX-License-Identifier: Apache-2.0
//
// Where do the attempts of one call go, when several services can answer it? As http::Journey says,
// without its locks: those without a mark first, each once before any twice.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "perdure/call/memory.hpp"
#include "perdure/policy/place.hpp"
#include "perdure/sim/scenario.hpp"

namespace perdure {
inline namespace v0 {
namespace sim {

// What one client knows of a service it can choose.
struct KnownPlace {
    KnownPlace(const Scenario& scenario, int index, Memory& memory)
        : service{static_cast<std::uint8_t>(index)},
          place{scenario.services[static_cast<std::size_t>(index)].name,
                memory.budget().for_place()} {}
    const std::uint8_t service;
    Place place;
};
using KnownPlaces = std::vector<std::unique_ptr<KnownPlace>>;  // the best first

// Belongs to a call.
class Route final : public Places {
public:
    explicit Route(KnownPlaces* known) : known_{known} {}

    [[nodiscard]] Place& at(int endpoint, TimePoint now) override {
        return known_at(endpoint, now).place;
    }
    [[nodiscard]] std::uint8_t service_at(int endpoint, TimePoint now) {
        return known_at(endpoint, now).service;
    }
    [[nodiscard]] int count(TimePoint) const override { return static_cast<int>(known_->size()); }

private:
    // Numbers beyond share places with earlier ones, so that a call without end stays bounded.
    static constexpr std::size_t most_places = 64;

    KnownPlace& known_at(int endpoint, TimePoint now) {
        const std::size_t index = static_cast<std::size_t>(endpoint) % most_places;
        while (visited_.size() <= index) visited_.push_back(next(now));
        return *visited_[index];
    }
    [[nodiscard]] bool been_at(const KnownPlace& place, std::size_t since) const {
        for (std::size_t i = since; i < visited_.size(); ++i)
            if (visited_[i] == &place) return true;
        return false;
    }
    KnownPlace* next(TimePoint now) {
        KnownPlace* best = best_of_round(now);
        if (best) return best;
        round_ = visited_.size();
        return best_of_round(now);
    }
    // Of the marked ones that whose mark ends first; of equals the one that is preferred.
    KnownPlace* best_of_round(TimePoint now) {
        const auto mark_of = [now](const KnownPlace& one) {
            return one.place.marked(now) ? one.place.marked_until() : TimePoint::min();
        };
        KnownPlace* best = nullptr;
        for (const auto& one : *known_)
            if (!been_at(*one, round_) && (!best || mark_of(*one) < mark_of(*best)))
                best = one.get();
        return best;
    }

    KnownPlaces* known_;
    std::vector<KnownPlace*> visited_{};
    std::size_t round_ = 0;  // where the present round of all places began
};

}  // namespace sim
}  // namespace v0
}  // namespace perdure
