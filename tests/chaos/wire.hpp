// SPDX-License-Identifier: Apache-2.0
//
// Who talks through the proxy in these tests? A server that keeps count of what it was asked, and a
// client that sees how its connection ends. Nobody sleeps: who waits, waits for a socket or a word,
// and no longer than `patience`.
//
//     Server server;                                   // answers HTTP with the body it got
//     Client client{proxy->port()};
//     client.send(post("/a", "1"));
//     client.until("\r\n\r\n1");
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <poll.h>
#include <sys/socket.h>

#include "chaos/door.hpp"
#include "perdure/chaos/proxy.hpp"
#include "perdure/http/request_parser.hpp"
#include "perdure/net/socket.hpp"
#include "perdure/time/clock.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {

inline constexpr Duration patience = 5s;

// Whether it becomes so in time. For what another thread does.
template <class Condition>
bool becomes(Condition&& so) {
    const TimePoint limit = system_clock().now() + patience;
    while (!so()) {
        if (system_clock().now() > limit) return false;
        std::this_thread::yield();
    }
    return true;
}

inline std::string get(std::string_view path, std::string_view headers = "") {
    return "GET " + std::string{path} + " HTTP/1.1\r\nHost: x\r\n" + std::string{headers} + "\r\n";
}
inline std::string post(std::string_view path, std::string_view body,
                        std::string_view headers = "") {
    return "POST " + std::string{path} + " HTTP/1.1\r\nHost: x\r\n" + std::string{headers} +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string{body};
}
inline std::string ok(std::string_view body) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           std::string{body};
}

// Owned by one test; its thread ends with it.
class Server {
public:
    // What to send back for what was received so far, which is then forgotten; nothing: wait for
    // more. "close" as an answer closes.
    using Answer = std::function<std::string(std::string& received)>;

    explicit Server(Answer answer = echo_http())
        : answer_{std::move(answer)},
          door_{*Door::open(*net::Address::parse("127.0.0.1", 0))},
          thread_{[this](const std::stop_token& stop) { run(stop); }} {}
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server() {
        thread_.request_stop();
        const Nudge nudge{door_.address()};
        thread_.join();
    }

    static Answer echo_http() {
        return [](std::string& received) {
            http::RequestParser parser;
            std::size_t used = 0;
            if (parser.feed(received, used) != http::Parsed::complete) return std::string{};
            received.erase(0, used);
            return ok(parser.body().empty() ? parser.target() : parser.body());
        };
    }
    static Answer echo() {
        return [](std::string& received) { return std::exchange(received, {}); };
    }

    [[nodiscard]] std::string address() const { return door_.address().to_string(); }
    // All bytes that came, over all connections.
    [[nodiscard]] std::string heard() const {
        const std::lock_guard lock{mutex_};
        return heard_;
    }
    [[nodiscard]] int times(std::string_view word) const {
        const std::string all = heard();
        int count = 0;
        for (std::size_t at = all.find(word); at != std::string::npos; at = all.find(word, at + 1))
            ++count;
        return count;
    }
    // Connections that were accepted, and those that came to their end.
    [[nodiscard]] int accepted() const {
        const std::lock_guard lock{mutex_};
        return accepted_;
    }
    [[nodiscard]] int ended() const {
        const std::lock_guard lock{mutex_};
        return ended_;
    }

private:
    struct Nudge {  // to wake the thread
        explicit Nudge(const net::Address& address)
            : socket{std::move(*net::Socket::open(address.family()))} {
            static_cast<void>(socket.connect(address));
        }
        net::Socket socket;
    };
    struct Guest {
        net::Socket socket;
        std::string received;
    };

    void run(const std::stop_token& stop) {
        std::vector<Guest> guests;
        while (!stop.stop_requested()) {
            std::vector<pollfd> polled{{.fd = door_.fd(), .events = POLLIN, .revents = 0}};
            for (const Guest& guest : guests)
                polled.push_back({.fd = guest.socket.fd(), .events = POLLIN, .revents = 0});
            if (::poll(polled.data(), polled.size(), -1) < 0) continue;
            net::Socket socket;
            if (door_.accept(socket) == Door::Met::client) {
                guests.push_back({std::move(socket), {}});
                const std::lock_guard lock{mutex_};
                ++accepted_;
            }
            const auto gone = std::erase_if(guests, [&](Guest& guest) { return !serve(guest); });
            const std::lock_guard lock{mutex_};
            ended_ += static_cast<int>(gone);
        }
    }

    bool serve(Guest& guest) {
        std::array<char, 65'536> buffer{};
        const net::Io io = guest.socket.read(buffer);
        if (io.kind == net::IoKind::would_block) return true;
        if (io.kind != net::IoKind::done) return false;
        guest.received.append(buffer.data(), io.bytes);
        {
            const std::lock_guard lock{mutex_};
            heard_.append(buffer.data(), io.bytes);
        }
        for (std::string reply; !(reply = answer_(guest.received)).empty();) {
            if (reply == "close") return false;
            while (!reply.empty()) {
                const net::Io sent = guest.socket.write(reply);
                if (sent.kind == net::IoKind::done) reply.erase(0, sent.bytes);
                else if (sent.kind != net::IoKind::would_block) return false;
            }
            if (guest.received.empty()) break;
        }
        return true;
    }

    Answer answer_;
    Door door_;
    mutable std::mutex mutex_;
    std::string heard_;
    int accepted_ = 0, ended_ = 0;
    std::jthread thread_;
};

// An address that nobody listens on, and nobody will: it is taken.
class Nobody {
public:
    Nobody() : door_{*Door::open(*net::Address::parse("127.0.0.1", 0))} {
        const net::Address address = door_.address();
        door_.close();
        socket_ = *net::Socket::open(net::Family::v4);
        std::array<std::byte, net::Address::longest> bytes{};
        const unsigned length = address.write(bytes);
        EXPECT_EQ(::bind(socket_.fd(), reinterpret_cast<const sockaddr*>(bytes.data()), length), 0);
    }
    [[nodiscard]] std::string address() const { return door_.address().to_string(); }

private:
    Door door_;
    net::Socket socket_;
};

enum class Ending : std::uint8_t { orderly, reset, none };

// Owned by one test.
class Client {
public:
    explicit Client(std::uint16_t port) : socket_{*net::Socket::open(net::Family::v4)} {
        const net::Io io = socket_.connect(*net::Address::parse("127.0.0.1", port));
        if (io.kind == net::IoKind::would_block && ready(POLLOUT))
            connected_ = socket_.finish_connect().kind == net::IoKind::done;
        else connected_ = io.kind == net::IoKind::done;
    }

    [[nodiscard]] bool connected() const noexcept { return connected_; }
    void send(std::string_view bytes) {
        while (!bytes.empty()) {
            const net::Io io = socket_.write(bytes);
            if (io.kind == net::IoKind::done) bytes.remove_prefix(io.bytes);
            else if (io.kind == net::IoKind::failed) return void(ending_ = Ending::reset);
            else if (!ready(POLLOUT)) return;
        }
    }
    // Everything up to and with these words; less if they do not come.
    std::string until(std::string_view words) {
        while (received_.find(words) == std::string::npos && read_more()) {}
        const std::size_t at = received_.find(words);
        const std::size_t length = at == std::string::npos ? received_.size() : at + words.size();
        std::string taken = received_.substr(0, length);
        received_.erase(0, length);
        return taken;
    }
    // One request, one reply that ends with these words.
    std::string ask(std::string_view request, std::string_view reply_ends_with) {
        send(request);
        return until(reply_ends_with);
    }
    // How the connection ends; what still came is in rest().
    Ending ending() {
        while (ending_ == Ending::none && read_more()) {}
        return ending_;
    }
    [[nodiscard]] const std::string& rest() const noexcept { return received_; }
    // Nothing to read at this moment, and no end of it.
    [[nodiscard]] bool hears_nothing() const { return received_.empty() && socket_.quiet(); }
    void close() { socket_.close(); }

private:
    [[nodiscard]] bool ready(short what) const {
        pollfd one{.fd = socket_.fd(), .events = what, .revents = 0};
        return ::poll(&one, 1, static_cast<int>(patience / 1ms)) > 0;
    }
    bool read_more() {
        std::array<char, 65'536> buffer{};
        const net::Io io = ready(POLLIN) ? socket_.read(buffer) : net::Io{net::IoKind::would_block};
        if (io.kind == net::IoKind::closed) ending_ = Ending::orderly;
        if (io.kind == net::IoKind::failed) ending_ = Ending::reset;
        if (io.kind != net::IoKind::done) return false;
        received_.append(buffer.data(), io.bytes);
        return true;
    }

    net::Socket socket_;
    bool connected_ = false;
    std::string received_;
    Ending ending_ = Ending::none;
};

inline std::unique_ptr<Proxy> started(Plan plan, ProxyOptions options) {
    auto proxy = Proxy::start(std::move(plan), std::move(options));
    EXPECT_TRUE(proxy) << proxy.error().message;
    return std::move(*proxy);
}
inline std::unique_ptr<Proxy> before(const Server& server, std::vector<Rule> rules,
                                     Protocol protocol = Protocol::http) {
    return started({.rules = std::move(rules), .protocol = protocol},
                   {.to = server.address(), .id_header = "x-request-id"});
}

}  // namespace chaos
}  // namespace v0
}  // namespace perdure
