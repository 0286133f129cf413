// SPDX-License-Identifier: Apache-2.0
#include "perdure/testing/virtual_clock.hpp"

#include <algorithm>
#include <utility>

namespace perdure {
inline namespace v0 {
namespace testing {

Woken VirtualClock::sleep_until(TimePoint until, const std::stop_token& stop) {
    const TimePoint from = now_;
    const Woken woken = move_to(until, stop);
    naps_.push_back(now_ - from);
    return woken;
}

void VirtualClock::advance(Duration by) { move_to(after(now_, by), {}); }

void VirtualClock::at(TimePoint time, std::function<void()> happening) {
    planned_.emplace(time, std::move(happening));
}

bool VirtualClock::step_towards(TimePoint until) {
    if (planned_.empty() || planned_.begin()->first > until) {
        now_ = std::max(now_, until);
        return false;
    }
    auto next = planned_.extract(planned_.begin());
    now_ = std::max(now_, next.key());
    next.mapped()();
    return true;
}

Woken VirtualClock::move_to(TimePoint until, const std::stop_token& stop) {
    while (!stop.stop_requested())
        if (!step_towards(until)) return Woken::on_time;
    return Woken::by_stop;
}

}  // namespace testing
}  // namespace v0
}  // namespace perdure
