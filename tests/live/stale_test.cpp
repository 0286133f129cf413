// SPDX-License-Identifier: Apache-2.0
//
// A pooled connection that the server has given up: is a request that must run once sent once?
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "live/support/asking.hpp"
#include "live/support/counting_server.hpp"
#include "live/support/nginx.hpp"
#include "perdure/call/diagnostics.hpp"

namespace perdure::live {
namespace {

using http::Client;
using http::ClientOptions;
using http::Request;

ClientOptions live_options() {
    return {.plan = {.name = "live"}, .proxy_from = http::ProxyFrom::nowhere};
}

Request post_request(const std::string& id) {
    return Request::post("/").header("x-request-id", id).body("pay");
}

class LiveStale : public ::testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Asked, LiveStale, ::testing::Values(Way::blocking, Way::coroutine),
                         way_name);

TEST_P(LiveStale, a_connection_closed_while_idle_is_noticed_before_anything_is_sent) {
    CountingServer server;
    Client client{url_of(server.port()), live_options()};
    for (int i = 0; i < 20; ++i) {
        const std::string id = "p" + std::to_string(i);
        Diagnostics diagnostics;
        const auto paid = ask(client, post_request(id), GetParam(), {.diagnostics = &diagnostics});
        ASSERT_TRUE(paid) << to_string(paid.error());
        EXPECT_EQ(diagnostics.attempts().size(), 1u);
        EXPECT_EQ(server.arrivals(id), 1);
        server.close_idle();
    }
    EXPECT_EQ(server.connections(), 20);
}

// Nobody can look and write in one step: the server may close in between.
TEST_P(LiveStale, a_server_that_closes_whenever_it_likes_never_sees_a_post_twice) {
    constexpr int calls = 1000;
    CountingServer server;
    Client client{url_of(server.port()), live_options()};
    std::jthread closing{[&](const std::stop_token& stop) {
        while (!stop.stop_requested()) server.close_idle();
    }};
    int done = 0;
    int unknown = 0;
    for (int i = 0; i < calls; ++i) {
        const std::string id = "p" + std::to_string(i);
        const auto paid = ask(client, post_request(id), GetParam());
        server.settle();
        const int arrivals = server.arrivals(id);
        if (paid) {
            ++done;
            EXPECT_EQ(arrivals, 1) << id;
        } else if (paid.error().effect == Effect::none) {
            EXPECT_EQ(arrivals, 0) << id << ": " << to_string(paid.error());
        } else {
            ++unknown;
            EXPECT_LE(arrivals, 1) << id << ": " << to_string(paid.error());
            EXPECT_EQ(paid.error().stop, Stop::unsafe);
        }
    }
    RecordProperty("done", done);
    RecordProperty("unknown", unknown);
    EXPECT_GT(done, 0);
}

// The same on purpose: whoever sends the second request on a connection loses it.
TEST_P(LiveStale, a_server_that_closes_upon_the_request_has_seen_it_once) {
    std::atomic<int> posts = 0;
    TcpServer server{{.on_bytes = [&](Peer& peer, TimePoint) {
        if (!peer.in.ends_with("pay")) return;
        ++posts;
        peer.in.clear();
        if (++peer.mark > 1) peer.then = Peer::Then::close;
        else peer.out += "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    }}};
    Client client{url_of(server.port()), live_options()};
    ASSERT_TRUE(ask(client, post_request("a"), GetParam()));
    Diagnostics diagnostics;
    const auto lost = ask(client, post_request("b"), GetParam(), {.diagnostics = &diagnostics});
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().cause, Cause::unavailable);
    EXPECT_EQ(lost.error().effect, Effect::unknown);
    EXPECT_EQ(lost.error().stop, Stop::unsafe);
    ASSERT_EQ(diagnostics.attempts().size(), 1u);
    EXPECT_TRUE(diagnostics.attempts().front().phases->reused);
    EXPECT_EQ(posts, 2);

    // A key makes it repeatable, and the repetition finds a fresh connection.
    ASSERT_TRUE(ask(client, post_request("c"), GetParam()));
    EXPECT_TRUE(ask(client, post_request("d").idempotency_key(), GetParam()));
    EXPECT_EQ(posts, 5);
}

TEST_P(LiveStale, a_connection_lives_through_a_hundred_answers_that_are_failures) {
    if (!Nginx::missing().empty()) GTEST_SKIP() << Nginx::missing();
    const Nginx nginx{{.server = "add_header X-Nth $connection_requests always;\n"}};
    for (const bool secure : {false, true}) {
        ClientOptions chosen = live_options();
        chosen.tls.ca_file = nginx.certificates().ca;
        Client client{secure ? secure_url_of(nginx.ports().tls) : url_of(nginx.ports().plain),
                      chosen};
        http::Response last;
        for (int i = 1; i <= 100; ++i) {
            const auto answer =
                ask(client, Request::get("/status/404"), GetParam(), {.last_answer = &last});
            ASSERT_FALSE(answer);
            ASSERT_EQ(answer.error().cause, Cause::not_found) << to_string(answer.error());
            ASSERT_EQ(last.headers.find("x-nth").value_or(""), std::to_string(i));
        }
        EXPECT_EQ(client.connections().idle, 1);
    }
}

TEST_P(LiveStale, a_second_connection_remembers_the_first_ones_tls_session) {
    if (!Nginx::missing().empty()) GTEST_SKIP() << Nginx::missing();
    const Nginx nginx{{.server = "keepalive_timeout 0;\n"
                                 "add_header X-Reused $ssl_session_reused always;\n"}};
    ClientOptions chosen = live_options();
    chosen.tls.ca_file = nginx.certificates().ca;
    for (const std::uint16_t port : {nginx.ports().tls, nginx.ports().tls_1_2}) {
        Client client{secure_url_of(port), chosen};
        for (const char* const reused : {".", "r", "r"}) {
            const auto answer = ask(client, Request::get("/small"), GetParam());
            ASSERT_TRUE(answer) << to_string(answer.error());
            EXPECT_EQ(answer->headers.find("x-reused").value_or(""), reused);
            EXPECT_EQ(client.connections().idle, 0);
        }
    }
}

}  // namespace
}  // namespace perdure::live
