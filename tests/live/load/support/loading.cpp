// SPDX-License-Identifier: Apache-2.0
#include "live/load/support/loading.hpp"

#include <atomic>
#include <charconv>
#include <csignal>
#include <sstream>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/support/temp_dir.hpp"

namespace perdure::live {
namespace {

struct Start {
    char* const* arguments;
    const char* home;
    int in, out, err;
    rlim_t largest_file;
    pid_t parent;
};

// In the child, where only system calls are safe.
[[noreturn]] void become(const Start& start) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != start.parent || ::chdir(start.home) != 0) ::_exit(126);
    ::dup2(start.in, STDIN_FILENO);
    ::dup2(start.out, STDOUT_FILENO);
    ::dup2(start.err, STDERR_FILENO);
    if (start.largest_file > 0) {
        // Without the signal a file that is full is an error like that of a disk.
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{start.largest_file, start.largest_file};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ::execv(start.arguments[0], start.arguments);
    ::_exit(127);
}

int writing(const std::string& path) {
    return ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
}

pid_t begin(const LoadOrders& orders, const std::string& out, const std::string& err) {
    std::vector<std::string> words{PERDURE_TOOL, "load"};
    words.insert(words.end(), orders.flags.begin(), orders.flags.end());
    words.emplace_back("--json");
    std::vector<char*> pointers;
    for (std::string& each : words) pointers.push_back(each.data());
    pointers.push_back(nullptr);
    const std::string given = orders.given.empty() ? "/dev/null" : orders.given;
    const Start start{.arguments = pointers.data(),
                      .home = orders.home.c_str(),
                      .in = ::open(given.c_str(), O_RDONLY | O_CLOEXEC),
                      .out = writing(out),
                      .err = writing(err),
                      .largest_file = orders.largest_file,
                      .parent = ::getpid()};
    const pid_t pid = ::fork();
    if (pid == 0) become(start);
    for (const int each : {start.in, start.out, start.err}) ::close(each);
    return pid;
}

std::int64_t number_behind(std::string_view json, std::string_view name) {
    const std::string wanted = "\"" + std::string{name} + "\":";
    const std::size_t at = json.find(wanted);
    std::int64_t number = -1;
    if (at != std::string_view::npos)
        std::from_chars(json.data() + at + wanted.size(), json.data() + json.size(), number);
    return number;
}

}  // namespace

std::int64_t LoadEnd::number(std::string_view name) const { return number_behind(out, name); }

std::int64_t LoadEnd::number(std::string_view group, std::string_view name) const {
    const std::size_t at = out.find("\"" + std::string{group} + "\":{");
    if (at == std::string::npos) return -1;
    return number_behind(std::string_view{out}.substr(at, out.find('}', at) - at), name);
}

Loading::Loading(const LoadOrders& orders) {
    static std::atomic<int> next{0};
    const std::string name = orders.home + "/load-" + std::to_string(next++);
    out_ = name + ".out";
    err_ = name + ".err";
    pid_ = begin(orders, out_, err_);
}

void Loading::reap(int options) {
    int status = 0;
    if (pid_ <= 0 || ::waitpid(pid_, &status, options) != pid_) return;
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    pid_ = -1;
}

bool Loading::running() {
    reap(WNOHANG);
    return pid_ > 0;
}

void Loading::kill() {
    signal(SIGKILL);
    reap(0);
}

void Loading::signal(int number) const {
    if (pid_ > 0) ::kill(pid_, number);
}

LoadEnd Loading::wait(Duration at_most) {
    if (running()) {
        const int handle = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
        pollfd ended{handle, POLLIN, 0};
        const auto limit = std::chrono::ceil<std::chrono::milliseconds>(at_most);
        ::poll(&ended, 1, static_cast<int>(limit.count()));
        ::close(handle);
    }
    const bool late = running();
    if (late) kill();
    return {late ? -1 : status_, read_file(out_), read_file(err_)};
}

std::int64_t Loading::peak_kib() const {
    const std::string status = read_file("/proc/" + std::to_string(pid_) + "/status");
    const std::size_t peak = status.find("VmHWM:");
    // By its name, as it is called only when it has memory of its own.
    if (!status.starts_with("Name:\tperdure\n") || peak == std::string::npos) return 0;
    std::int64_t kib = 0;
    std::istringstream{status.substr(peak + 6)} >> kib;
    return kib;
}

LoadEnd load(const LoadOrders& orders) { return Loading{orders}.wait(); }

}  // namespace perdure::live
