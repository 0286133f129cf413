// SPDX-License-Identifier: Apache-2.0
//
// How do bodies get there and back: packed, large, and around answers that come early?
#include "http/asking.hpp"
#include "http/packed.hpp"

namespace perdure::http {
namespace {

class ClientBodies : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Both, ClientBodies, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

TEST_P(ClientBodies, skip_interim_answers) {
    Server server{[](const Seen&) {
        return Reply{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: </x>\r\n\r\n" +
                     ok("real").bytes};
    }};
    Client client{server.url(), plain()};
    EXPECT_EQ(ask(client, Request::post("/").body("x"))->body, "real");
    EXPECT_EQ(ask(client, Request::get("/"))->body, "real");
    EXPECT_EQ(server.connections(), 1);
}

TEST_P(ClientBodies, unpack_bodies_where_that_was_asked_for_and_within_a_bound) {
    Server server{[](const Seen& seen) {
        const std::string text = seen.target == "/bomb" ? std::string(100'000, 'x') : "text";
        if (seen.header("accept-encoding") != "gzip") return ok(text);
        std::string body = packed(text);
        if (seen.target == "/damaged") body[body.size() - 6] ^= 1;
        return ok(body, "Content-Encoding: gzip\r\n");
    }};
    ClientOptions options = plain();
    Client as_it_is{server.url(), options};
    EXPECT_EQ(ask(as_it_is, Request::get("/"))->body, "text");
    options.encoding = AskFor::gzip;
    options.limits.decompressed = 1000;
    Client client{server.url(), options};
    const auto got = ask(client, Request::get("/"));
    ASSERT_TRUE(got) << to_string(got.error());
    EXPECT_EQ(got->body, "text");
    EXPECT_FALSE(got->headers.find("content-encoding"));
    const auto bomb = ask(client, Request::post("/bomb"));
    ASSERT_FALSE(bomb);
    EXPECT_EQ(bomb.error().cause, Cause::too_large);
    EXPECT_EQ(bomb.error().effect, Effect::applied);
    const auto damaged = ask(client, Request::post("/damaged"));
    ASSERT_FALSE(damaged);
    EXPECT_EQ(damaged.error().cause, Cause::corrupt);
    EXPECT_EQ(damaged.error().code, "gzip");
    EXPECT_EQ(damaged.error().effect, Effect::applied);
}

constexpr std::size_t large = 12'000'000;  // more than sockets hold

TEST_P(ClientBodies, go_on_sending_a_large_body_after_an_interim_answer) {
    Server server{[](const Seen& seen) { return ok(std::to_string(seen.body.size())); },
                  {.on_head = [](const Seen&) { return Reply{"HTTP/1.1 100 Continue\r\n\r\n"}; }}};
    Client client{server.url(), plain({.name = "upload", .deadline = 3s, .rule = {.attempts = 1}})};
    const auto got = ask(client, Request::post("/").body(std::string(large, 'x')));
    ASSERT_TRUE(got) << to_string(got.error());
    EXPECT_EQ(got->body, std::to_string(large));
    EXPECT_EQ(client.connections().idle, 1);
}

TEST_P(ClientBodies, read_an_answer_that_comes_before_the_server_has_heard_all) {
    Server server{[](const Seen&) { return ok("never"); }, {.on_head = [](const Seen&) {
                      return Reply{status(413, "too much").bytes, Then::deaf};
                  }}};
    Client client{server.url(), plain({.name = "upload", .deadline = 3s, .rule = {.attempts = 1}})};
    Response last;
    const auto got =
        ask(client, Request::post("/").body(std::string(large, 'x')), {.last_answer = &last});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().cause, Cause::too_large);
    EXPECT_EQ(got.error().effect, Effect::none);
    EXPECT_EQ(last.body, "too much");
    EXPECT_EQ(client.connections().idle, 0) << "nobody knows where the next request would begin";
    EXPECT_EQ(server.requests(), 0);
}

// The connection is reset behind the answer, so that mostly a write finds it: all that was received has to
// be read then, though it takes several steps to unpack. One attempt: a second one could hide the first.
TEST_P(ClientBodies, read_an_early_answer_in_gzip_although_a_write_has_failed) {
    std::string reason(1'000'000, 'x');
    for (unsigned i = 0, word = 1; i < 60'000; ++i, word = word * 1'664'525 + 1'013'904'223)
        reason += static_cast<char>('!' + (word >> 24) % 90);
    const std::string answer = status(413, packed(reason), "Content-Encoding: gzip\r\n").bytes;
    for (int round = 0; round < 5; ++round) {
        Server server{[](const Seen&) { return ok("never"); },
                      {.on_head = [&](const Seen&) { return Reply{answer, Then::close}; }}};
        ClientOptions options = plain({.deadline = 3s, .rule = {.attempts = 1}});
        options.encoding = AskFor::gzip;
        Client client{server.url(), options};
        Response last;
        const auto got =
            ask(client, Request::post("/").body(std::string(large, 'x')), {.last_answer = &last});
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().cause, Cause::too_large) << to_string(got.error());
        EXPECT_EQ(last.body.size(), reason.size());
    }
}

}  // namespace
}  // namespace perdure::http
