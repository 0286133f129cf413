// SPDX-License-Identifier: Apache-2.0
#include "run/process_group.hpp"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tool {

namespace {

// From here to exec only calls that are safe in the child of a fork.
[[noreturn]] void become(char* const* words, const Signals& signals, pid_t parent, int excuse) {
    setpgid(0, 0);
    // When we are killed outright, nobody is left to be patient: SIGKILL, not SIGTERM.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);  // it died before the line above
    signals.restore();
    execvp(words[0], words);
    const int why = errno;
    // If this write fails the status below is all that is left to say.
    if (write(excuse, &why, sizeof why) < 0) _exit(1);
    _exit(0);
}

}  // namespace

void adopt_orphans() noexcept { prctl(PR_SET_CHILD_SUBREAPER, 1); }

ProcessGroup::ProcessGroup(const std::vector<std::string>& command, const Signals& signals) {
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);

    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        end_ = {.how = How::no_process, .number = errno};
        return;
    }
    const pid_t self = getpid();
    leader_ = fork();
    if (leader_ == 0) become(words.data(), signals, self, ends[1]);
    if (leader_ < 0) end_ = {.how = How::no_process, .number = errno};
    close(ends[1]);
    excuse_ = ends[0];
    if (leader_ < 0) return;
    setpgid(leader_, leader_);  // here too, or a signal could come before the child is that far
    leader_runs_ = true;
}

ProcessGroup::~ProcessGroup() {
    if (excuse_ >= 0) close(excuse_);
}

void ProcessGroup::signal(int number) const noexcept {
    if (leader_ > 0) kill(-leader_, number);
}

int ProcessGroup::reap() {
    int stopped_by = 0;
    int status = 0;
    for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;) {
        if (pid != leader_) continue;
        if (WIFSTOPPED(status)) stopped_by = WSTOPSIG(status);
        else take_end(status);
    }
    return leader_runs_ ? stopped_by : 0;
}

void ProcessGroup::take_end(int status) {
    leader_runs_ = false;
    // Only a child that never became the command can have written here: exec closes the other end.
    int why = 0;
    if (read(excuse_, &why, sizeof why) == sizeof why)
        end_ = {.how = How::not_started, .number = why};
    else if (WIFSIGNALED(status)) end_ = {.how = How::killed, .number = WTERMSIG(status)};
    else end_ = {.how = How::exited, .number = WEXITSTATUS(status)};
}

bool ProcessGroup::gone() const noexcept {
    return !leader_runs_ && (leader_ < 0 || (kill(-leader_, 0) != 0 && errno == ESRCH));
}

}  // namespace tool
