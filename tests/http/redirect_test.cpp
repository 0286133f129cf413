// SPDX-License-Identifier: Apache-2.0
#include "http/asking.hpp"

#include <atomic>

namespace perdure::http {
namespace {

class Redirects : public BothWays {
protected:
    static ClientOptions following(int redirects = 3) {
        ClientOptions options = repeating(2);
        options.redirects = redirects;
        return options;
    }
};
INSTANTIATE_TEST_SUITE_P(Both, Redirects, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

Reply move_to(std::string_view where, int code = 302) {
    return status(code, "", "Location: " + std::string{where} + "\r\n");
}

TEST_P(Redirects, are_not_followed_unless_asked_for) {
    Server server{[](const Seen&) { return move_to("/other"); }};
    Client client{server.url(), plain()};
    const auto got = ask(client, Request::get("/"));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, 302);
    EXPECT_EQ(got->headers.find("location"), "/other");
    EXPECT_EQ(server.requests(), 1);
}

TEST_P(Redirects, of_a_post_that_lead_nowhere_do_not_deny_that_it_was_done) {
    const struct {
        int status;
        Effect effect;
    } cases[] = {{303, Effect::applied}, {302, Effect::unknown}};
    for (const auto& each : cases) {
        SCOPED_TRACE(each.status);
        Server server{[&](const Seen& seen) {
            return seen.method == "POST" ? move_to("/gone", each.status) : status(404);
        }};
        Client client{server.url(), following()};
        const auto got = ask(client, Request::post("/").body("once"));
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().status, 404);
        EXPECT_EQ(got.error().effect, each.effect);
    }
}

TEST_P(Redirects, do_not_choose_whom_we_say_we_are) {
    Server there;
    const std::string bare = there.url();
    const std::string with_name = "http://mallory:secret@" + bare.substr(7) + "/";
    std::atomic<int> asked = 0;
    Server here{[&](const Seen&) { return move_to(++asked == 1 ? with_name : bare + "/"); }};
    Client client{here.url(), following()};
    ASSERT_TRUE(ask(client, Request::get("/")));
    ASSERT_TRUE(ask(client, Request::get("/")));
    for (const Seen& seen : there.seen()) EXPECT_EQ(seen.header("authorization"), "");
    EXPECT_EQ(there.requests(), 2);
}

TEST_P(Redirects, become_a_get_where_browsers_make_them_one) {
    const struct {
        int status;
        const char* method;
        const char* then;
    } cases[] = {{301, "GET", "GET"},   {301, "POST", "GET"}, {302, "POST", "GET"},
                 {303, "POST", "GET"},  {303, "PUT", "GET"},  {302, "PUT", "PUT"},
                 {307, "POST", "POST"}, {308, "PUT", "PUT"},  {303, "HEAD", "HEAD"}};
    for (const auto& each : cases) {
        SCOPED_TRACE(std::string{each.method} + " " + std::to_string(each.status));
        Server server{[&](const Seen& seen) {
            return seen.target == "/b/new" ? ok() : move_to("new", each.status);
        }};
        Client client{server.url() + "/b", following()};
        Request request{each.method, "/old"};
        if (*each.method == 'P') request.body("text", "text/plain");
        const auto got = ask(client, request);
        ASSERT_TRUE(got);
        EXPECT_EQ(got->status, 200);
        const Seen last = server.seen().back();
        EXPECT_EQ(last.method, each.then);
        const bool kept = last.method[0] == 'P';
        EXPECT_EQ(last.body, kept ? "text" : "");
        EXPECT_EQ(last.header("content-type"), kept ? "text/plain" : "");
    }
}

TEST_P(Redirects, are_bounded) {
    Server server{[](const Seen&) { return move_to("/again"); }};
    Client client{server.url(), following(3)};
    const auto got = ask(client, Request::get("/"));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, 302);
    EXPECT_EQ(server.requests(), 4);
}

TEST_P(Redirects, never_take_credentials_to_another_origin) {
    Server other;
    Server server{[&](const Seen& seen) {
        return seen.target == "/here" ? move_to(other.url() + "/there") : move_to("/here", 307);
    }};
    Client client{server.url(), following()};
    const auto got = ask(client, Request::get("/")
                                     .header("Authorization", "Bearer secret")
                                     .header("Cookie", "id=1")
                                     .header("X-Mine", "kept"));
    ASSERT_TRUE(got);
    EXPECT_EQ(server.seen().at(1).header("authorization"), "Bearer secret") << "the same origin";
    const Seen there = other.seen().at(0);
    EXPECT_EQ(there.target, "/there");
    EXPECT_EQ(there.header("authorization"), "");
    EXPECT_EQ(there.header("cookie"), "");
    EXPECT_EQ(there.header("x-mine"), "kept");
    EXPECT_EQ(there.header("host"), "127.0.0.1:" + other.port());
}

TEST_P(Redirects, keep_the_urls_own_credentials_within_its_origin_only) {
    Server other;
    Server server{[&](const Seen& seen) {
        return seen.target == "/here" ? move_to(other.url()) : move_to("/here");
    }};
    Client client{"http://me:word@127.0.0.1:" + server.port(), following()};
    ASSERT_TRUE(ask(client, Request::get("/")));
    EXPECT_EQ(server.seen().at(0).header("authorization"), "Basic bWU6d29yZA==");
    EXPECT_EQ(server.seen().at(1).header("authorization"), "Basic bWU6d29yZA==");
    EXPECT_EQ(other.seen().at(0).header("authorization"), "");
}

TEST_P(Redirects, within_an_origin_share_its_connections) {
    Server server{[](const Seen& seen) { return seen.target == "/" ? move_to("/new") : ok(); }};
    Client client{server.url(), following()};
    ASSERT_TRUE(ask(client, Request::get("/")));
    ASSERT_TRUE(ask(client, Request::get("/")));
    EXPECT_EQ(server.connections(), 1);
}

TEST_P(Redirects, take_the_idempotency_key_and_the_named_answers_along) {
    std::atomic<int> asked = 0;
    Server server{[&](const Seen& seen) {
        if (seen.target == "/") return move_to("/new", 307);
        return ++asked == 1 ? status(503) : status(404);
    }};
    Client client{server.url(), following()};
    const auto got = ask(client, Request::post("/").body("x").idempotency_key().answers(404));
    const auto seen = server.seen();
    ASSERT_EQ(seen.size(), 3u);
    EXPECT_NE(seen[0].header("idempotency-key"), "");
    EXPECT_EQ(seen[1].header("idempotency-key"), seen[0].header("idempotency-key"));
    EXPECT_EQ(seen[2].header("idempotency-key"), seen[0].header("idempotency-key"));
    ASSERT_TRUE(got) << to_string(got.error());
    EXPECT_EQ(got->status, 404);
}

TEST_P(Redirects, from_https_to_http_are_the_callers_to_follow) {
    Server open;
    const auto identity = testing::make_identity("IP:127.0.0.1");
    const auto context = testing::make_server(identity);
    const testing::PemFile trusted{identity};
    Server secret{[&](const Seen&) { return move_to(open.url()); }, {.tls = context.get()}};
    ClientOptions options = following();
    options.tls.ca_file = trusted.path();
    Client client{secret.url(), options};
    const auto got = ask(client, Request::get("/"));
    ASSERT_TRUE(got) << to_string(got.error());
    EXPECT_EQ(got->status, 302);
    EXPECT_EQ(open.connections(), 0);
}

TEST_P(Redirects, to_nowhere_are_given_to_the_caller) {
    for (const char* where : {"ftp://x/", "http://", "", "http://a b/"}) {
        SCOPED_TRACE(where);
        Server server{[&](const Seen&) { return move_to(where); }};
        Client client{server.url(), following(1)};
        const auto got = ask(client, Request::get("/"));
        ASSERT_TRUE(got);
        EXPECT_EQ(got->status, 302);
    }
}

TEST_P(Redirects, share_one_deadline) {
    Server server{
        [](const Seen& seen) { return seen.target == "/" ? move_to("/slow") : held(ok()); }};
    ClientOptions options = following();
    options.plan.deadline = 80ms;
    options.plan.rule.attempts = 1;
    Client client{server.url(), options};
    const TimePoint begun = system_clock().now();
    EXPECT_FALSE(ask(client, Request::get("/")));
    EXPECT_LT(system_clock().now() - begun, 580ms);
}

}  // namespace
}  // namespace perdure::http
