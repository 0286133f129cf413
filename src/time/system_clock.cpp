// SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <thread>

#include "perdure/time/clock.hpp"

namespace perdure {
inline namespace v0 {

Clock::~Clock() = default;

namespace {

Duration read(clockid_t id) noexcept {
    timespec at;  // not cleared first: this is on the path of every call, twice
    clock_gettime(id, &at);
    return std::chrono::seconds{at.tv_sec} + std::chrono::nanoseconds{at.tv_nsec};
}

class SystemClock final : public Clock {
public:
    [[nodiscard]] TimePoint now() const noexcept override {
        return TimePoint{read(CLOCK_MONOTONIC)};
    }
    [[nodiscard]] WallTime wall() const noexcept override { return WallTime{read(CLOCK_REALTIME)}; }
    [[nodiscard]] Duration thread_cpu() const noexcept override {
        return read(CLOCK_THREAD_CPUTIME_ID);
    }

    Woken sleep_until(TimePoint until, const std::stop_token& stop) override {
        if (!stop.stop_possible()) {
            std::this_thread::sleep_until(until);
            return Woken::on_time;
        }
        std::mutex mutex;
        std::condition_variable_any wake;
        std::unique_lock lock{mutex};
        wake.wait_until(lock, stop, until, [] { return false; });
        return stop.stop_requested() ? Woken::by_stop : Woken::on_time;
    }
};

}  // namespace

Clock& system_clock() noexcept {
    static SystemClock clock;
    return clock;
}

}  // namespace v0
}  // namespace perdure
