// SPDX-License-Identifier: Apache-2.0
#include "http/asking.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

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

std::vector<std::string> names_in(const Headers& headers) {
    std::vector<std::string> names;
    for (const auto& [name, value] : headers) names.emplace_back(name);
    std::ranges::sort(names);
    return names;
}

TEST_P(Redirects, take_only_a_few_harmless_fields_to_another_origin) {
    Server other;
    Server server{[&](const Seen& seen) {
        return seen.target == "/here" ? move_to(other.url() + "/there") : move_to("/here", 307);
    }};
    Client client{server.url(), following()};
    Request request = Request::get("/");
    for (const char* const secret :
         {"Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "X-Auth-Token",
          "X-Amz-Security-Token", "X-Mine", "traceparent", "Referer", "Content-Type"})
        request.header(secret, "CANARY");
    request.header("Accept", "text/plain").header("Range", "bytes=0-9").header("If-Match", "\"1\"");
    ASSERT_TRUE(ask(client, request));
    EXPECT_EQ(server.seen().at(1).header("x-api-key"), "CANARY") << "the same origin";
    EXPECT_NE(server.seen().at(1).header("perdure-timeout"), "");
    const Seen there = other.seen().at(0);
    EXPECT_EQ(there.target, "/there");
    EXPECT_EQ(names_in(there.headers),
              (std::vector<std::string>{"Accept", "Host", "If-Match", "Range", "User-Agent"}));
    EXPECT_EQ(there.header("host"), "127.0.0.1:" + other.port());
}

TEST_P(Redirects, that_lead_back_do_not_bring_the_secrets_back) {
    std::string first;
    Server other{[&](const Seen&) { return move_to(first + "/back"); }};
    Server server{[&](const Seen& seen) {
        return seen.target == "/back" ? ok() : move_to(other.url(), 307);
    }};
    first = server.url();
    Client client{server.url(), following()};
    ASSERT_TRUE(ask(client, Request::get("/").header("X-Api-Key", "CANARY")));
    EXPECT_EQ(server.seen().at(1).target, "/back");
    EXPECT_EQ(server.seen().at(1).header("x-api-key"), "");
    EXPECT_EQ(server.seen().at(1).header("perdure-timeout"), "");
}

TEST_P(Redirects, take_no_body_to_another_origin_unless_allowed) {
    for (const int code : {307, 308}) {
        SCOPED_TRACE(code);
        Server other;
        Server server{[&](const Seen&) { return move_to(other.url() + "/there", code); }};
        Client client{server.url(), following()};
        Response last;
        const auto got = ask(client, Request::post("/").body("CANARY").idempotency_key(),
                             {.last_answer = &last});
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().cause, Cause::invalid);
        EXPECT_EQ(got.error().effect, Effect::none);
        EXPECT_EQ(got.error().status, code);
        EXPECT_EQ(got.error().code, "redirect-body");
        EXPECT_NE(got.error().message.find(other.url()), std::string::npos) << got.error().message;
        EXPECT_EQ(last.headers.find("location"), other.url() + "/there");
        EXPECT_EQ(other.connections(), 0);
        EXPECT_EQ(server.requests(), 1);
    }
}

TEST_P(Redirects, that_would_take_a_body_away_deny_an_effect_only_with_307_and_308) {
    const struct {
        const char* method;
        int status;
        Effect effect;
    } cases[] = {{"PUT", 301, Effect::unknown},
                 {"PATCH", 302, Effect::unknown},
                 {"PUT", 307, Effect::none},
                 {"PATCH", 308, Effect::none}};
    for (const auto& each : cases) {
        SCOPED_TRACE(std::string{each.method} + " " + std::to_string(each.status));
        Server server{[&](const Seen&) { return move_to("http://127.0.0.2:9/", each.status); }};
        Client client{server.url(), following()};
        const auto got = ask(client, Request{each.method, "/"}.body("x"));
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().code, "redirect-body");
        EXPECT_EQ(got.error().effect, each.effect);
    }
}

TEST_P(Redirects, take_an_allowed_body_along_without_the_idempotency_key) {
    Server other{[](const Seen&) { return status(500); }};
    Server server{[&](const Seen&) { return move_to(other.url(), 307); }};
    ClientOptions options = following();
    options.bodies_to_other_origins = true;
    Client client{server.url(), options};
    for (const bool given : {false, true}) {
        Request request = Request::post("/").body("text", "text/plain").header("X-Api-Key", "no");
        given ? request.idempotency_key("mine") : request.idempotency_key();
        const auto got = ask(client, request);
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().effect, Effect::unknown);
        EXPECT_EQ(got.error().stop, Stop::unsafe) << "without its key a POST is not repeated";
    }
    EXPECT_EQ(other.requests(), 2);
    for (const Seen& seen : other.seen()) {
        EXPECT_EQ(seen.body, "text");
        EXPECT_EQ(seen.header("content-type"), "text/plain");
        EXPECT_EQ(seen.header("idempotency-key"), "");
        EXPECT_EQ(seen.header("x-api-key"), "");
    }
}

TEST_P(Redirects, that_drop_the_body_lead_to_another_origin) {
    Server other;
    Server server{[&](const Seen&) { return move_to(other.url() + "/done", 303); }};
    Client client{server.url(), following()};
    const auto got = ask(client, Request::post("/").body("CANARY", "text/plain"));
    ASSERT_TRUE(got) << to_string(got.error());
    const Seen there = other.seen().at(0);
    EXPECT_EQ(there.method + " " + there.target, "GET /done");
    EXPECT_EQ(there.body, "");
    EXPECT_EQ(there.header("content-type"), "");
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
