// SPDX-License-Identifier: Apache-2.0
//
// How is a command started so that all of it can be ended? As the leader of a process group of its
// own; what it starts belongs to the group too.
//
//     ProcessGroup group{command, signals};
//     group.signal(SIGTERM);
//     if (!group.leader_runs()) use(group.end());
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "run/signals.hpp"

namespace tool {

enum class How : unsigned char {
    exited,       // number: the exit status
    killed,       // the signal
    timed_out,    // cut off by us
    interrupted,  // somebody wants out: the signal that said so
    not_started,  // found out before the command's first instruction: the errno
    no_process,   // the system has none left: the errno
};

struct End {
    How how = How::exited;
    int number = 0;
    bool began = true;          // false: interrupted before there was a process
    bool left_running = false;  // something of it withstood even SIGKILL

    [[nodiscard]] bool good() const noexcept { return how == How::exited && number == 0; }
};

// Before the first group is started: orphans of a group become our children, so that their ends are
// heard and nothing is left behind as a zombie.
void adopt_orphans() noexcept;

// Used by the thread that made it.
class ProcessGroup {
public:
    // Standard streams, directory and environment are ours; signals as we found them.
    ProcessGroup(const std::vector<std::string>& command, const Signals& signals);
    ~ProcessGroup();
    ProcessGroup(const ProcessGroup&) = delete;
    ProcessGroup& operator=(const ProcessGroup&) = delete;

    void signal(int number) const noexcept;  // to all of it
    // Takes in what ended or stopped since SIGCHLD was last heard. The signal by which the leader
    // was stopped, or 0.
    int reap();

    [[nodiscard]] pid_t id() const noexcept { return leader_; }
    [[nodiscard]] bool leader_runs() const noexcept { return leader_runs_; }
    [[nodiscard]] bool gone() const noexcept;  // the leader and everybody else
    [[nodiscard]] const End& end() const noexcept { return end_; }

private:
    void take_end(int status);

    pid_t leader_ = -1;
    int excuse_ = -1;  // where the child says why it could not become the command
    bool leader_runs_ = false;
    End end_{};
};

}  // namespace tool
