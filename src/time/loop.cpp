// SPDX-License-Identifier: Apache-2.0
#include "perdure/time/loop.hpp"

#include <utility>

namespace perdure {
inline namespace v0 {

Executor::~Executor() = default;

namespace {

// Whose thread this is. One word per thread is cheaper to ask than the thread's id.
constinit thread_local const Executor* running_here = nullptr;

}  // namespace

Loop::Loop()
    : clock_{system_clock()},
      wheel_{clock_.now()},
      thread_{[this](const std::stop_token& stop) { turn(stop); }} {}

Loop::~Loop() {
    thread_.request_stop();
    thread_.join();
}

bool Loop::here() const noexcept { return running_here == this; }

void Loop::post(Job& job) noexcept {
    job.next = nullptr;
    {
        const std::lock_guard held{mutex_};
        (last_ ? last_->next : first_) = &job;
        last_ = &job;
    }
    wake_.notify_one();
}

void Loop::arm(Alarm& alarm, TimePoint when) noexcept {
    alarm.when = when;
    wheel_.insert(alarm, when);
}

void Loop::disarm(Alarm& alarm) noexcept { wheel_.cancel(alarm); }

Job* Loop::take_jobs(std::unique_lock<std::mutex>& held, const std::stop_token& stop) {
    const TimePoint due = wheel_.next_due();
    const auto has_jobs = [this] { return first_ != nullptr; };
    if (due == TimePoint::max()) wake_.wait(held, stop, has_jobs);
    else wake_.wait_until(held, stop, due, has_jobs);
    last_ = nullptr;
    return std::exchange(first_, nullptr);
}

void Loop::turn(const std::stop_token& stop) {
    running_here = this;
    while (!stop.stop_requested()) {
        std::unique_lock held{mutex_};
        Job* job = take_jobs(held, stop);
        held.unlock();
        while (job) {
            Job& now = *job;
            job = job->next;  // the job may be gone once it has run
            now.run(now);
        }
        wheel_.advance(clock_.now(), [](Timer& due) {
            auto& alarm = static_cast<Alarm&>(due);
            alarm.ring(alarm);
        });
    }
}

Executor& default_executor() {
    static auto* const loop = new Loop;
    return *loop;
}

}  // namespace v0
}  // namespace perdure
