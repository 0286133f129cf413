// SPDX-License-Identifier: Apache-2.0
//
// Does each fault do to an HTTP exchange what the reference page says, and is it told so?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chaos/wire.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Record request_in(const Proxy& proxy, std::size_t which = 0) {
    std::vector<Record> requests = proxy.records();
    std::erase_if(requests, [](const Record& record) { return record.request == 0; });
    EXPECT_LT(which, requests.size());
    return which < requests.size() ? requests[which] : Record{};
}

TEST(HttpLinkThreads, passes_requests_and_replies_on_byte_by_byte_and_keeps_the_connection) {
    const Server server;
    const auto proxy = before(server, {});
    Client client{proxy->port()};
    const std::string first = post("/a?b=c", "hello", "X-Odd:   spaces \r\nx-request-id: one\r\n");
    EXPECT_EQ(client.ask(first, "hello"), ok("hello"));
    EXPECT_EQ(client.ask(get("/second"), "/second"), ok("/second"));
    EXPECT_EQ(server.heard(), first + get("/second"));
    const Counters counters = proxy->counters();
    EXPECT_EQ(counters.connections, 1);
    EXPECT_EQ(counters.requests, 2);
    EXPECT_EQ(counters.forwarded, 2);
    EXPECT_EQ(counters.answered, 2);
    const Record record = request_in(*proxy);
    EXPECT_EQ(record.method, "POST");
    EXPECT_EQ(record.path, "/a");
    EXPECT_EQ(record.id, "one");
    EXPECT_EQ(record.status, 200);
    EXPECT_FALSE(record.fault);
    EXPECT_EQ(record.bytes_to_server, first.size());
    EXPECT_EQ(record.bytes_to_client, ok("hello").size());
    ASSERT_TRUE(record.read && record.forwarded && record.answered);
    EXPECT_LE(record.accepted, *record.read);
    EXPECT_LE(*record.read, *record.forwarded);
    EXPECT_LE(*record.forwarded, *record.answered);
    EXPECT_LE(*record.answered, record.ended);
}

TEST(HttpLinkThreads, answers_pipelined_requests_in_their_order) {
    const Server server;
    const auto proxy = before(server, {{.fault = Fault::inject, .match = {.path = "/two"}}});
    Client client{proxy->port()};
    client.send(get("/one") + get("/two") + get("/three"));
    EXPECT_EQ(client.until("/one"), ok("/one"));
    EXPECT_THAT(client.until("\r\n\r\n"), StartsWith("HTTP/1.1 503 "));
    EXPECT_EQ(client.until("/three"), ok("/three"));
    EXPECT_EQ(server.times("GET"), 2);
}

TEST(HttpLinkThreads, resets_before_forwarding_and_the_server_never_hears_of_it) {
    const Server server;
    const auto proxy = before(server, {{.fault = Fault::reset_before}});
    Client client{proxy->port()};
    client.send(post("/a", "once"));
    EXPECT_EQ(client.ending(), Ending::reset);
    EXPECT_EQ(client.rest(), "");
    EXPECT_EQ(server.heard(), "");
    EXPECT_EQ(proxy->counters().faults_before_forwarding, 1);
    EXPECT_EQ(proxy->counters().faults_after_forwarding, 0);
    EXPECT_EQ(request_in(*proxy).fault, Fault::reset_before);
    EXPECT_FALSE(request_in(*proxy).forwarded);
}

TEST(HttpLinkThreads, resets_after_forwarding_when_the_server_has_surely_done_it) {
    const Server server;
    const auto proxy = before(server, {{.fault = Fault::reset_after}});
    Client client{proxy->port()};
    client.send(post("/a", "once"));
    EXPECT_EQ(client.ending(), Ending::reset);
    EXPECT_EQ(client.rest(), "");
    EXPECT_EQ(server.times("once"), 1);
    EXPECT_EQ(proxy->counters().faults_after_forwarding, 1);
    EXPECT_EQ(proxy->counters().answered, 1);
    EXPECT_TRUE(request_in(*proxy).forwarded);
    EXPECT_EQ(request_in(*proxy).status, 200);
}

TEST(HttpLinkThreads, leaves_the_client_waiting_for_a_reply_it_swallowed) {
    const Server server;
    const auto proxy = before(server, {{.fault = Fault::swallow_reply}});
    Client client{proxy->port()};
    client.send(post("/a", "once"));
    ASSERT_TRUE(becomes([&] { return proxy->counters().of(Fault::swallow_reply) == 1; }));
    EXPECT_TRUE(client.hears_nothing());
    EXPECT_EQ(server.times("once"), 1);
    EXPECT_EQ(proxy->counters().open_connections, 1);
    client.close();
    EXPECT_TRUE(becomes([&] { return proxy->counters().open_connections == 0; }));
}

TEST(HttpLinkThreads, touches_neither_side_of_a_half_open_link) {
    const Server server;
    const auto proxy = before(server, {{.fault = Fault::half_open}});
    Client client{proxy->port()};
    client.send(post("/a", "once"));
    ASSERT_TRUE(becomes([&] { return proxy->counters().of(Fault::half_open) == 1; }));
    ASSERT_TRUE(becomes([&] { return server.times("once") == 1; }));
    EXPECT_TRUE(client.hears_nothing());
    EXPECT_EQ(server.accepted(), 1);
    EXPECT_EQ(server.ended(), 0);
    EXPECT_EQ(proxy->counters().faults_after_forwarding, 1);
    client.close();
    EXPECT_TRUE(becomes([&] { return server.ended() == 1; }));
}

TEST(HttpLinkThreads, reads_nothing_more_from_a_client_in_a_black_hole) {
    const Server server;
    const auto proxy = before(server, {{.fault = Fault::black_hole}});
    Client client{proxy->port()};
    client.send(get("/a"));
    ASSERT_TRUE(becomes([&] { return proxy->counters().of(Fault::black_hole) == 1; }));
    client.send(get("/b"));
    EXPECT_TRUE(client.hears_nothing());
    EXPECT_EQ(proxy->counters().requests, 1);
    EXPECT_EQ(server.heard(), "");
    EXPECT_EQ(proxy->counters().faults_before_forwarding, 1);
}

TEST(HttpLinkThreads, ends_orderly_after_so_many_bytes_of_the_reply) {
    const Server server;
    for (const std::size_t bytes : {0U, 1U, 17U, 40U}) {
        const auto proxy = before(server, {{.fault = Fault::close_after, .bytes = bytes}});
        Client client{proxy->port()};
        client.send(post("/a", "a reply that is long enough"));
        EXPECT_EQ(client.ending(), Ending::orderly);
        EXPECT_EQ(client.rest(), ok("a reply that is long enough").substr(0, bytes));
        EXPECT_EQ(proxy->counters().of(Fault::close_after), 1);
    }
}

TEST(HttpLinkThreads, injects_a_reply_in_the_servers_place) {
    const Server server;
    const auto proxy = before(server, {{.fault = Fault::inject,
                                        .status = 429,
                                        .headers = {{"Retry-After", "7"}},
                                        .body = "slow down"}});
    Client client{proxy->port()};
    const std::string reply = client.ask(get("/a"), "slow down");
    EXPECT_THAT(reply, StartsWith("HTTP/1.1 429 Too Many Requests\r\n"));
    EXPECT_THAT(reply, HasSubstr("\r\nRetry-After: 7\r\n"));
    EXPECT_THAT(reply, HasSubstr("\r\nContent-Length: 9\r\n"));
    EXPECT_THAT(client.ask("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n", "\r\n\r\n"),
                EndsWith("\r\n\r\n"));
    EXPECT_TRUE(client.hears_nothing());
    EXPECT_EQ(server.heard(), "");
    EXPECT_EQ(request_in(*proxy).status, 429);
}

TEST(HttpLinkThreads, says_something_else_after_the_server_has_surely_done_it) {
    const Server server;
    const auto proxy = before(server, {{.fault = Fault::replace_reply,
                                        .match = {.to = 1},
                                        .status = 500,
                                        .headers = {{"X-Why", "chance"}},
                                        .body = "no idea"}});
    Client client{proxy->port()};
    const std::string reply = client.ask(post("/a", "once"), "no idea");
    EXPECT_THAT(reply, StartsWith("HTTP/1.1 500 Internal Server Error\r\n"));
    EXPECT_THAT(reply, HasSubstr("\r\nX-Why: chance\r\n"));
    EXPECT_THAT(reply, Not(HasSubstr("once")));
    EXPECT_EQ(server.times("once"), 1);
    const Record record = request_in(*proxy);
    EXPECT_EQ(record.fault, Fault::replace_reply);
    EXPECT_TRUE(record.forwarded && record.answered);
    EXPECT_EQ(record.status, 200);  // the server's
    EXPECT_EQ(record.bytes_to_client, reply.size());
    EXPECT_EQ(proxy->counters().faults_after_forwarding, 1);
    EXPECT_EQ(proxy->counters().answered, 1);
    // The connection lives on, to both sides.
    EXPECT_EQ(client.ask(post("/a", "twice"), "twice"), ok("twice"));
    EXPECT_EQ(server.accepted(), 1);
}

TEST(HttpLinkThreads, replaces_pipelined_replies_and_such_as_are_no_http) {
    const std::vector<Rule> rules{{.fault = Fault::replace_reply, .status = 502, .body = "bad"}};
    const Server server;
    const auto proxy = before(server, rules);
    Client client{proxy->port()};
    client.send(get("/one") + get("/two"));
    EXPECT_THAT(client.until("bad"), StartsWith("HTTP/1.1 502 "));
    EXPECT_THAT(client.until("bad"), StartsWith("HTTP/1.1 502 "));
    EXPECT_EQ(proxy->counters().of(Fault::replace_reply), 2);
    EXPECT_EQ(server.times("GET"), 2);

    const Server odd{[](std::string& received) {
        received.clear();
        return std::string{"this is no HTTP\r\n"};
    }};
    const auto before_odd = before(odd, rules);
    Client other{before_odd->port()};
    EXPECT_THAT(other.ask(get("/"), "bad"), StartsWith("HTTP/1.1 502 "));
    EXPECT_EQ(other.ending(), Ending::orderly);
    EXPECT_EQ(other.rest(), "");
}

TEST(HttpLinkThreads, delays_the_request_or_the_reply) {
    const Server server;
    for (const Toward toward : {Toward::server, Toward::client}) {
        const auto proxy =
            before(server, {{.fault = Fault::delay, .delay = 20ms, .toward = toward}});
        Client client{proxy->port()};
        EXPECT_EQ(client.ask(get("/a"), "/a"), ok("/a"));
        const Record record = request_in(*proxy);
        EXPECT_EQ(record.fault, Fault::delay);
        const bool held_first = *record.forwarded - *record.read >= 20ms;
        EXPECT_EQ(held_first, toward == Toward::server);
        EXPECT_GE(record.ended - *record.read, 20ms);
        const Counters counters = proxy->counters();
        EXPECT_EQ(counters.faults_before_forwarding, toward == Toward::server ? 1 : 0);
        EXPECT_EQ(counters.faults_after_forwarding, toward == Toward::server ? 0 : 1);
    }
}

TEST(HttpLinkThreads, drips_a_reply_in_small_pieces) {
    const Server server;
    const auto proxy =
        before(server, {{.fault = Fault::drip, .delay = 5ms, .bytes = 2, .part = Part::body}});
    Client client{proxy->port()};
    EXPECT_EQ(client.ask(post("/a", "123456"), "123456"), ok("123456"));
    const Record record = request_in(*proxy);
    EXPECT_GE(record.ended - *record.answered, 10ms);  // three pieces, two waits
    EXPECT_EQ(record.bytes_to_client, ok("123456").size());
}

TEST(HttpLinkThreads, rewrites_headers_and_bodies_and_mends_the_length) {
    const Server server{[](std::string& received) {
        if (received.find("0\r\n\r\n") == std::string::npos) return std::string{};
        received.clear();
        return std::string{"HTTP/1.1 200 OK\r\nServer: real\r\nTransfer-Encoding: chunked\r\n\r\n"
                           "4\r\ngood\r\n0\r\n\r\n"};
    }};
    const auto proxy = before(
        server, {{.fault = Fault::rewrite, .rewrite = {.header = "server", .replace = "other"}},
                 {.fault = Fault::rewrite, .rewrite = {.find = "good", .replace = "better"}},
                 {.fault = Fault::rewrite,
                  .toward = Toward::server,
                  .rewrite = {.header = "x-tenant", .find = "1", .replace = "2"}}});
    Client client{proxy->port()};
    const std::string reply = client.ask(post("/a", "0\r\n\r\n", "X-Tenant: 1\r\n"), "better");
    EXPECT_THAT(reply, HasSubstr("Content-Length: 6\r\n"));
    EXPECT_THAT(reply, HasSubstr("other"));
    EXPECT_THAT(reply, Not(HasSubstr("chunked")));
    EXPECT_THAT(server.heard(), HasSubstr("x-tenant: 2\r\n"));
    EXPECT_THAT(server.heard(), EndsWith("Content-Length: 5\r\n\r\n0\r\n\r\n"));
    EXPECT_EQ(proxy->counters().of(Fault::rewrite), 3);
}

TEST(HttpLinkThreads, cuts_at_a_marker_in_the_request_or_the_reply) {
    const Server server;
    const auto proxy = before(
        server, {{.fault = Fault::cut_at_marker, .match = {.path = "/before"}, .marker = "secret"},
                 {.fault = Fault::cut_at_marker,
                  .match = {.path = "/after"},
                  .marker = "secret",
                  .when = When::after},
                 {.fault = Fault::cut_at_marker,
                  .match = {.path = "/reply"},
                  .marker = "secret",
                  .toward = Toward::client}});
    for (const std::string path : {"/before", "/after", "/reply"}) {
        Client client{proxy->port()};
        client.send(post(path, "a secret word"));
        EXPECT_EQ(client.ending(), Ending::reset) << path;
        EXPECT_THAT(client.rest(), Not(HasSubstr("secret")));
    }
    ASSERT_TRUE(becomes([&] { return server.times("secret") == 2; }));
    EXPECT_EQ(proxy->counters().faults_before_forwarding, 1);
    EXPECT_EQ(proxy->counters().faults_after_forwarding, 2);
    EXPECT_FALSE(request_in(*proxy, 0).forwarded);
    EXPECT_TRUE(request_in(*proxy, 1).forwarded);
}

TEST(HttpLinkThreads, refuses_what_is_no_request_and_passes_on_what_is_no_reply) {
    const Server server{[](std::string& received) {
        received.clear();
        return std::string{"this is no HTTP\r\n"};
    }};
    const auto proxy = before(server, {});
    Client odd{proxy->port()};
    odd.send("GET / HTTP/1.1\nHost: x\n\n");
    EXPECT_EQ(odd.ending(), Ending::orderly);
    EXPECT_THAT(odd.rest(), StartsWith("HTTP/1.1 400 Bad Request\r\n"));
    Client client{proxy->port()};
    EXPECT_EQ(client.ask(get("/"), "\n"), "this is no HTTP\r\n");
    EXPECT_EQ(client.ask("anything", "\n"), "this is no HTTP\r\n");
    EXPECT_EQ(proxy->counters().malformed, 2);
}

TEST(HttpLinkThreads, says_100_continue_itself_since_it_reads_the_body_first) {
    const Server server;
    const auto proxy = before(server, {});
    Client client{proxy->port()};
    const std::string whole = post("/a", "body", "Expect: 100-continue\r\n");
    const std::string head = whole.substr(0, whole.size() - 4);
    EXPECT_EQ(client.ask(head, "\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    EXPECT_EQ(client.ask("body", "body"), ok("body"));
    EXPECT_EQ(server.heard(), post("/a", "body"));
}

TEST(HttpLinkThreads, mirrors_a_server_that_closes_without_a_word) {
    const Server server{[](std::string&) { return std::string{"close"}; }};
    const auto proxy = before(server, {});
    Client client{proxy->port()};
    client.send(get("/"));
    EXPECT_EQ(client.ending(), Ending::orderly);
    EXPECT_EQ(client.rest(), "");
    EXPECT_EQ(proxy->counters().upstream_failed, 1);
    EXPECT_TRUE(request_in(*proxy).forwarded);
}

TEST(HttpLinkThreads, opens_a_tunnel_for_connect) {
    const Server server{[](std::string& received) {
        const bool first = received.starts_with("CONNECT");
        received = first ? "" : received;
        return first ? std::string{"HTTP/1.1 200 OK\r\n\r\n"} : std::exchange(received, {});
    }};
    const auto proxy = before(server, {});
    Client client{proxy->port()};
    client.ask("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", "\r\n\r\n");
    EXPECT_EQ(client.ask("any bytes", "bytes"), "any bytes");
}

TEST(HttpLinkThreads, combines_what_shapes_and_takes_the_first_that_ends) {
    const Server server;
    const auto proxy = before(server, {{.fault = Fault::delay, .delay = 1ms},
                                       {.fault = Fault::inject, .status = 418},
                                       {.fault = Fault::reset_before}});
    Client client{proxy->port()};
    EXPECT_THAT(client.ask(get("/a"), "\r\n\r\n"), StartsWith("HTTP/1.1 418 "));
    const Counters counters = proxy->counters();
    EXPECT_EQ(counters.of(Fault::delay), 1);
    EXPECT_EQ(counters.of(Fault::inject), 1);
    EXPECT_EQ(counters.of(Fault::reset_before), 0);
    EXPECT_EQ(request_in(*proxy).fault, Fault::inject);
}

}  // namespace
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
