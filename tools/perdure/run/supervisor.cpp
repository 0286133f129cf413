// SPDX-License-Identifier: Apache-2.0
#include "run/supervisor.hpp"

#include <algorithm>
#include <csignal>

#include "exit_code.hpp"

namespace tool {

namespace {

// What SIGKILL does not end within this hangs in the kernel or belongs to another user.
constexpr Duration time_to_die = 1s;

}  // namespace

End Supervisor::run(const Attempt& attempt) {
    while (signals_.next(TimePoint::min())) {}
    if (const int by = signals_.ended_by(); by != 0)
        return {.how = How::interrupted, .number = by, .began = false};

    ProcessGroup group{command_, signals_};
    wants_terminal_ = false;
    const TimePoint over = attempt.call_deadline.at();
    const TimePoint cut = std::min(attempt.deadline.at(), after(over, -patience_.reserve));
    const Waited waited = watch(group, cut, [&] { return !group.leader_runs(); });
    End end = group.end();
    if (waited == Waited::too_long) end = {.how = How::timed_out};

    // Background work of a command that succeeded is its own affair; what a failed one left behind
    // must not run beside the next attempt.
    if (!end.good()) {
        const TimePoint kill_at = std::min(after(clock_.now(), patience_.kill_after), over);
        end.left_running = end_all(group, kill_at) == Waited::too_long;
    }
    hear_keyboard(end);
    terminal_.take_back(end.how == How::exited ? Modes::as_they_are : Modes::as_before);
    const bool ran = end.how != How::not_started && end.how != How::no_process;
    if (ran && !end.good() && signals_.ended_by() != 0) {
        end.how = How::interrupted;
        end.number = signals_.ended_by();
    }
    return end;
}

template <class Done>
Supervisor::Waited Supervisor::watch(ProcessGroup& group, TimePoint until, Done done) {
    while (!done()) {
        const auto signal = signals_.next(until);
        if (!signal) return Waited::too_long;
        take(group, *signal);
    }
    return Waited::done;
}

Supervisor::Waited Supervisor::end_all(ProcessGroup& group, TimePoint kill_at) {
    const auto gone = [&] { return group.gone(); };
    if (gone()) return Waited::done;
    group.signal(SIGTERM);
    group.signal(SIGCONT);  // who stands still cannot hear the one before
    if (watch(group, kill_at, gone) == Waited::done) return Waited::done;
    group.signal(SIGKILL);
    return watch(group, after(clock_.now(), time_to_die), gone);
}

void Supervisor::take(ProcessGroup& group, int signal) {
    switch (signal) {
        case SIGCHLD: return stopped(group, group.reap());
        case SIGCONT: return resume(group);
        case SIGTSTP:
            group.signal(SIGTSTP);
            stop_like(SIGTSTP);
            return resume(group);
        default: group.signal(signal);
    }
}

void Supervisor::stopped(ProcessGroup& group, int by) {
    if (by == SIGTTIN || by == SIGTTOU) {
        wants_terminal_ = true;
        if (terminal_.lend_to(group.id())) group.signal(SIGCONT);
        else stop_like(by);  // a job in the background: `fg` sends SIGCONT
    } else if (by == SIGTSTP && terminal_.lent()) {
        stop_like(SIGTSTP);
        resume(group);
    }
}

void Supervisor::resume(ProcessGroup& group) {
    if (wants_terminal_) terminal_.lend_to(group.id());
    group.signal(SIGCONT);
}

// While the terminal is lent, Ctrl-C goes to the command alone; how it ended is all we see of it.
void Supervisor::hear_keyboard(const End& end) {
    if (!terminal_.lent()) return;
    for (const int signal : {SIGINT, SIGQUIT}) {
        const bool killed = end.how == How::killed && end.number == signal;
        const bool said_so =
            end.how == How::exited && end.number == exit_code::signal_offset + signal;
        if (killed || said_so) signals_.note(signal);
    }
}

}  // namespace tool
