// SPDX-License-Identifier: Apache-2.0
//
// Do the servers that other tests stand on misbehave as they promise?
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "live/support/counting_server.hpp"
#include "live/support/dripper.hpp"
#include "live/support/listener.hpp"
#include "live/support/network_namespace.hpp"
#include "live/support/nginx.hpp"
#include "live/support/patient.hpp"

namespace perdure::live {
namespace {

using net::IoKind;
using net::Ready;

// One connection, plain, and what it hears.
struct Line {
    explicit Line(const net::Address& address) : stream{net::plain_stream(connect(address))} {}
    // The whole answer, of which we know how long it is.
    std::string ask(const std::string& request, std::size_t enough) const {
        say(*stream, request);
        return hear(*stream, enough).text;
    }
    [[nodiscard]] bool silent(Duration for_so_long) const {
        return !ready(stream->fd(), Ready::read, for_so_long);
    }
    std::unique_ptr<net::Stream> stream;
};

std::string post(const std::string& id, const std::string& more = "") {
    return "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nX-Request-Id: " + id + "\r\n" +
           more + "\r\nhi";
}

TEST(Fixtures, a_silent_server_accepts_and_says_nothing) {
    SilentTcp server;
    Line line{server.address()};
    say(*line.stream, "hello");
    EXPECT_TRUE(line.silent(30ms));
}

TEST(Fixtures, a_full_backlog_lets_nobody_in) {
    const FullBacklog server;
    EXPECT_FALSE(connect(server.address(), 50ms));
}

TEST(Fixtures, a_dripper_sends_byte_by_byte) {
    const Dripper head{{.drips = DripperOptions::What::head, .every = 5ms}};
    Line line{head.address()};
    EXPECT_EQ(line.ask("GET / HTTP/1.1\r\n\r\n", 5), "HTTP/");

    const Dripper body{{.every = 100ms, .slow_requests = 1}};
    Line slow{body.address()};
    EXPECT_TRUE(slow.ask("GET / HTTP/1.1\r\n\r\n", 40).ends_with("\r\n\r\n."));
    EXPECT_TRUE(slow.silent(20ms));
    Line quick{body.address()};
    EXPECT_TRUE(quick.ask("GET / HTTP/1.1\r\n\r\n", 40).ends_with("ok"));

    const Dripper nothing{{.drips = DripperOptions::What::nothing}};
    Line mute{nothing.address()};
    say(*mute.stream, "GET / HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(mute.silent(20ms));
}

TEST(Fixtures, a_counting_server_knows_what_it_did) {
    CountingServer server;
    Line line{server.address()};
    const std::string answer = line.ask(post("a"), 20);
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
    EXPECT_TRUE(answer.ends_with("\r\n\r\na")) << answer;
    line.ask(post("a"), 20);
    EXPECT_EQ(server.effects("a"), 2);
    EXPECT_EQ(server.effects("b"), 0);

    line.ask(post("c", "Idempotency-Key: k\r\n"), 20);
    line.ask(post("c", "Idempotency-Key: k\r\n"), 20);
    EXPECT_EQ(server.arrivals("c"), 2);
    EXPECT_EQ(server.effects("c"), 1);
    EXPECT_EQ(server.requests(), 4);
    EXPECT_EQ(server.connections(), 1);
}

TEST(Fixtures, a_counting_server_takes_no_half_request_and_closes_idle_connections) {
    CountingServer server;
    Line idle{server.address()};
    Line busy{server.address()};
    idle.ask(post("a"), 20);
    say(*busy.stream, post("b").substr(0, 40));
    server.settle();
    server.close_idle();
    EXPECT_FALSE(idle.stream->quiet());
    EXPECT_TRUE(busy.stream->quiet());
    EXPECT_EQ(server.effects("b"), 0);
    busy.ask(post("b").substr(40), 20);
    EXPECT_EQ(server.effects("b"), 1);
}

TEST(Fixtures, nginx_serves_its_locations) {
    if (!Nginx::missing().empty()) GTEST_SKIP() << Nginx::missing();
    CountingServer backend;
    const Nginx nginx{{.backend = backend.port()}};
    const auto get = [&](const std::string& path) {
        Line line{net::Address::v4({127, 0, 0, 1}, nginx.ports().plain)};
        return line.ask("GET " + path + " HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n",
                        std::string::npos);
    };
    EXPECT_EQ(Nginx::small().size(), 967u);
    EXPECT_TRUE(get("/small").ends_with("\r\n\r\n" + Nginx::small()));
    EXPECT_NE(get("/status/429").find("\r\nRetry-After: 1\r\n"), std::string::npos);
    EXPECT_EQ(get("/files/large").substr(0, 12), "HTTP/1.1 200");
    EXPECT_EQ(get("/redirect").substr(0, 12), "HTTP/1.1 302");
    EXPECT_EQ(get("/backend/x").substr(0, 12), "HTTP/1.1 200");
    EXPECT_EQ(backend.requests(), 1);
}

TEST(Fixtures, a_network_of_our_own_can_lose_packets) {
    NetworkNamespace far;
    if (!far.missing().empty()) GTEST_SKIP() << far.missing();
    std::unique_ptr<CountingServer> server;
    far.within([&] { server = std::make_unique<CountingServer>("0.0.0.0"); });
    Line line{far.address(server->port())};
    EXPECT_TRUE(line.ask(post("a"), 20).ends_with("a"));
    EXPECT_FALSE(connect(far.black_hole(80), 50ms));

    far.drop_packets();
    EXPECT_EQ(far.missing(), "");
    say(*line.stream, post("b"));
    EXPECT_TRUE(line.silent(50ms));
    far.pass_packets();
    EXPECT_TRUE(hear(*line.stream, 20).text.ends_with("b"));
    EXPECT_EQ(server->effects("b"), 1);
}

}  // namespace
}  // namespace perdure::live
