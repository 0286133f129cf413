// SPDX-License-Identifier: Apache-2.0
#include "doctor/timeline.hpp"

#include <algorithm>

namespace tool::doctor {

void Slot::merge(const Slot& other) {
    calls += other.calls;
    lines += other.lines;
    failed += other.failed;
    affected += other.affected;
    attempts += other.attempts;
    troubled += other.troubled;
    timed_out += other.timed_out;
    overloaded += other.overloaded;
    retried += other.retried;
    retried_in_vain += other.retried_in_vain;
    intervals += other.intervals;
    starved += other.starved;
    elapsed.merge(other.elapsed);
}

Slot& Timeline::at(std::int64_t time) {
    for (;;) {
        const auto [place, fresh] = slots_.try_emplace(time / width_);
        if (!fresh || slots_.size() <= most_) return place->second;
        widen();
    }
}

void Timeline::widen() {
    width_ *= 2;
    std::map<std::int64_t, Slot> wider;
    for (const auto& [at, slot] : slots_) wider[at / 2].merge(slot);
    slots_ = std::move(wider);
}

Share Timeline::without_blips(const Count& count) const {
    Share all;
    std::map<std::int64_t, Share> left;
    for (const auto& [at, slot] : slots_) {
        if (slot.calls == 0) continue;
        const Share share{std::min(count(slot), slot.calls), slot.calls};
        left[at] = share;
        all.part += share.part;
        all.of += share.of;
    }
    // With so few slots a blip and a state cannot be told apart.
    if (left.size() < 12) return all;
    const std::int64_t span = left.rbegin()->first - left.begin()->first + 1;
    const std::int64_t wide = std::max<std::int64_t>(3, span / 25);
    for (int blip = 0; blip < 3; ++blip) {
        std::uint64_t most = 0, inside = 0;
        std::int64_t worst = 0;
        auto first = left.begin();
        for (auto last = left.begin(); last != left.end(); ++last) {
            inside += last->second.part;
            for (; first->first <= last->first - wide; ++first) inside -= first->second.part;
            if (inside > most) {
                most = inside;
                worst = last->first - wide + 1;
            }
        }
        if (most == 0) break;
        const auto begin = left.lower_bound(worst), end = left.lower_bound(worst + wide);
        for (auto at = begin; at != end; ++at) {
            all.part -= at->second.part;
            all.of -= at->second.of;
        }
        left.erase(begin, end);
    }
    return all;
}

Share Timeline::affected_without_blips() const {
    return without_blips([](const Slot& slot) { return slot.affected; });
}

Share Timeline::slow_without_blips(std::uint64_t above) const {
    return without_blips([above](const Slot& slot) { return slot.elapsed.above(above); });
}

}  // namespace tool::doctor
