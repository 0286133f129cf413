// SPDX-License-Identifier: Apache-2.0
#include "chaos/cutter.hpp"

#include <algorithm>
#include <utility>

namespace perdure {
inline namespace v0 {
namespace chaos {

void Cutter::arm(std::shared_ptr<const Plan> plan, const std::vector<std::size_t>& rules) {
    plan_ = std::move(plan);
    searches_.clear();
    for (const std::size_t rule : rules) {
        const Rule& one = plan_->rules[rule];
        searches_.push_back({rule, toward_of(one), MarkerSearch{one.marker}});
    }
}

void Cutter::arm_all(std::shared_ptr<const Plan> plan) {
    std::vector<std::size_t> rules;
    for (std::size_t i = 0; i < plan->rules.size(); ++i)
        if (plan->rules[i].fault == Fault::cut_at_marker) rules.push_back(i);
    arm(std::move(plan), rules);
}

// Where the first marker that cuts ends in this piece.
std::optional<std::size_t> Cutter::sighted(Search& one, std::string_view bytes, Judge& judge) {
    auto end = one.search.next(bytes, 0);
    while (end && !judge.sighting(one.rule)) end = one.search.next(bytes, *end);
    return end;
}

std::optional<Cut> Cutter::pass(Toward toward, std::string_view bytes, Judge& judge) {
    // A plan that is no longer in force cuts nothing.
    if (!is_for(judge.plan())) return {};
    std::optional<Cut> first;
    std::size_t first_end = 0;
    for (Search& one : searches_) {
        const auto end = one.toward == toward ? sighted(one, bytes, judge) : std::nullopt;
        if (!end || (first && first_end <= *end)) continue;
        const Rule& rule = plan_->rules[one.rule];
        // After means all that was read with it: the byte that ends the statement comes behind the
        // marker. Before means the marker is never whole on the other side; its beginning may have
        // gone there with an earlier piece.
        const std::size_t before = *end - std::min(*end, one.search.length());
        first = Cut{&rule, rule.when == When::before ? before : bytes.size()};
        first_end = *end;
    }
    return first;
}

}  // namespace chaos
}  // namespace v0
}  // namespace perdure
