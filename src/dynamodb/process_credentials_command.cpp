// SPDX-License-Identifier: Apache-2.0
#include "process_credentials_command.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <stop_token>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perdure/net/socket.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

using Descriptor = net::Socket;  // closes what it holds

// How often a command is looked after whose output somebody else keeps open.
constexpr Duration glance = 20ms;

struct Pipe {
    Descriptor read{}, write{};

    int open() noexcept {
        std::array<int, 2> ends{-1, -1};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) return errno;
        read = Descriptor{ends[0]};
        write = Descriptor{ends[1]};
        return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 ? 0 : errno;
    }
};

// What posix_spawn is told; both parts must be given back.
class Orders {
public:
    // What it says on its standard error may be a secret (`set -x`, a tool that shows the key it refuses),
    // so nothing of it is read.
    explicit Orders(int output) noexcept {
        posix_spawn_file_actions_init(&files_);
        posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawnattr_init(&nature_);
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&nature_, &none);
        posix_spawnattr_setsigdefault(&nature_, &all);
        posix_spawnattr_setpgroup(&nature_, 0);
        posix_spawnattr_setflags(&nature_,
                                 static_cast<short>(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                    POSIX_SPAWN_SETSIGDEF));
    }
    Orders(const Orders&) = delete;
    Orders& operator=(const Orders&) = delete;
    ~Orders() {
        posix_spawn_file_actions_destroy(&files_);
        posix_spawnattr_destroy(&nature_);
    }

    int spawn(pid_t& child, const std::string& command, char* const* variables) const noexcept {
        std::array<char*, 4> words{const_cast<char*>("sh"), const_cast<char*>("-c"),
                                   const_cast<char*>(command.c_str()), nullptr};
        return posix_spawn(&child, "/bin/sh", &files_, &nature_, words.data(), variables);
    }

private:
    posix_spawn_file_actions_t files_{};
    posix_spawnattr_t nature_{};
};

int spawn(pid_t& child, const std::string& command, const Surroundings& surroundings,
          const Orders& orders) {
    std::vector<std::string> lines;
    for (const auto& [name, value] : surroundings.variables) lines.push_back(name + '=' + value);
    std::vector<char*> variables;
    for (std::string& line : lines) variables.push_back(line.data());
    variables.push_back(nullptr);
    return orders.spawn(child, command, variables.data());
}

// All that is there, but no more than a full pipe holds, or a flood would keep us here. False at its
// end. What is beyond `most` is dropped from the front.
bool take_in(const Descriptor& from, std::string& into, std::size_t most) {
    std::array<char, 4096> piece;
    for (std::size_t taken = 0; from && taken <= 65'536;) {
        const ssize_t got = ::read(from.fd(), piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno == EAGAIN;
        if (got == 0) return false;
        taken += static_cast<std::size_t>(got);
        into.append(piece.data(), static_cast<std::size_t>(got));
        if (into.size() > most) into.erase(0, into.size() - most);
    }
    return static_cast<bool>(from);
}

// One running command; used by one thread.
class Watch {
public:
    Watch(pid_t child, Pipe& output, const Attempt& attempt)
        : child_{child}, output_{output}, attempt_{attempt} {}

    CommandRun until_end() {
        const std::stop_callback on_stop{stop_, [this] { (void)eventfd_write(nudge_.fd(), 1); }};
        while (!finished()) wait();
        return std::move(run_);
    }

private:
    bool finished() {
        if (stop_.stop_requested()) return end(CommandEnd::stopped);
        if (attempt_.time_left() <= Duration::zero()) return end(CommandEnd::overdue);
        const bool gone = reap(WNOHANG);  // first, so that what is read afterwards is all of it
        if (!take_in(output_.read, run_.output, most_output + 1)) output_.read.close();
        if (run_.output.size() <= most_output) return gone;
        if (!gone) return end(CommandEnd::too_much);
        run_.end = CommandEnd::too_much;
        return true;
    }
    // By us, with all it has started.
    bool end(CommandEnd why) {
        kill(-child_, SIGKILL);
        reap(0);
        run_.end = why;
        return true;
    }
    // A program that ignores SIGCHLD, or reaps whatever it finds, leaves us without a status: then
    // the output has to speak for itself.
    bool reap(int how) {
        int status = 0;
        pid_t got = 0;
        do got = waitpid(child_, &status, how);
        while (got < 0 && errno == EINTR);
        if (got <= 0) return got < 0;
        run_.end = WIFSIGNALED(status) ? CommandEnd::killed : CommandEnd::exited;
        run_.number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
        return true;
    }
    void wait() {
        std::array<pollfd, 2> polled{{{output_.read.fd(), POLLIN, 0}, {nudge_.fd(), POLLIN, 0}}};
        const Duration pause = std::min<Duration>(attempt_.time_left(), glance);
        ::poll(polled.data(), polled.size(), static_cast<int>(pause / 1ms) + 1);
    }

    const pid_t child_;
    Pipe& output_;
    const Attempt& attempt_;
    const std::stop_token stop_ = attempt_.stop();
    Descriptor nudge_{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
    CommandRun run_{};
};

}  // namespace

CommandRun run_command(const std::string& command, const Surroundings& surroundings,
                       const Attempt& attempt) {
    Pipe output;
    pid_t child = -1;
    int error = output.open();
    if (error == 0) error = spawn(child, command, surroundings, Orders{output.write.fd()});
    if (error != 0) return {.end = CommandEnd::not_started, .number = error};
    output.write.close();
    return Watch{child, output, attempt}.until_end();
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
