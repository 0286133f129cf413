// SPDX-License-Identifier: Apache-2.0
#include "run/signals.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <sys/wait.h>

namespace tool {

namespace {

constexpr std::array<int, 4> ending{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr std::array<int, 4> others{SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};
// Blocked and never taken: a write into a closed pipe, and what a job in the background gets for
// speaking to its terminal, show as errors of the call instead.
constexpr std::array<int, 2> unheard{SIGPIPE, SIGTTOU};

bool is_ignored(int signal) {
    struct sigaction now{};
    return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

Signals::Signals() {
    sigemptyset(&taken_);
    // Who ignores a signal for us (nohup, a shell's background job) means us to ignore it.
    for (const int signal : ending)
        if (!is_ignored(signal)) sigaddset(&taken_, signal);
    for (const int signal : others)
        if (!is_ignored(signal)) sigaddset(&taken_, signal);
    sigaddset(&taken_, SIGCHLD);

    sigset_t blocked = taken_;
    for (const int signal : unheard) sigaddset(&blocked, signal);
    pthread_sigmask(SIG_BLOCK, &blocked, &mask_at_start_);

    // Where it is ignored, children vanish without an exit status.
    struct sigaction standard{};
    standard.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &standard, &child_at_start_);
}

void Signals::restore() const noexcept {
    sigaction(SIGCHLD, &child_at_start_, nullptr);
    pthread_sigmask(SIG_SETMASK, &mask_at_start_, nullptr);
}

std::optional<int> Signals::next(TimePoint until) {
    for (;;) {
        const TimePoint now = system_clock().now();
        // In pieces of an hour, since "no deadline" is too far for the kernel.
        const Duration left = until <= now ? Duration::zero() : std::min(until - now, Duration{1h});
        const timespec wait{.tv_sec = left / 1s, .tv_nsec = (left % 1s).count()};
        const int signal = sigtimedwait(&taken_, nullptr, &wait);
        if (signal > 0) {
            note(signal);
            return signal;
        }
        if (errno == EAGAIN && until <= now) return std::nullopt;
    }
}

void Signals::note(int signal) {
    if (ended_by_ != 0 || std::ranges::find(ending, signal) == ending.end()) return;
    ended_by_ = signal;
    stop_.request_stop();
}

void stop_like(int signal) noexcept {
    sigset_t one{};
    sigset_t before{};
    sigemptyset(&one);
    sigaddset(&one, signal);
    raise(signal);
    pthread_sigmask(SIG_UNBLOCK, &one, &before);  // here we stand still
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Woken ListeningClock::sleep_until(TimePoint until, const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        const auto signal = signals_.next(until);
        if (!signal) return Woken::on_time;
        if (*signal == SIGTSTP) stop_like(SIGTSTP);
        // What an earlier attempt left behind and we inherited.
        if (*signal == SIGCHLD)
            while (waitpid(-1, nullptr, WNOHANG) > 0) {}
    }
    return Woken::by_stop;
}

}  // namespace tool
