// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <thread>

#include <sched.h>

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

// What a container may use: "max 100000" or "150000 100000", quota and period. 0: no limit known.
double cgroup_quota() noexcept {
    std::FILE* const file = std::fopen("/sys/fs/cgroup/cpu.max", "re");
    if (!file) return 0;
    long long quota = 0, period = 0;
    const int found = std::fscanf(file, "%lld %lld", &quota, &period);
    (void)std::fclose(file);
    return found == 2 && period > 0 ? static_cast<double>(quota) / static_cast<double>(period) : 0;
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

    [[nodiscard]] Duration process_cpu() const noexcept override {
        return read(CLOCK_PROCESS_CPUTIME_ID);
    }
    [[nodiscard]] double allowed_cores() const noexcept override {
        cpu_set_t set;
        const bool known = sched_getaffinity(0, sizeof set, &set) == 0;
        const double cores = known ? CPU_COUNT(&set) : 1;
        const double quota = cgroup_quota();
        return quota > 0 ? std::min(cores, quota) : cores;
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
    // Never destroyed: the thread of default_executor() may still read it while the process exits.
    static SystemClock* const only = new SystemClock;
    return *only;
}

}  // namespace v0
}  // namespace perdure
