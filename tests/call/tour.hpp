// SPDX-License-Identifier: Apache-2.0
//
// The places of one call, in a fixed order.
#pragma once

#include <algorithm>
#include <deque>
#include <vector>

#include "perdure/policy/place.hpp"
#include "perdure/testing/virtual_clock.hpp"

namespace perdure::testing {

// As http::Journey: unmarked ones first, each once before any twice. Used by one thread.
class Tour final : public Places {
public:
    explicit Tour(std::deque<Place>& places) : places_{places} {}
    Place& at(int endpoint, TimePoint now) override {
        while (visited_.size() <= static_cast<std::size_t>(endpoint)) visited_.push_back(next(now));
        return *visited_[static_cast<std::size_t>(endpoint)];
    }
    int count(TimePoint) const override { return static_cast<int>(places_.size()); }

private:
    bool been_at(const Place& place) const {
        return std::ranges::find(visited_, &place) != visited_.end();
    }
    Place* next(TimePoint now) {
        for (Place& place : places_)
            if (!place.marked(now) && !been_at(place)) return &place;
        for (Place& place : places_)
            if (!been_at(place)) return &place;
        return &places_[visited_.size() % places_.size()];
    }
    std::deque<Place>& places_;
    std::vector<Place*> visited_;
};

}  // namespace perdure::testing
