// SPDX-License-Identifier: Apache-2.0
//
// What does a client send, what does it give back, and what does it say can have happened?
#include "http/asking.hpp"

#include <atomic>

namespace perdure::http {
namespace {

class ClientCalls : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Both, ClientCalls, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

Reply echo(const Seen& seen) { return ok(seen.method + " " + seen.target + " " + seen.body); }

TEST(Options, that_would_write_a_header_of_their_own_are_refused) {
    ClientOptions options = plain();
    options.user_agent = "x\r\nX-Injected: 1";
    const Client client{"http://127.0.0.1:1", options};
    ASSERT_NE(client.problem(), nullptr);
    EXPECT_EQ(client.problem()->cause, Cause::invalid);
    for (const char* name : {"Host", "Content-Length", "Transfer-Encoding"}) {
        const auto checked = check(Request::post("/").key_header(name).idempotency_key());
        EXPECT_FALSE(checked) << name;
    }
}

TEST_P(ClientCalls, bring_a_request_there_and_its_answer_back) {
    Server server{echo};
    Client client{server.url() + "/base/", plain()};
    const auto got = ask(client, Request::get("/a?b=1"));
    ASSERT_TRUE(got) << to_string(got.error());
    EXPECT_EQ(got->body, "GET /base/a?b=1 ");
    EXPECT_EQ(ask(client, Request::post("/c").body("hello", "text/plain"))->body,
              "POST /base/c hello");
    EXPECT_EQ(ask(client, Request::head("/"))->body, "");
    EXPECT_EQ(server.seen()[1].header("content-type"), "text/plain");
    EXPECT_EQ(server.seen()[1].header("user-agent"), "perdure");
    EXPECT_EQ(server.seen()[1].header("host"), "127.0.0.1:" + server.port());
}

TEST_P(ClientCalls, keep_their_connection_through_failures_that_are_answers) {
    std::atomic<int> code = 400;
    Server server{[&](const Seen&) { return status(code, "no"); }};
    Client client{server.url(), plain()};
    for (code = 400; code < 430; ++code) EXPECT_FALSE(ask(client, Request::get("/")));
    code = 200;
    EXPECT_TRUE(ask(client, Request::get("/")));
    EXPECT_EQ(server.connections(), 1);
    EXPECT_EQ(client.connections().idle, 1);
    EXPECT_EQ(client.connections().in_use, 0);
}

TEST_P(ClientCalls, give_a_status_as_an_answer_where_the_request_says_so) {
    Server server{[](const Seen&) { return status(404, "nobody"); }};
    Client client{server.url(), plain()};
    const auto answer = ask(client, Request::get("/").answers(404));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 404);
    EXPECT_EQ(answer->body, "nobody");

    Response last;
    const auto failed = ask(client, Request::get("/"), {.last_answer = &last});
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().cause, Cause::not_found);
    EXPECT_EQ(failed.error().effect, Effect::none);
    EXPECT_EQ(failed.error().stop, Stop::permanent);
    EXPECT_EQ(last.status, 404);
    EXPECT_EQ(last.body, "nobody");
}

TEST_P(ClientCalls, repeat_what_may_be_repeated_and_nothing_else) {
    std::atomic<int> asked = 0;
    Server server{[&](const Seen&) { return ++asked % 2 ? status(503) : ok("at last"); }};
    Client client{server.url(), repeating(3)};
    EXPECT_EQ(ask(client, Request::get("/"))->body, "at last");
    EXPECT_EQ(asked, 2);
    EXPECT_EQ(server.connections(), 1);
    const auto once = ask(client, Request::post("/").body("x"));
    ASSERT_FALSE(once);
    EXPECT_EQ(once.error().stop, Stop::unsafe);
    EXPECT_EQ(once.error().effect, Effect::unknown);
    EXPECT_EQ(asked, 3);
}

TEST_P(ClientCalls, say_by_what_was_sent_and_answered_what_can_have_happened) {
    const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n";
    const struct {
        const char* name;
        Reply reply;
        Cause cause;
        Effect effect;
        const char* code;
        int status;
    } cases[] = {
        {"reset", {"", Then::reset}, Cause::unavailable, Effect::unknown, "ECONNRESET", 0},
        {"closed", {"", Then::close}, Cause::unavailable, Effect::unknown, "closed", 0},
        {"cut 200",
         {head + "half", Then::close},
         Cause::corrupt,
         Effect::applied,
         "truncated",
         200},
        {"reset 200",
         {head + "half", Then::reset},
         Cause::corrupt,
         Effect::applied,
         "truncated",
         200},
        {"cut 404",
         {"HTTP/1.1 404 No\r\nContent-Length: 10\r\n\r\n", Then::close},
         Cause::corrupt,
         Effect::none,
         "truncated",
         404},
        {"cut 502",
         {"HTTP/1.1 502 No\r\nContent-Length: 10\r\n\r\n", Then::close},
         Cause::corrupt,
         Effect::unknown,
         "truncated",
         502},
        {"cut head",
         {"HTTP/1.1 200 OK\r\nCont", Then::close},
         Cause::corrupt,
         Effect::unknown,
         "truncated",
         0},
        {"cut after interim",
         {"HTTP/1.1 103 Hints\r\n\r\n", Then::close},
         Cause::corrupt,
         Effect::unknown,
         "truncated",
         0},
        {"garbage", {"SSH-2.0-x\r\n\r\n"}, Cause::corrupt, Effect::unknown, "malformed", 0},
        {"bad chunk",
         {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"},
         Cause::corrupt,
         Effect::applied,
         "malformed",
         200},
        {"too large",
         {"HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n"},
         Cause::too_large,
         Effect::applied,
         "too-large",
         200},
    };
    for (const auto& each : cases) {
        SCOPED_TRACE(each.name);
        Server server{[&](const Seen&) { return each.reply; }};
        ClientOptions options = plain();
        options.limits.body = 1000;
        Client client{server.url(), options};
        const auto got = ask(client, Request::post("/").body("x"));
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().cause, each.cause);
        EXPECT_EQ(got.error().effect, each.effect);
        EXPECT_EQ(got.error().code, each.code);
        EXPECT_EQ(got.error().status, each.status);
        EXPECT_EQ(got.error().origin, Origin::network);
        EXPECT_EQ(server.requests(), 1);
        EXPECT_EQ(client.connections().idle, 0);
        EXPECT_EQ(client.connections().in_use, 0);
    }
}

TEST_P(ClientCalls, have_no_effect_where_nobody_listens) {
    std::string url;
    {
        const Server gone;
        url = gone.url();
    }
    Client client{url, plain()};
    Diagnostics diagnostics;
    const auto got = ask(client, Request::post("/").body("x"), {.diagnostics = &diagnostics});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().cause, Cause::unavailable);
    EXPECT_EQ(got.error().effect, Effect::none);
    EXPECT_EQ(got.error().code, "ECONNREFUSED");
    EXPECT_EQ(diagnostics.attempts().at(0).phases->reached, Phase::connect);
    EXPECT_EQ(diagnostics.attempts().at(0).phases->sent, Sent::nothing);
}

TEST_P(ClientCalls, tell_the_server_how_long_they_wait_and_who_repeats) {
    Server server;
    ClientOptions options = plain();
    Client telling{server.url(), options};
    ASSERT_TRUE(ask(telling, Request::get("/")));
    const int left = std::stoi(server.seen()[0].header("perdure-timeout"));
    EXPECT_GT(left, 0);
    EXPECT_LE(left, 1667) << "a third of the deadline";
    EXPECT_EQ(server.seen()[0].header("perdure-retries"), "owner");

    options.tell = Tell::nothing;
    options.user_agent = "";
    Client silent{server.url(), options};
    ASSERT_TRUE(ask(silent, Request::get("/")));
    EXPECT_EQ(server.seen()[1].headers.size(), 1u) << "Host";
}

TEST_P(ClientCalls, send_one_key_for_all_attempts_and_another_for_the_next_call) {
    std::atomic<int> asked = 0;
    Server server{[&](const Seen&) { return ++asked % 3 ? status(503) : ok(); }};
    Client client{server.url(), repeating(3)};
    const auto request = Request::post("/orders").body("x").idempotency_key();
    EXPECT_TRUE(ask(client, request));
    EXPECT_TRUE(ask(client, request));
    EXPECT_TRUE(ask(client, Request::post("/").key_header("Token").idempotency_key("mine")));
    std::vector<std::string> keys;
    for (const Seen& seen : server.seen()) keys.push_back(seen.header("idempotency-key"));
    ASSERT_EQ(keys.size(), 9u);
    EXPECT_GE(keys[0].size(), 16u);
    EXPECT_TRUE(keys[0] == keys[1] && keys[1] == keys[2]);
    EXPECT_TRUE(keys[3] == keys[4] && keys[4] == keys[5]);
    EXPECT_NE(keys[0], keys[3]);
    EXPECT_EQ(keys[6], "");
    EXPECT_EQ(server.seen()[8].header("token"), "mine");
}

TEST_P(ClientCalls, record_where_their_time_went) {
    Server server;
    Client client{server.url(), plain()};
    Diagnostics diagnostics;
    ASSERT_TRUE(ask(client, Request::get("/"), {.name = "first", .diagnostics = &diagnostics}));
    Phases phases = diagnostics.attempts().at(0).phases.value();
    EXPECT_FALSE(phases.reused);
    EXPECT_EQ(phases.sent, Sent::response_begun);
    EXPECT_EQ(phases.reached, Phase::body);
    EXPECT_GT(phases[Phase::first_byte], Duration::zero());
    EXPECT_EQ(phases[Phase::tls], Duration::zero());
    Duration sum{};
    for (const Duration took : phases.took) sum += took;
    EXPECT_EQ(sum, diagnostics.attempts().at(0).took);
    EXPECT_NE(diagnostics.to_json().find("\"phases\":{\"reached\":\"body\""), std::string::npos);

    ASSERT_TRUE(ask(client, Request::get("/"), {.diagnostics = &diagnostics}));
    phases = diagnostics.attempts().at(0).phases.value();
    EXPECT_TRUE(phases.reused);
    EXPECT_EQ(phases[Phase::connect], Duration::zero());
    EXPECT_EQ(client.caller().latencies().count(), 2u);
}

TEST_P(ClientCalls, nested_in_another_attempt_are_made_once) {
    Server server{[](const Seen&) { return status(503); }};
    Client client{server.url(), repeating(4)};
    AttemptLink link{std::stop_token{}};
    const Attempt outer{.deadline = Deadline::in(3s, system_clock().now()),
                        .clock = &system_clock(),
                        .link = &link};
    const auto got = ask(client, Request::put("/").body("x"), {.within = &outer});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().attempts, 1);
    EXPECT_EQ(server.requests(), 1);
    EXPECT_EQ(link.nested(), Effect::unknown) << "it is the outer attempt's now";
    EXPECT_FALSE(ask(client, Request::put("/").body("x"),
                     {.within = &outer, .nested = Nested::own_retries}));
    EXPECT_EQ(server.requests(), 5);
}

TEST_P(ClientCalls, refuse_what_cannot_be_sent_and_say_what_is_wrong_with_the_client) {
    Server server;
    Client client{server.url(), plain()};
    const auto smuggled = ask(client, Request::get("/").header("X", "a\r\nEvil: 1"));
    ASSERT_FALSE(smuggled);
    EXPECT_EQ(smuggled.error().code, "invalid-request");
    EXPECT_EQ(server.connections(), 0);

    Client nowhere{"ftp://example.com", plain()};
    ASSERT_TRUE(nowhere.problem());
    EXPECT_EQ(ask(nowhere, Request::get("/")).error(), *nowhere.problem());
    EXPECT_EQ(nowhere.prewarm(1).error(), *nowhere.problem());
    Client none{std::vector<std::string>{}, plain()};
    EXPECT_EQ(ask(none, Request::get("/")).error().code, "invalid-client");
}

}  // namespace
}  // namespace perdure::http
