// SPDX-License-Identifier: Apache-2.0
//
// The least that gets an answer: a socket, one write, poll(), read. It looks for the length and
// nothing else; no deadline, no pool, no check of what the server says.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

#include "load.hpp"

namespace bench {
namespace {

class RawPoll final : public LoadClient {
public:
    explicit RawPoll(const Load& load) {
        const std::string host_and_port = load.origin.substr(load.origin.find("//") + 2);
        const std::size_t colon = host_and_port.find(':');
        connect_to(host_and_port.substr(0, colon), std::atoi(host_and_port.c_str() + colon + 1));
        wire_ = "POST " + std::string{target} + " HTTP/1.1\r\nhost: " + host_and_port;
        for (const auto& [name, value] : fields)
            wire_.append("\r\n").append(name).append(": ").append(value);
        wire_.append("\r\ncontent-type: ").append(content_type);
        wire_.append("\r\ncontent-length: ").append(std::to_string(body_bytes));
        wire_.append("\r\n\r\n").append(request_body());
    }
    ~RawPoll() override { ::close(fd_); }

    void run(std::uint64_t requests, Tally& tally) override {
        for (std::uint64_t i = 0; i < requests; ++i) {
            const perdure::TimePoint began = tally.now();
            if (::send(fd_, wire_.data(), wire_.size(), MSG_NOSIGNAL) != std::ssize(wire_))
                give_up("raw_poll", "could not send at once");
            const std::size_t body = read_answer();
            const bool ok = std::string_view{buffer_, 15} == "HTTP/1.1 200 OK";
            tally.answered(began, "raw_poll", ok ? 200 : 0, body);
        }
    }

private:
    void connect_to(const std::string& host, int port) {
        fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in there{};
        there.sin_family = AF_INET;
        there.sin_port = htons(static_cast<std::uint16_t>(port));
        ::inet_pton(AF_INET, host.c_str(), &there.sin_addr);
        if (::connect(fd_, reinterpret_cast<const sockaddr*>(&there), sizeof there) != 0)
            give_up("raw_poll", "could not connect");
        const int on = 1;
        ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        ::fcntl(fd_, F_SETFL, O_NONBLOCK);
    }
    std::size_t read_answer() {
        std::size_t have = 0;
        while (true) {
            pollfd wait{.fd = fd_, .events = POLLIN, .revents = 0};
            if (::poll(&wait, 1, 10'000) != 1) give_up("raw_poll", "no answer");
            const ssize_t got = ::recv(fd_, buffer_ + have, sizeof buffer_ - have, 0);
            if (got <= 0) give_up("raw_poll", "closed");
            have += static_cast<std::size_t>(got);
            const std::string_view text{buffer_, have};
            const std::size_t end = text.find("\r\n\r\n");
            const std::size_t length = text.find("Content-Length: ");
            if (end == std::string_view::npos || length == std::string_view::npos) continue;
            const std::size_t body = std::strtoul(buffer_ + length + 16, nullptr, 10);
            if (have >= end + 4 + body) return body;
        }
    }

    int fd_ = -1;
    std::string wire_;
    char buffer_[8192];
};

}  // namespace

std::unique_ptr<LoadClient> make_raw_poll(const Load& load) {
    return std::make_unique<RawPoll>(load);
}

}  // namespace bench
