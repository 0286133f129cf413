// SPDX-License-Identifier: Apache-2.0
#include "child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace demo {

namespace {

int opened(const char* path) noexcept {
    return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

// From here to exec only calls that are safe in the child of a fork.
[[noreturn]] void become(char* const* words, const Outputs& outputs, const tool::Signals& signals,
                         pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);  // it died before the line above
    // A Ctrl-C is for the demonstration, which then ends its children by their number.
    setpgid(0, 0);
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (dup2(nothing, STDIN_FILENO) < 0 || dup2(opened(outputs.out.c_str()), STDOUT_FILENO) < 0 ||
        dup2(opened(outputs.log.c_str()), STDERR_FILENO) < 0)
        _exit(127);
    signals.restore();
    execv(words[0], words);
    _exit(127);
}

pid_t started(const std::vector<std::string>& command, const Outputs& outputs,
              const tool::Signals& signals) {
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const pid_t self = getpid();
    const pid_t child = fork();
    if (child == 0) become(words.data(), outputs, signals, self);
    return child;
}

}  // namespace

Child::Child(const std::vector<std::string>& command, const Outputs& outputs,
             const tool::Signals& signals)
    : pid_{started(command, outputs, signals)} {}

Child::~Child() { kill(); }

void Child::take(int wait_status) noexcept {
    pid_ = -1;
    status_ = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

bool Child::runs() {
    if (pid_ < 0) return false;
    int wait_status = 0;
    if (waitpid(pid_, &wait_status, WNOHANG) == pid_) take(wait_status);
    return pid_ >= 0;
}

void Child::kill() noexcept {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    int wait_status = 0;
    while (waitpid(pid_, &wait_status, 0) < 0 && errno == EINTR) {}
    take(wait_status);
}

}  // namespace demo
