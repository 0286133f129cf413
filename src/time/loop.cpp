// SPDX-License-Identifier: Apache-2.0
#include "perdure/time/loop.hpp"

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "perdure/time/start_thread.hpp"

namespace perdure {
inline namespace v0 {

Executor::~Executor() = default;

namespace {

// Whose thread this is. One word per thread is cheaper to ask than the thread's id.
constinit thread_local const Executor* running_here = nullptr;

}  // namespace

struct Loop::Inside {
    explicit Inside(const Executor* whose)
        : clock{system_clock()},
          wheel{clock.now()},
          thread{start_thread_or_throw([this, whose](const std::stop_token& stop) {
              running_here = whose;
              turn(stop);
          })} {}

    void turn(const std::stop_token& stop);
    Job* take_jobs(std::unique_lock<std::mutex>& held, const std::stop_token& stop);

    Clock& clock;
    Wheel wheel;  // the loop's thread only
    std::mutex mutex;
    std::condition_variable_any wake;
    Job* first = nullptr;
    Job* last = nullptr;
    std::jthread thread;  // the last member: it uses the others
};

Job* Loop::Inside::take_jobs(std::unique_lock<std::mutex>& held, const std::stop_token& stop) {
    const TimePoint due = wheel.next_due();
    const auto has_jobs = [this] { return first != nullptr; };
    if (due == TimePoint::max()) wake.wait(held, stop, has_jobs);
    else wake.wait_until(held, stop, due, has_jobs);
    last = nullptr;
    return std::exchange(first, nullptr);
}

void Loop::Inside::turn(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        std::unique_lock held{mutex};
        Job* job = take_jobs(held, stop);
        held.unlock();
        while (job) {
            Job& now = *job;
            job = job->next;  // the job may be gone once it has run
            now.run(now);
        }
        wheel.advance(clock.now(), [](Timer& due) {
            auto& alarm = static_cast<Alarm&>(due);
            alarm.ring(alarm);
        });
    }
}

Loop::Loop() : inside_{std::make_unique<Inside>(this)} {}

Loop::~Loop() {
    inside_->thread.request_stop();
    inside_->thread.join();
}

Clock& Loop::clock() noexcept { return inside_->clock; }

bool Loop::here() const noexcept { return running_here == this; }

void Loop::post(Job& job) noexcept {
    Inside& inside = *inside_;
    job.next = nullptr;
    {
        const std::lock_guard held{inside.mutex};
        (inside.last ? inside.last->next : inside.first) = &job;
        inside.last = &job;
    }
    inside.wake.notify_one();
}

void Loop::arm(Alarm& alarm, TimePoint when) noexcept {
    alarm.when = when;
    inside_->wheel.insert(alarm, when);
}

void Loop::disarm(Alarm& alarm) noexcept { inside_->wheel.cancel(alarm); }

Executor& default_executor() {
    static auto* const loop = new Loop;
    return *loop;
}

Executor* default_executor_or_null() noexcept {
    try {
        return &default_executor();
    } catch (const std::system_error&) {
        return nullptr;
    }
}

}  // namespace v0
}  // namespace perdure
