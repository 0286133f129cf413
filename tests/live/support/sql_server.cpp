// SPDX-License-Identifier: Apache-2.0
#include "live/support/sql_server.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <optional>
#include <sstream>

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perdure/time/clock.hpp"

namespace perdure::live {
namespace {

namespace fs = std::filesystem;

bool root() { return ::geteuid() == 0; }

struct Account {
    uid_t user = 0;
    gid_t group = 0;
};
std::optional<Account> account_of(const std::string& user) {
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 4096> words{};
    ::getpwnam_r(user.c_str(), &entry, words.data(), words.size(), &found);
    if (!found) return {};
    return Account{found->pw_uid, found->pw_gid};
}

bool can_bind(std::uint16_t port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool bound = ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    ::close(fd);
    return bound;
}

// Held until it is destroyed, or until this process dies.
class Lock {
public:
    explicit Lock(const std::string& path)
        : fd_{::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)} {
        if (fd_ >= 0) ::flock(fd_, LOCK_EX);
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock() {
        if (fd_ >= 0) ::close(fd_);
    }
    explicit operator bool() const noexcept { return fd_ >= 0; }

private:
    int fd_;
};

// In the build tree; elsewhere if that is somebody else's.
std::string templates() {
    for (const std::string& where :
         {std::string{PERDURE_LIVE_TEMPLATES},
          (fs::temp_directory_path() / ("perdure-templates-" + std::to_string(::geteuid())))
              .string()}) {
        std::error_code ignored;
        fs::create_directories(where, ignored);
        if (::access(where.c_str(), W_OK) == 0) return where;
    }
    give_up("there is no place to keep a data directory");
}

// A directory that is there is whole, because it is moved to its place.
void make_template(const Template& from, const std::string& place) {
    const TempDir work;
    give_to(from.user, work.path());
    must_run(as_user(from.user, from.make(work.file("data"))));
    const std::string partial = place + ".partial";
    fs::remove_all(partial);
    must_run({"/bin/cp", "-a", work.file("data"), partial});
    fs::rename(partial, place);
}

// The words behind the program's name in parentheses, which may itself have blanks: state, parent.
struct Stat {
    char state = 'Z';
    pid_t parent = 0;
};
Stat stat_of(pid_t process) {
    const std::string text = read_file("/proc/" + std::to_string(process) + "/stat");
    const std::size_t end = text.rfind(')');
    Stat stat;
    if (end != std::string::npos)
        std::istringstream{text.substr(end + 1)} >> stat.state >> stat.parent;
    return stat;
}

}  // namespace

std::vector<std::string> as_user(const std::string& user, std::vector<std::string> command) {
    if (!root()) return command;
    // A change of user forgets by whose death a process was to end: it is said again.
    std::vector<std::string> all{find_program("setpriv"), "--reuid=" + user,  "--regid=" + user,
                                 "--clear-groups",        "--pdeathsig=KILL", "--"};
    all.insert(all.end(), command.begin(), command.end());
    return all;
}

std::string cannot_run_as(const std::string& user) {
    if (!root()) return {};
    if (find_program("setpriv").empty()) return "setpriv is not installed";
    if (!account_of(user)) return "there is no user " + user;
    const fs::path temporary = fs::canonical(fs::temp_directory_path());
    for (fs::path path = temporary; path != path.root_path(); path = path.parent_path())
        if ((fs::status(path).permissions() & fs::perms::others_exec) == fs::perms::none)
            return "the user " + user + " may not pass through " + path.string();
    return {};
}

void give_to(const std::string& user, const std::string& directory) {
    if (!root()) return;
    const auto account = account_of(user);
    if (!account || ::chown(directory.c_str(), account->user, account->group) != 0 ||
        ::chmod(directory.c_str(), 0711) != 0)
        give_up("cannot give " + directory + " to " + user);
}

std::uint16_t quiet_port() {
    int first_given = 32'768;
    std::istringstream{read_file("/proc/sys/net/ipv4/ip_local_port_range")} >> first_given;
    constexpr int lowest = 10'000;
    const int range = std::max(1'000, first_given - lowest);
    // Test programs that run at once begin far from each other.
    static std::atomic<int> next{static_cast<int>((::getpid() * 7919L) % range)};
    for (int i = 0; i < range; ++i) {
        const auto port = static_cast<std::uint16_t>(lowest + next++ % range);
        if (can_bind(port)) return port;
    }
    give_up("no port is free");
}

std::string must_run(const std::vector<std::string>& command, Duration at_most) {
    const TempDir home;
    Process process{command, home.file("log")};
    const int code = process.wait(at_most);
    std::string said = process.log();
    if (code == 0) return said;
    std::string words;
    for (const std::string& word : command) words += word + " ";
    give_up(words + "ended with " + std::to_string(code) + ":\n" + said);
}

void copy_template(const Template& from, const std::string& to) {
    const std::string kept = templates();
    const std::string place = kept + "/" + from.version + "-" + std::to_string(::geteuid());
    {
        const Lock lock{place + ".lock"};
        if (!lock) give_up("cannot lock " + place);
        if (!fs::exists(place)) make_template(from, place);
    }
    must_run({"/bin/cp", "-a", "--reflink=auto", place, to});
}

std::string version_of(const std::string& program) {
    std::string text = must_run({program, "--version"}, 10s);
    std::erase_if(text, [](unsigned char c) { return !std::isalnum(c) && c != '.'; });
    return text.substr(0, 80);
}

bool becomes_true(const std::function<bool()>& looks, Duration at_most) {
    const TimePoint give_up_at = system_clock().now() + at_most;
    while (!looks()) {
        if (system_clock().now() >= give_up_at) return false;
        ::poll(nullptr, 0, 3);
    }
    return true;
}

std::vector<pid_t> children_of(pid_t parent) {
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator{"/proc"}) {
        const std::string name = entry.path().filename();
        pid_t process = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
        if (error == std::errc{} && end == name.data() + name.size() &&
            stat_of(process).parent == parent)
            found.push_back(process);
    }
    return found;
}

bool alive(pid_t process) { return stat_of(process).state != 'Z'; }

}  // namespace perdure::live
