// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/sleep.hpp"

namespace perdure {
inline namespace v0 {

void Sleep::await_suspend(std::coroutine_handle<> waiting) {
    waiting_ = waiting;
    executor_.arm(alarm_, until_);
    // Last: from here on a stop may wake the coroutine, or already has sent for it.
    if (stop_.stop_possible()) on_stop_.emplace(stop_, OnStop{this});
}

Woken Sleep::await_resume() noexcept {
    on_stop_.reset();  // waits for a callback that is running on another thread
    executor_.disarm(alarm_);
    return stop_.stop_requested() ? Woken::by_stop : Woken::on_time;
}

void Sleep::rung(Alarm& alarm) {
    Sleep& self = *static_cast<Bell&>(alarm).sleep;
    if (!self.claimed_.exchange(true)) self.waiting_.resume();
}

// Always by post, also on the executor's own thread: the one who requests the stop must not find
// itself inside the coroutine it is cancelling.
void Sleep::stopped() noexcept {
    if (!claimed_.exchange(true)) executor_.post(job_);
}

void Sleep::fetched(Job& job) { static_cast<Errand&>(job).sleep->waiting_.resume(); }

}  // namespace v0
}  // namespace perdure
