// SPDX-License-Identifier: Apache-2.0
//
// Servers that do what tests never wait for: nothing, or one byte at a time.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <stop_token>
#include <thread>

#include "suffer.hpp"

namespace bench {
namespace {

constexpr int tick_ms = 50;

// A socket of the loopback with the given port, or any.
struct Door {
    explicit Door(int kind, std::uint16_t wanted = 0)
        : fd{::socket(AF_INET, kind | SOCK_CLOEXEC, 0)} {
        where.sin_family = AF_INET;
        where.sin_port = htons(wanted);
        where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof where;
        if (::bind(fd, address(), length) == 0 &&
            ::getsockname(fd, reinterpret_cast<sockaddr*>(&where), &length) == 0)
            return;
        std::perror("a socket of the loopback");
        std::_Exit(1);
    }
    Door(const Door&) = delete;
    Door& operator=(const Door&) = delete;
    ~Door() { ::close(fd); }
    [[nodiscard]] const sockaddr* address() const {
        return reinterpret_cast<const sockaddr*>(&where);
    }
    [[nodiscard]] std::string name() const {
        return "127.0.0.1:" + std::to_string(ntohs(where.sin_port));
    }

    int fd;
    sockaddr_in where{};
};

// Connections are made by the kernel, and nobody ever reads from them.
struct Silent final : Fault {
    explicit Silent(const char* scheme) {
        ::listen(door.fd, 4096);
        origin = scheme + door.name();
    }
    Door door{SOCK_STREAM};
};

// No further connection is made: what would welcome it is full, so its SYN is dropped.
struct BlackHole final : Fault {
    BlackHole() {
        ::listen(door.fd, 0);
        for (int& fd : fillers) {
            fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
            (void)::connect(fd, door.address(), sizeof door.where);
        }
        origin = "http://" + door.name();
    }
    ~BlackHole() override {
        for (const int fd : fillers) ::close(fd);
    }
    Door door{SOCK_STREAM};
    std::array<int, 4> fillers{};
};

struct SilentNameServer final : Fault {
    explicit SilentNameServer(const char* port)
        : door{SOCK_DGRAM, static_cast<std::uint16_t>(std::atoi(port))} {
        name_server = door.name();
        origin = "http://run-";  // and a number, and ".silent.test"
    }
    Door door;
};

// Reads requests, begins to answer and then sends one byte a tick; without a beginning it never answers.
class Dripper : public Fault {
public:
    explicit Dripper(std::string_view beginning) : beginning_{beginning} {
        ::listen(door_.fd, 4096);
        origin = "http://" + door_.name();
        thread_ = std::jthread{[this](const std::stop_token& stop) { serve(stop); }};
    }
    ~Dripper() override {
        thread_ = {};
        for (std::size_t i = 1; i < waiting_.size(); ++i) ::close(waiting_[i].fd);
    }

private:
    void serve(const std::stop_token& stop) {
        waiting_.push_back({door_.fd, POLLIN, 0});
        while (!stop.stop_requested()) {
            if (::poll(waiting_.data(), waiting_.size(), tick_ms) == 0) drip();
            for (std::size_t i = waiting_.size(); i-- > 1;)
                if (waiting_[i].revents != 0) read(i);
            if ((waiting_[0].revents & POLLIN) != 0) welcome();
        }
    }
    void welcome() {
        const int fd = ::accept4(door_.fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0) waiting_.push_back({fd, POLLIN, 0});
    }
    void read(std::size_t i) {
        std::array<char, 4096> away{};
        const int fd = waiting_[i].fd;
        if (::recv(fd, away.data(), away.size(), 0) > 0) {
            (void)::send(fd, beginning_.data(), beginning_.size(), MSG_NOSIGNAL);
            return;
        }
        ::close(fd);
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    void drip() {
        if (beginning_.empty()) return;
        for (std::size_t i = 1; i < waiting_.size(); ++i)
            (void)::send(waiting_[i].fd, "x", 1, MSG_NOSIGNAL);
    }

    Door door_{SOCK_STREAM};
    std::string_view beginning_;
    std::vector<pollfd> waiting_{};
    std::jthread thread_{};
};

struct FullPool final : Dripper {
    FullPool() : Dripper{""} { one_connection = true; }
};

struct Row {
    std::string_view name;
    std::unique_ptr<Fault> (*start)();
};

template <class T, const char*... arguments>
std::unique_ptr<Fault> start() {
    return std::make_unique<T>(arguments...);
}

constexpr char any_port[] = "0", usual_port[] = "53";
constexpr char plain[] = "http://", secure[] = "https://", nothing[] = "";
constexpr char some_headers[] = "HTTP/1.1 200 OK\r\nX-Slow: ";
constexpr char all_headers[] = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";

constexpr Row rows[] = {
    {"silent_resolver", start<SilentNameServer, any_port>},
    // For those who can only ask the system's name server; see scripts/bench-http.
    {"silent_system_resolver", start<SilentNameServer, usual_port>},
    {"black_hole", start<BlackHole>},
    {"silent_tcp", start<Silent, plain>},
    {"stalled_tls", start<Silent, secure>},
    {"no_first_byte", start<Dripper, nothing>},
    {"dripping_headers", start<Dripper, some_headers>},
    {"dripping_body", start<Dripper, all_headers>},
    {"full_pool", start<FullPool>},
};

}  // namespace

Fault::~Fault() = default;

std::vector<std::string_view> fault_names() {
    std::vector<std::string_view> names;
    for (const Row& row : rows) names.push_back(row.name);
    return names;
}

std::unique_ptr<Fault> start_fault(std::string_view name) {
    for (const Row& row : rows)
        if (row.name == name) return row.start();
    return nullptr;
}

}  // namespace bench
