// SPDX-License-Identifier: Apache-2.0
#include "perdure/testing/virtual_loop.hpp"

namespace perdure {
inline namespace v0 {
namespace testing {

void VirtualLoop::post(Job& job) noexcept {
    job.next = nullptr;
    (last_ ? last_->next : first_) = &job;
    last_ = &job;
}

void VirtualLoop::arm(Alarm& alarm, TimePoint when) noexcept {
    disarm(alarm);
    alarm.when = when;
    alarm.armed_on = this;
    alarm.order = ++armed_;
    alarms_.emplace(Order{when, alarm.order}, &alarm);
}

void VirtualLoop::disarm(Alarm& alarm) noexcept {
    if (std::exchange(alarm.armed_on, nullptr)) alarms_.erase(Order{alarm.when, alarm.order});
}

bool VirtualLoop::turn() {
    if (Job* job = first_) {
        first_ = job->next;
        if (!first_) last_ = nullptr;
        job->run(*job);
        return true;
    }
    if (alarms_.empty()) return false;
    const auto next = alarms_.begin();
    Alarm& alarm = *next->second;
    // Something planned on the clock may come first, and post or disarm; look again after it.
    if (clock_.step_towards(alarm.when)) return true;
    alarms_.erase(next);
    alarm.armed_on = nullptr;
    alarm.ring(alarm);
    return true;
}

}  // namespace testing
}  // namespace v0
}  // namespace perdure
