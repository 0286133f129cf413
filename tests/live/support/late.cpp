// SPDX-License-Identifier: Apache-2.0
#include "live/support/late.hpp"

#include <array>
#include <cstdlib>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "live/support/patient.hpp"

namespace perdure::live {
namespace {

// How long nobody notices that the test is over.
constexpr Duration glance = 10ms;

void answer(net::Socket& socket) {
    std::string heard;
    std::array<char, 4096> buffer{};
    while (heard.find("\r\n\r\n") == std::string::npos) {
        if (!ready(socket.fd(), net::Ready::read)) return;
        const net::Io io = socket.read(buffer);
        if (io.kind != net::IoKind::done) return;  // gave up long ago
        heard.append(buffer.data(), io.bytes);
    }
    (void)socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
}

// A question as it came becomes its answer; IPv6 has none.
std::string reply_to(std::string_view question) {
    constexpr std::size_t head = 12;
    const std::size_t end = question.find('\0', head) + 5;
    const bool v4 = question[end - 3] == 1;
    std::string text{question.substr(0, 2)};
    text += "\x81\x80";
    text += std::string_view{"\0\1\0", 3};
    text += v4 ? '\1' : '\0';
    text += std::string_view{"\0\0\0\0", 4};
    text += question.substr(head, end - head);
    if (v4) text += std::string_view{"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\x7f\0\0\1", 16};
    return text;
}

}  // namespace

LateServer::LateServer(Queue queue) : listener_{"127.0.0.1", queue == Queue::full ? 0 : 1024} {
    // A queue of length 0 takes one; the rest make sure of it.
    for (int i = 0; queue == Queue::full && i < 4; ++i) {
        auto socket = net::Socket::open(net::Family::v4);
        if (!socket) std::abort();
        (void)socket->connect(listener_.address());
        in_the_queue_.push_back(std::move(*socket));
    }
}

void LateServer::begin() {
    in_the_queue_.clear();
    thread_ = std::jthread{[this](const std::stop_token& stop) {
        std::vector<net::Socket> answered;  // kept open
        while (!stop.stop_requested()) {
            if (!ready(listener_.fd(), net::Ready::read, glance)) continue;
            net::Socket socket = listener_.accept();
            if (socket) answer(answered.emplace_back(std::move(socket)));
        }
    }};
}

LateDns::LateDns() : socket_{::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)} {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(socket_.fd(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0)
        std::abort();
}

std::string LateDns::where() const {
    sockaddr_in name{};
    socklen_t length = sizeof name;
    ::getsockname(socket_.fd(), reinterpret_cast<sockaddr*>(&name), &length);
    return "127.0.0.1:" + std::to_string(ntohs(name.sin_port));
}

void LateDns::begin() {
    thread_ = std::jthread{[this](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            if (!ready(socket_.fd(), net::Ready::read, glance)) continue;
            std::array<char, 512> room{};
            sockaddr_in from{};
            socklen_t length = sizeof from;
            const auto got = ::recvfrom(socket_.fd(), room.data(), room.size(), 0,
                                        reinterpret_cast<sockaddr*>(&from), &length);
            if (got < 18) continue;
            const std::string text = reply_to({room.data(), static_cast<std::size_t>(got)});
            (void)::sendto(socket_.fd(), text.data(), text.size(), 0,
                           reinterpret_cast<const sockaddr*>(&from), length);
        }
    }};
}

}  // namespace perdure::live
