// SPDX-License-Identifier: Apache-2.0
//
// A server on loopback that says a line of its own protocol and keeps all that its one client sent.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "perdure/net/door.hpp"

namespace perdure::sql {

class OneVisitor {
public:
    // `answer` gets all that was sent so far and says what to reply to it; first of all to nothing.
    explicit OneVisitor(std::function<std::string(std::string_view)> answer)
        : thread_{[this, answer = std::move(answer)] { serve(answer); }} {}
    OneVisitor(const OneVisitor&) = delete;
    OneVisitor& operator=(const OneVisitor&) = delete;
    ~OneVisitor() {
        if (thread_.joinable()) thread_.join();
    }

    [[nodiscard]] net::Address address() const { return door_->address(); }
    // After the client has closed its connection.
    [[nodiscard]] const std::string& sent() {
        thread_.join();
        return sent_;
    }

private:
    void serve(const std::function<std::string(std::string_view)>& answer) {
        pollfd incoming{.fd = door_->fd(), .events = POLLIN, .revents = 0};
        if (::poll(&incoming, 1, 10'000) != 1) return;
        const net::Socket client{::accept4(door_->fd(), nullptr, nullptr, SOCK_CLOEXEC)};
        std::array<char, 4096> bytes{};
        for (;;) {
            const std::string reply = answer(sent_);
            (void)::send(client.fd(), reply.data(), reply.size(), MSG_NOSIGNAL);
            const auto got = ::recv(client.fd(), bytes.data(), bytes.size(), 0);
            if (got <= 0) return;
            sent_.append(bytes.data(), static_cast<std::size_t>(got));
        }
    }

    Result<net::Door> door_ = net::Door::open(net::Address::v4({127, 0, 0, 1}, 0));
    std::string sent_;
    std::thread thread_;
};

}  // namespace perdure::sql
