// SPDX-License-Identifier: Apache-2.0
//
// Is whoever asks for metrics answered, whoever asks for anything else refused, and nobody waited for?
#include "perdure/scrape/endpoint.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <poll.h>
#include <sys/socket.h>

#include "perdure/call/caller.hpp"
#include "perdure/net/address.hpp"
#include "perdure/net/socket.hpp"
#include "perdure/telemetry/metrics.hpp"
#include "perdure/testing/thread_limit.hpp"
#include "telemetry/exposition_reader.hpp"

namespace perdure::testing {
namespace {

constexpr Duration patience = 5s;

// A client that says what it is told, byte by byte if need be.
class Visitor {
public:
    explicit Visitor(std::uint16_t port) {
        auto opened = net::Socket::open(net::Family::v4);
        socket_ = std::move(*opened);
        const net::Io io = socket_.connect(net::Address::v4({127, 0, 0, 1}, port));
        if (io.kind == net::IoKind::would_block) await(POLLOUT);
        EXPECT_EQ(socket_.finish_connect().kind, net::IoKind::done);
    }
    // False: the other side is gone.
    bool say(std::string_view bytes) {
        while (!bytes.empty()) {
            const net::Io io = socket_.write(bytes);
            if (io.kind == net::IoKind::would_block) {
                await(POLLOUT);
                continue;
            }
            if (io.kind != net::IoKind::done) return false;
            bytes.remove_prefix(io.bytes);
        }
        return true;
    }
    // Everything until it is closed.
    std::string hear_all() {
        std::string heard;
        for (;;) {
            std::array<char, 4096> bytes;
            const net::Io io = socket_.read(bytes);
            if (io.kind == net::IoKind::done) heard.append(bytes.data(), io.bytes);
            else if (io.kind != net::IoKind::would_block) return heard;
            else if (!await(POLLIN)) return heard + " (and waited in vain)";
        }
    }
    std::string hear_until(std::string_view end) {
        std::string heard;
        while (heard.find(end) == std::string::npos) {
            std::array<char, 1> byte;
            const net::Io io = socket_.read(byte);
            if (io.kind == net::IoKind::done) heard += byte[0];
            else if (io.kind != net::IoKind::would_block || !await(POLLIN)) break;
        }
        return heard;
    }

private:
    bool await(short what) {
        pollfd one{socket_.fd(), what, 0};
        return ::poll(&one, 1, static_cast<int>(patience / 1ms)) == 1;
    }
    net::Socket socket_;
};

std::string get(std::string_view target, std::string_view method = "GET") {
    return std::string{method} + ' ' + std::string{target} +
           " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
}

struct Scraped : ::testing::Test {
    std::unique_ptr<Endpoint> start(EndpointOptions options = {}) {
        options.listen = "127.0.0.1:0";
        auto started = Endpoint::start(options, [this] {
            ++rendered;
            return text;
        });
        EXPECT_TRUE(started) << to_string(started.error());
        return std::move(*started);
    }
    std::string answer(const Endpoint& endpoint, std::string_view request) {
        Visitor caller{endpoint.port()};
        EXPECT_TRUE(caller.say(request));
        return caller.hear_all();
    }
    std::string text = "up 1\n";
    std::atomic<int> rendered = 0;
};

TEST_F(Scraped, the_metrics_come_with_their_type_and_length) {
    const auto endpoint = start();
    const std::string got = answer(*endpoint, get("/metrics"));
    EXPECT_TRUE(got.starts_with("HTTP/1.1 200 OK\r\n")) << got;
    EXPECT_NE(got.find("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"),
              std::string::npos)
        << got;
    EXPECT_TRUE(got.ends_with("Content-Length: 5\r\n\r\nup 1\n")) << got;
    EXPECT_EQ(endpoint->url(), "http://127.0.0.1:" + std::to_string(endpoint->port()) + "/metrics");
    EXPECT_TRUE(answer(*endpoint, get("/metrics?x=1")).starts_with("HTTP/1.1 200"));
}

TEST_F(Scraped, a_name_that_only_resolves_to_loopback_gets_nothing) {
    const auto endpoint = start();
    const std::string port = ":" + std::to_string(endpoint->port());
    const auto by = [&](const std::string& host) {
        return answer(*endpoint,
                      "GET /metrics HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
    };
    for (const std::string host : {"rebound.test", "localhost.test", "10.0.0.1", "[::2]"}) {
        EXPECT_TRUE(by(host).starts_with("HTTP/1.1 421")) << host;
        EXPECT_TRUE(by(host + port).starts_with("HTTP/1.1 421")) << host;
    }
    EXPECT_EQ(rendered, 0);
    for (const std::string host : {"localhost", "127.0.0.1", "127.8.8.8", "[::1]", "LOCALHOST"}) {
        EXPECT_TRUE(by(host).starts_with("HTTP/1.1 200")) << host;
        EXPECT_TRUE(by(host + port).starts_with("HTTP/1.1 200")) << host;
    }
}

TEST_F(Scraped, an_endpoint_for_other_machines_answers_by_any_name) {
    const auto endpoint = start({.reach = Reach::anywhere});
    EXPECT_TRUE(answer(*endpoint, "GET /metrics HTTP/1.1\r\nHost: metrics.shop\r\n"
                                  "Connection: close\r\n\r\n")
                    .starts_with("HTTP/1.1 200"));
}

TEST_F(Scraped, everything_else_is_refused) {
    const auto endpoint = start();
    const struct {
        std::string request, status;
    } cases[] = {
        {get("/"), "404"},
        {get("/metrics/"), "404"},
        {get("/metrics", "POST"), "405"},
        {get("/metrics", "DELETE"), "405"},
        {"hello\r\n\r\n", "400"},
        {std::string(300, '\0') + "\r\n\r\n", "400"},
        {"GET /metrics HTTP/1.1\nHost: x\n\n", "400"},
        {"GET /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: "
         "chunked\r\n\r\n",
         "400"},
        {"\x16\x03\x01\x02 no TLS here\r\n\r\n", "400"},
    };
    for (const auto& [request, status] : cases) {
        const std::string got = answer(*endpoint, request);
        EXPECT_TRUE(got.starts_with("HTTP/1.1 " + status)) << request << "\n" << got;
        EXPECT_NE(got.find("Connection: close\r\n"), std::string::npos) << got;
    }
    EXPECT_EQ(rendered, 0);
}

TEST_F(Scraped, a_head_has_the_same_head_and_no_body) {
    const auto endpoint = start();
    const std::string got = answer(*endpoint, get("/metrics", "HEAD"));
    EXPECT_TRUE(got.starts_with("HTTP/1.1 200")) << got;
    EXPECT_TRUE(got.ends_with("Content-Length: 5\r\n\r\n")) << got;
}

TEST_F(Scraped, a_large_request_is_refused_and_the_refusal_arrives) {
    const auto endpoint = start();
    const std::string got =
        answer(*endpoint, "GET /metrics HTTP/1.1\r\nX: " + std::string(300'000, 'x'));
    EXPECT_TRUE(got.starts_with("HTTP/1.1 431")) << got;
    const std::string body =
        answer(*endpoint, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                          "100000\r\n\r\n" +
                              std::string(100'000, 'x'));
    EXPECT_TRUE(body.starts_with("HTTP/1.1 4")) << body;
}

TEST_F(Scraped, a_connection_is_used_again_also_byte_by_byte) {
    const auto endpoint = start();
    Visitor caller{endpoint->port()};
    for (int i = 0; i < 3; ++i) {
        for (const char c : std::string{"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"})
            ASSERT_TRUE(caller.say({&c, 1}));
        EXPECT_NE(caller.hear_until("up 1\n").find("Connection: keep-alive"), std::string::npos);
    }
}

TEST_F(Scraped, several_requests_at_once_get_one_answer) {
    const auto endpoint = start();
    const std::string one = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const std::string got = answer(*endpoint, one + one + one);
    EXPECT_EQ(rendered, 1);
    EXPECT_NE(got.find("Connection: close"), std::string::npos) << got;
}

TEST_F(Scraped, those_who_do_not_finish_are_let_go_and_others_are_served_meanwhile) {
    const auto endpoint = start({.connections = 3, .request_within = 50ms});
    std::vector<std::unique_ptr<Visitor>> slow;
    for (int i = 0; i < 6; ++i) {
        slow.push_back(std::make_unique<Visitor>(endpoint->port()));
        EXPECT_TRUE(slow.back()->say("GET /met"));
    }
    EXPECT_TRUE(answer(*endpoint, get("/metrics")).starts_with("HTTP/1.1 200"));
    for (const auto& each : slow) EXPECT_EQ(each->hear_all(), "");
}

TEST_F(Scraped, one_who_does_not_read_is_let_go) {
    text = std::string(20u << 20u, 'x');
    const auto endpoint = start({.request_within = 50ms});
    Visitor deaf{endpoint->port()};
    EXPECT_TRUE(deaf.say(get("/metrics")));
    const std::string begun = deaf.hear_until("\r\n");
    EXPECT_TRUE(begun.starts_with("HTTP/1.1 200")) << begun;
    // Others are not held up by it; when the last of three idle ones is let go, so is this one.
    for (int i = 0; i < 3; ++i) EXPECT_EQ(Visitor{endpoint->port()}.hear_all(), "");
    EXPECT_LT(deaf.hear_all().size(), text.size());
}

TEST_F(Scraped, what_the_renderer_throws_is_a_500) {
    auto started = Endpoint::start({.listen = "127.0.0.1:0"},
                                   []() -> std::string { throw std::runtime_error{"secret"}; });
    ASSERT_TRUE(started);
    const std::string got = answer(**started, get("/metrics"));
    EXPECT_TRUE(got.starts_with("HTTP/1.1 500")) << got;
    EXPECT_EQ(got.find("secret"), std::string::npos) << got;
}

TEST_F(Scraped, it_ends_at_once_with_clients_connected) {
    auto endpoint = start();
    Visitor idle{endpoint->port()}, half{endpoint->port()};
    EXPECT_TRUE(half.say("GET /m"));
    const TimePoint before = system_clock().now();
    endpoint.reset();
    EXPECT_LT(system_clock().now() - before, 200ms);
}

TEST(EndpointStart, is_refused_anywhere_but_on_loopback_unless_told) {
    const auto render = [] { return std::string{}; };
    for (const char* const listen : {"0.0.0.0:0", "[::]:0", "192.0.2.1:0"}) {
        const auto refused = Endpoint::start({.listen = listen}, render);
        ASSERT_FALSE(refused) << listen;
        EXPECT_EQ(refused.error().code, "not-loopback");
    }
    EXPECT_FALSE(Endpoint::start({.listen = "nonsense"}, render));
    EXPECT_TRUE(Endpoint::start({.listen = "0.0.0.0:0", .reach = Reach::anywhere}, render));
    const auto first = Endpoint::start({.listen = "127.0.0.1:0"}, render);
    ASSERT_TRUE(first);
    const auto taken =
        Endpoint::start({.listen = "127.0.0.1:" + std::to_string((*first)->port())}, render);
    ASSERT_FALSE(taken);
    EXPECT_NE(taken.error().message.find("cannot listen"), std::string::npos);
}

TEST(EndpointThreads, serve_metrics_that_are_being_counted) {
    Metrics metrics;
    const auto endpoint =
        Endpoint::start({.listen = "127.0.0.1:0"}, [&] { return metrics.prometheus(); });
    ASSERT_TRUE(endpoint);
    Caller users{{.name = "users"}, {.observer = &metrics}};
    std::atomic<bool> enough = false;
    std::jthread busy{[&] {
        while (!enough) (void)users.run({.name = "load"}, []() -> Result<int> { return 1; });
    }};
    for (int i = 0; i < 10; ++i) {
        Visitor caller{(*endpoint)->port()};
        EXPECT_TRUE(caller.say(get("/metrics")));
        const std::string got = caller.hear_all();
        const std::size_t body = got.find("\r\n\r\n");
        ASSERT_NE(body, std::string::npos);
        (void)read_exposition(std::string_view{got}.substr(body + 4));
    }
    enough = true;
}

TEST(MetricsEndpoint, without_a_thread_is_an_error) {
    const ThreadLimit none{0};
    const auto started = Endpoint::start({.listen = "127.0.0.1:0"}, [] { return std::string{}; });
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().code, "no-thread");
}

}  // namespace
}  // namespace perdure::testing
