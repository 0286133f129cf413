// SPDX-License-Identifier: Apache-2.0
//
// A name server that does as it is told: by UDP and, for answers it cut short, by TCP.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "loopback.hpp"
#include "net/nudge.hpp"

namespace perdure::net {

// What it does with questions about one name.
struct Zone {
    std::vector<std::string> v4{};  // four bytes each
    std::vector<std::string> v6{};  // sixteen
    unsigned ttl = 60;
    enum class Manner { answer, no_such_name, failure, silence, no_v6, cut, garbage, broken };
    Manner manner = Manner::answer;
};

// One thread of its own; set() and asked() from any.
class NameServer {
public:
    NameServer() {
        listen_at(tcp_.fd(), loopback_v4(1));
        bind_to(udp_.fd(), loopback_v4(1, port_of(tcp_.fd())));
        thread_ = std::jthread{[this](const std::stop_token& stop) { serve(stop); }};
    }
    ~NameServer() {
        thread_.request_stop();
        nudge_.give();
    }
    NameServer(const NameServer&) = delete;
    NameServer& operator=(const NameServer&) = delete;

    [[nodiscard]] std::string where() const {
        return loopback_v4(1, port_of(udp_.fd())).to_string();
    }
    void set(const std::string& name, Zone zone) {
        const std::lock_guard held{mutex_};
        zones_[name] = std::move(zone);
    }
    // How often it was asked for IPv4 addresses of this name.
    [[nodiscard]] int asked(const std::string& name) {
        const std::lock_guard held{mutex_};
        return asked_[name];
    }

private:
    enum class Link { udp, tcp };
    static constexpr std::size_t head = 12;
    static constexpr int type_v4 = 1;

    static std::string number(unsigned value, int bytes) {
        std::string text;
        for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i) & 0xff);
        return text;
    }
    // Labels with their lengths before them become a name with dots.
    static std::string name_in(std::string_view question) {
        std::string name;
        std::size_t at = head;
        while (at < question.size() && question[at] != 0) {
            const std::size_t length = static_cast<unsigned char>(question[at]);
            name += (name.empty() ? "" : ".") + std::string{question.substr(at + 1, length)};
            at += length + 1;
        }
        return name;
    }

    // Empty: no answer at all.
    std::string reply(std::string_view question, Link link) {
        const std::string name = name_in(question);
        const std::size_t asked_end = head + name.size() + 2 + 4;
        const int type = static_cast<unsigned char>(question[asked_end - 3]);
        const std::lock_guard held{mutex_};
        if (type == type_v4) ++asked_[name];
        const auto found = zones_.find(name);
        const Zone zone =
            found == zones_.end() ? Zone{.manner = Zone::Manner::no_such_name} : found->second;
        const auto manner = zone.manner;
        if (manner == Zone::Manner::silence) return {};
        if (manner == Zone::Manner::no_v6 && type != type_v4) return {};
        if (manner == Zone::Manner::garbage) return "not even the length of a head";

        const auto& records = type == type_v4 ? zone.v4 : zone.v6;
        const bool cut = manner == Zone::Manner::cut && link == Link::udp;
        unsigned flags = 0x8180;  // an answer, with recursion
        if (cut) flags |= 0x0200;
        if (manner == Zone::Manner::failure) flags |= 2;
        if (manner == Zone::Manner::no_such_name) flags |= 3;
        const auto count = cut ? 0U : static_cast<unsigned>(records.size());
        std::string text{question.substr(0, 2)};
        text += number(flags, 2) + number(1, 2) + number(count, 2) + number(0, 4);
        text += question.substr(head, asked_end - head);
        for (unsigned i = 0; i < count; ++i) {
            text += number(0xc000 + head, 2) + std::string{question.substr(asked_end - 4, 4)};
            text += number(zone.ttl, 4) + number(static_cast<unsigned>(records[i].size()), 2);
            text += records[i];
        }
        if (manner == Zone::Manner::broken) text.resize(text.size() - 3);
        return text;
    }

    void serve(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            std::array<pollfd, 3> sockets{
                {{udp_.fd(), POLLIN, 0}, {tcp_.fd(), POLLIN, 0}, {nudge_.fd(), POLLIN, 0}}};
            ::poll(sockets.data(), sockets.size(), -1);
            if (sockets[0].revents) serve_udp();
            if (sockets[1].revents) serve_tcp();
        }
    }
    void serve_udp() {
        std::array<char, 512> room{};
        sockaddr_in from{};
        socklen_t length = sizeof from;
        const auto got = recvfrom(udp_.fd(), room.data(), room.size(), MSG_DONTWAIT,
                                  reinterpret_cast<sockaddr*>(&from), &length);
        if (got < 18) return;
        const std::string text = reply({room.data(), static_cast<std::size_t>(got)}, Link::udp);
        if (text.empty()) return;
        (void)sendto(udp_.fd(), text.data(), text.size(), 0,
                     reinterpret_cast<const sockaddr*>(&from), length);
    }
    // Questions on one connection, until the other side has no more.
    void serve_tcp() {
        const Socket peer{::accept4(tcp_.fd(), nullptr, nullptr, SOCK_CLOEXEC)};
        const timeval patience{.tv_sec = 1, .tv_usec = 0};
        setsockopt(peer.fd(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        std::array<char, 512> room{};
        while (recv(peer.fd(), room.data(), 2, MSG_WAITALL) == 2) {
            const auto length = static_cast<std::size_t>(static_cast<unsigned char>(room[1]));
            if (recv(peer.fd(), room.data(), length, MSG_WAITALL) < 18) return;
            const std::string text = reply({room.data(), length}, Link::tcp);
            const std::string framed = number(static_cast<unsigned>(text.size()), 2) + text;
            (void)send(peer.fd(), framed.data(), framed.size(), MSG_NOSIGNAL);
        }
    }

    Socket udp_{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    Socket tcp_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    Nudge nudge_;
    std::mutex mutex_;
    std::map<std::string, Zone> zones_;
    std::map<std::string, int> asked_;
    std::jthread thread_;
};

}  // namespace perdure::net
