// SPDX-License-Identifier: Apache-2.0
#include "live/support/process.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/support/listener.hpp"
#include "live/support/temp_dir.hpp"
#include "perdure/net/socket.hpp"
#include "perdure/time/clock.hpp"

namespace perdure::live {
namespace {

// In the child, where only system calls are safe.
[[noreturn]] void become(char* const* arguments, int log, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(126);
    ::dup2(log, STDOUT_FILENO);
    ::dup2(log, STDERR_FILENO);
    ::execv(arguments[0], arguments);
    ::_exit(127);
}

pid_t start(std::vector<std::string>& arguments, const std::string& log_path) {
    std::vector<char*> pointers;
    for (std::string& each : arguments) pointers.push_back(each.data());
    pointers.push_back(nullptr);
    const int log = ::open(log_path.c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) become(pointers.data(), log, parent);
    ::close(log);
    return pid;
}

}  // namespace

void give_up(const std::string& words) {
    std::cerr << words << "\n";
    std::abort();
}

int poll_milliseconds(Duration duration) {
    return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(duration).count());
}

std::string without_line_end(std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

std::string find_program(const std::string& name) {
    std::string path = "/usr/sbin:/sbin:/usr/bin:/bin:/usr/local/bin:/usr/local/sbin:";
    for (std::size_t end = path.find(':'); end != std::string::npos; end = path.find(':')) {
        const std::string found = path.substr(0, end) + "/" + name;
        if (::access(found.c_str(), X_OK) == 0) return found;
        path.erase(0, end + 1);
    }
    return {};
}

std::uint16_t free_port() { return Listener{}.port(); }

Answers wait_for_port(std::uint16_t port, Duration at_most) {
    const TimePoint give_up = system_clock().now() + at_most;
    const net::Address address = net::Address::v4({127, 0, 0, 1}, port);
    while (system_clock().now() < give_up) {
        auto socket = net::Socket::open(net::Family::v4);
        if (!socket) return Answers::no;
        if (socket->connect(address).kind == net::IoKind::done) return Answers::yes;
        pollfd writable{socket->fd(), POLLOUT, 0};
        ::poll(&writable, 1, poll_milliseconds(give_up - system_clock().now()));
        if (socket->finish_connect().kind == net::IoKind::done) return Answers::yes;
        // Refused: nobody listens yet.
        ::poll(nullptr, 0, 2);
    }
    return Answers::no;
}

Process::Process(std::vector<std::string> arguments, std::string log_path)
    : pid_{start(arguments, log_path)},
      log_path_{std::move(log_path)},
      name_{std::filesystem::path{arguments.front()}.filename()} {}

Process::~Process() {
    stop();
    if (::testing::UnitTest::GetInstance()->Failed() && !log().empty())
        std::cerr << "---- what " << name_ << " printed ----\n" << log() << "----\n";
}

void Process::reap(int options) {
    int status = 0;
    if (pid_ > 0 && ::waitpid(pid_, &status, options) == pid_) {
        exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        pid_ = -1;
    }
}

bool Process::running() {
    reap(WNOHANG);
    return pid_ > 0;
}

int Process::wait(Duration at_most) {
    if (!running()) return exit_;
    const int handle = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    pollfd ended{handle, POLLIN, 0};
    ::poll(&ended, 1, poll_milliseconds(at_most));
    ::close(handle);
    return running() ? -1 : exit_;
}

void Process::stop() {
    if (!running()) return;
    ::kill(pid_, SIGTERM);
    if (wait(2s); !running()) return;
    ::kill(pid_, SIGKILL);
    reap(0);
}

std::string Process::log() const { return read_file(log_path_); }

int run(const std::vector<std::string>& arguments, std::string* log) {
    const TempDir home;
    Process process{arguments, home.file("log")};
    // A few seconds on an idle machine; scripts of Node.js took more than ten on a busy one.
    const int code = process.wait(60s);
    if (log) *log = process.log();
    return code;
}

}  // namespace perdure::live
