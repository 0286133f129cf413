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

Woken VirtualClock::move_to(TimePoint until, const std::stop_token& stop) {
    while (!stop.stop_requested() && !planned_.empty() && planned_.begin()->first <= until) {
        auto next = planned_.extract(planned_.begin());
        now_ = std::max(now_, next.key());
        next.mapped()();
    }
    if (stop.stop_requested()) return Woken::by_stop;
    now_ = std::max(now_, until);
    return Woken::on_time;
}

}  // namespace testing
}  // namespace v0
}  // namespace perdure
