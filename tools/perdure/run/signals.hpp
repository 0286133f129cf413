// SPDX-License-Identifier: Apache-2.0
//
// How does a process wait for a child, for a time and for signals at once, without a thread and
// without looking again and again? Signals are blocked and taken out one by one.
//
//     Signals signals;
//     while (const auto signal = signals.next(deadline)) …   // nothing: the deadline has come
//
// SIGCHLD is one of them, so a child's end is a signal like any other.
#pragma once

#include <csignal>
#include <optional>
#include <stop_token>

#include "perdure/time/clock.hpp"

namespace tool {

using namespace perdure;

// One per process, used by its only thread.
class Signals {
public:
    Signals();

    // The next signal that is for us, or nothing once `until` has come.
    std::optional<int> next(TimePoint until);

    // Asked for by SIGINT, SIGTERM, SIGHUP and SIGQUIT.
    [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }
    [[nodiscard]] int ended_by() const noexcept { return ended_by_; }  // the first of them; 0: none
    // As if the signal had come to us: Ctrl-C in a terminal that a command has for itself.
    void note(int signal);

    // What a new process found when it began. For the child, between fork and exec.
    void restore() const noexcept;

private:
    sigset_t taken_{};
    sigset_t mask_at_start_{};
    struct sigaction child_at_start_{};
    std::stop_source stop_;
    int ended_by_ = 0;
};

// Does to ourselves what the signal does by default: stops us, until SIGCONT. Without effect where
// nobody is left who could continue us.
void stop_like(int signal) noexcept;

// The machine's clock, on which a sleep also listens to signals.
class ListeningClock final : public Clock {
public:
    explicit ListeningClock(Signals& signals) noexcept : signals_{signals} {}

    [[nodiscard]] TimePoint now() const noexcept override { return system_clock().now(); }
    [[nodiscard]] WallTime wall() const noexcept override { return system_clock().wall(); }
    [[nodiscard]] Duration thread_cpu() const noexcept override {
        return system_clock().thread_cpu();
    }
    Woken sleep_until(TimePoint until, const std::stop_token& stop) override;

private:
    Signals& signals_;
};

}  // namespace tool
