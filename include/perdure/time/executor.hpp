// SPDX-License-Identifier: Apache-2.0
//
// Who resumes a coroutine, and when? One thread that runs jobs and rings alarms.
//
//     executor.post(job);                       // from any thread
//     executor.arm(alarm, executor.clock().now() + 2s);
//
// Two of them: `Loop` on real time, `testing::VirtualLoop` on virtual time. Others (Asio) can be
// written outside.
#pragma once

#include <cstdint>

#include "perdure/time/clock.hpp"
#include "perdure/time/wheel.hpp"

namespace perdure {
inline namespace v0 {

class Executor;

// Something to be run once. The links live in it, so posting allocates nothing; it must live until
// it has run.
struct Job {
    using Run = void (*)(Job&);
    explicit Job(Run what) noexcept : run{what} {}
    Run run;
    Job* next = nullptr;
};

// Something to be rung at a time. Belongs to the executor's thread; dying disarms it.
class Alarm : public Timer {
public:
    using Ring = void (*)(Alarm&);
    explicit Alarm(Ring what) noexcept : ring{what} {}
    ~Alarm();
    Ring ring;
    TimePoint when{};
    // For executors that do not keep alarms in a wheel.
    Executor* armed_on = nullptr;
    std::uint64_t order = 0;
};

class Executor {
public:
    Executor() = default;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;
    virtual ~Executor();

    [[nodiscard]] virtual Clock& clock() noexcept = 0;
    // Whether the caller is the executor's thread, so that it may touch alarms.
    [[nodiscard]] virtual bool here() const noexcept = 0;
    // Any thread. Jobs run in the order they were posted, never inside post().
    virtual void post(Job& job) noexcept = 0;
    // The executor's thread only. Never rings inside arm().
    virtual void arm(Alarm& alarm, TimePoint when) noexcept = 0;
    virtual void disarm(Alarm& alarm) noexcept = 0;
};

inline Alarm::~Alarm() {
    if (armed_on) armed_on->disarm(*this);
}

}  // namespace v0
}  // namespace perdure
