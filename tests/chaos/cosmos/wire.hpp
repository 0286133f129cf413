// SPDX-License-Identifier: Apache-2.0
//
// Who asks the fake gateway in these tests? Bytes that are written down, on a clock that is moved by
// hand, and an answer taken apart with nothing but find().
//
//     FakeAccount account{options};
//     const Reply reply = account.ask("East US", "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
//     EXPECT_EQ(reply.line, "HTTP/1.1 200 Ok");
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <poll.h>

#include "perdure/chaos/cosmos/gateway.hpp"
#include "perdure/net/socket.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

// Begins on Friday, 2 January 2026, 03:04:05 GMT, the date of the known signatures. Any thread.
class HandClock final : public Clock {
public:
    [[nodiscard]] TimePoint now() const noexcept override {
        return TimePoint{Duration{1h}} + Duration{passed_.load()};
    }
    [[nodiscard]] WallTime wall() const noexcept override {
        return WallTime{1'767'323'045s} + Duration{passed_.load()};
    }
    Woken sleep_until(TimePoint, const std::stop_token&) override { return Woken::on_time; }
    void advance(Duration by) noexcept { passed_ += by.count(); }

private:
    std::atomic<Duration::rep> passed_{0};
};

struct Reply {
    std::string raw{};   // all bytes
    std::string line{};  // the first
    std::string head{};
    std::string body{};
    bool ended = false;  // the connection, before the answer was whole

    // "404/1002"
    [[nodiscard]] std::string status() const {
        const std::string substatus = header("x-ms-substatus");
        return line.substr(0, 12).substr(std::min<std::size_t>(9, line.size())) +
               (substatus.empty() ? "" : "/" + substatus);
    }
    [[nodiscard]] std::string header(std::string_view name) const {
        const std::string start = "\r\n" + std::string{name} + ": ";
        const std::size_t at = head.find(start);
        if (at == std::string::npos) return "";
        const std::size_t from = at + start.size();
        return head.substr(from, head.find("\r\n", from) - from);
    }
    // The text between the quotes behind "name": in the body.
    [[nodiscard]] std::string member(std::string_view name) const {
        const std::string start = '"' + std::string{name} + "\":\"";
        const std::size_t at = body.find(start);
        if (at == std::string::npos) return "";
        const std::size_t from = at + start.size();
        std::size_t end = from;
        while (end < body.size() && body[end] != '"') end += body[end] == '\\' ? 2 : 1;
        return body.substr(from, end - from);
    }
};

// Owned by one test.
class Wire {
public:
    explicit Wire(std::string_view endpoint) : socket_{*net::Socket::open(net::Family::v4)} {
        std::uint16_t port = 0;
        const std::string_view digits = endpoint.substr(endpoint.rfind(':') + 1);
        (void)std::from_chars(digits.data(), digits.data() + digits.size(), port);
        const net::Io io = socket_.connect(*net::Address::parse("127.0.0.1", port));
        if (io.kind == net::IoKind::would_block && ready(POLLOUT, patient))
            connected_ = socket_.finish_connect().kind == net::IoKind::done;
        else connected_ = io.kind == net::IoKind::done;
    }

    [[nodiscard]] bool connected() const noexcept { return connected_; }
    void send(std::string_view bytes) {
        while (!bytes.empty()) {
            const net::Io io = socket_.write(bytes);
            if (io.kind == net::IoKind::done) bytes.remove_prefix(io.bytes);
            else if (io.kind != net::IoKind::would_block || !ready(POLLOUT, patient)) return;
        }
    }
    Reply receive() {
        Reply reply;
        std::size_t head_end = 0;
        for (;;) {
            head_end = in_.find("\r\n\r\n");
            if (head_end != std::string::npos) {
                reply.head = in_.substr(0, head_end + 2);
                reply.line = in_.substr(0, in_.find("\r\n"));
                std::size_t length = 0;
                const std::string digits = reply.header("Content-Length");
                (void)std::from_chars(digits.data(), digits.data() + digits.size(), length);
                if (in_.size() >= head_end + 4 + length) {
                    reply.raw = in_.substr(0, head_end + 4 + length);
                    reply.body = in_.substr(head_end + 4, length);
                    in_.erase(0, reply.raw.size());
                    return reply;
                }
            }
            if (!more()) break;
        }
        reply.ended = true;
        reply.raw = in_;
        return reply;
    }
    // Nothing to read now, and no end of it.
    [[nodiscard]] bool quiet() const { return in_.empty() && socket_.quiet(); }

private:
    static constexpr int patient = 5000;
    [[nodiscard]] bool ready(short what, int milliseconds) const {
        pollfd one{.fd = socket_.fd(), .events = what, .revents = 0};
        return ::poll(&one, 1, milliseconds) > 0;
    }
    bool more() {
        std::array<char, 65'536> bytes{};
        if (!ready(POLLIN, patient)) return false;
        const net::Io io = socket_.read(bytes);
        if (io.kind != net::IoKind::done) return false;
        in_.append(bytes.data(), io.bytes);
        return true;
    }

    net::Socket socket_;
    bool connected_ = false;
    std::string in_;
};

// Lines of a head, with \n for \r\n, and a body: what is sent.
inline std::string bytes(std::string_view head, std::string_view body = "") {
    std::string text;
    for (const char c : head) c == '\n' ? text += "\r\n" : text += c;
    text += "Host: 127.0.0.1\r\n";
    if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return text + "\r\n" + std::string{body};
}

// A gateway on a clock that is moved by hand. Owned by one test.
class FakeAccount {
public:
    explicit FakeAccount(GatewayOptions options = {}, Signatures signatures = Signatures::ignored) {
        options.signatures = signatures;
        auto started = CosmosGateway::start(options, clock);
        EXPECT_TRUE(started) << started.error().message;
        gateway = std::move(*started);
    }

    [[nodiscard]] Reply ask(std::string_view region, std::string_view head,
                            std::string_view body = "") const {
        Wire wire{gateway->endpoint(region)};
        wire.send(bytes(head, body));
        return wire.receive();
    }
    // Database d and container c with /pk, in every region.
    void furnish(const std::string& more = "") const {
        EXPECT_EQ(ask("global", "POST /dbs HTTP/1.1\n", R"({"id":"d"})").status(), "201");
        EXPECT_EQ(ask("global", "POST /dbs/d/colls HTTP/1.1\n",
                      R"({"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2})" +
                          more + '}')
                      .status(),
                  "201");
    }
    // An item of the key "A".
    [[nodiscard]] Reply create(std::string_view region, const std::string& id,
                               const std::string& more = "") const {
        return ask(region,
                   "POST /dbs/d/colls/c/docs HTTP/1.1\nx-ms-documentdb-partitionkey: [\"A\"]\n"
                   "x-ms-cosmos-allow-tentative-writes: true\n",
                   R"({"id":")" + id + R"(","pk":"A")" + more + "}");
    }
    [[nodiscard]] Reply read(std::string_view region, const std::string& id,
                             const std::string& headers = "") const {
        return ask(region, "GET /dbs/d/colls/c/docs/" + id +
                               " HTTP/1.1\nx-ms-documentdb-partitionkey: [\"A\"]\n" + headers);
    }
    void pass(Duration time) {
        clock.advance(time);
        gateway->look();
    }

    HandClock clock;
    std::unique_ptr<CosmosGateway> gateway;
};

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
