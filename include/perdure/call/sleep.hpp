// SPDX-License-Identifier: Apache-2.0
//
// How does a coroutine wait without holding a thread?
//
//     auto nap = perdure::sleep_until(executor, executor.clock().now() + 20ms, attempt.stop());
//     if (co_await nap == Woken::by_stop) co_return fail({.cause = Cause::cancelled});
#pragma once

#include <atomic>
#include <coroutine>
#include <optional>
#include <stop_token>
#include <utility>

#include "perdure/time/executor.hpp"

namespace perdure {
inline namespace v0 {

// Awaited once, on the executor's thread. The stop may come from any thread; the coroutine wakes on
// the executor's.
class [[nodiscard]] Sleep {
public:
    Sleep(Executor& executor, TimePoint until, std::stop_token stop) noexcept
        : executor_{executor}, until_{until}, stop_{std::move(stop)}, alarm_{this}, job_{this} {}
    Sleep(const Sleep&) = delete;
    Sleep& operator=(const Sleep&) = delete;

    bool await_ready() const noexcept { return stop_.stop_requested(); }
    void await_suspend(std::coroutine_handle<> waiting);
    Woken await_resume() noexcept;

private:
    struct Bell : Alarm {
        explicit Bell(Sleep* whose) noexcept : Alarm{&Sleep::rung}, sleep{whose} {}
        Sleep* sleep;
    };
    struct Errand : Job {
        explicit Errand(Sleep* whose) noexcept : Job{&Sleep::fetched}, sleep{whose} {}
        Sleep* sleep;
    };
    struct OnStop {
        void operator()() const noexcept { sleep->stopped(); }
        Sleep* sleep;
    };
    static void rung(Alarm& alarm);
    static void fetched(Job& job);
    void stopped() noexcept;

    Executor& executor_;
    TimePoint until_;
    std::stop_token stop_;
    Bell alarm_;
    Errand job_;
    std::coroutine_handle<> waiting_;
    std::atomic<bool> claimed_{false};  // by the alarm or by the stop, whoever came first
    std::optional<std::stop_callback<OnStop>> on_stop_;
};

inline Sleep sleep_until(Executor& executor, TimePoint until, std::stop_token stop = {}) {
    return Sleep{executor, until, std::move(stop)};
}

}  // namespace v0
}  // namespace perdure
