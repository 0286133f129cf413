// SPDX-License-Identifier: Apache-2.0
//
// What does a client send, what does it give back, and what does it say can have happened?
#include "http/asking.hpp"

#include <atomic>

#include <zlib.h>

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

TEST_P(ClientCalls, skip_interim_answers) {
    Server server{[](const Seen&) {
        return Reply{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: </x>\r\n\r\n" +
                     ok("real").bytes};
    }};
    Client client{server.url(), plain()};
    EXPECT_EQ(ask(client, Request::post("/").body("x"))->body, "real");
    EXPECT_EQ(ask(client, Request::get("/"))->body, "real");
    EXPECT_EQ(server.connections(), 1);
}

std::string packed(std::string_view text) {
    z_stream zlib{};
    constexpr int gzip = 31;
    deflateInit2(&zlib, 9, Z_DEFLATED, gzip, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&zlib, text.size()), '\0');
    zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    zlib.avail_in = static_cast<uInt>(text.size());
    zlib.next_out = reinterpret_cast<Bytef*>(out.data());
    zlib.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&zlib, Z_FINISH), Z_STREAM_END);
    out.resize(out.size() - zlib.avail_out);
    deflateEnd(&zlib);
    return out;
}

TEST_P(ClientCalls, unpack_bodies_where_that_was_asked_for_and_within_a_bound) {
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

TEST_P(ClientCalls, go_on_sending_a_large_body_after_an_interim_answer) {
    Server server{[](const Seen& seen) { return ok(std::to_string(seen.body.size())); },
                  {.on_head = [](const Seen&) { return Reply{"HTTP/1.1 100 Continue\r\n\r\n"}; }}};
    Client client{server.url(), plain({.name = "upload", .deadline = 3s, .rule = {.attempts = 1}})};
    const auto got = ask(client, Request::post("/").body(std::string(large, 'x')));
    ASSERT_TRUE(got) << to_string(got.error());
    EXPECT_EQ(got->body, std::to_string(large));
    EXPECT_EQ(client.connections().idle, 1);
}

TEST_P(ClientCalls, read_an_answer_that_comes_before_the_server_has_heard_all) {
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

TEST_P(ClientCalls, end_early_when_they_are_stopped_before_they_begin) {
    Server server;
    Client client{server.url(), plain()};
    ASSERT_TRUE(ask(client, Request::get("/")));  // so that a connection is there
    std::stop_source stop;
    stop.request_stop();
    const auto got = ask(client, Request::post("/").body("x"), {.stop = stop.get_token()});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().cause, Cause::cancelled);
    EXPECT_EQ(got.error().stop, Stop::cancelled);
    EXPECT_EQ(got.error().effect, Effect::none);
    EXPECT_EQ(server.requests(), 1);
}

TEST_P(ClientCalls, end_at_once_when_they_are_stopped_while_the_server_works) {
    std::stop_source stop;
    Server server{[&](const Seen&) {
        stop.request_stop();
        return held(ok());
    }};
    Client client{server.url(), repeating(3)};
    const auto got = ask(client, Request::put("/").body("x"), {.stop = stop.get_token()});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().cause, Cause::cancelled);
    EXPECT_EQ(got.error().stop, Stop::cancelled);
    EXPECT_EQ(got.error().effect, Effect::unknown);
    EXPECT_EQ(got.error().attempts, 1);
    EXPECT_TRUE(server.becomes([&] { return server.reset() == 1; })) << "the server need not go on";
    EXPECT_EQ(client.connections().in_use, 0);
}

TEST_P(ClientCalls, that_are_stopped_while_sending_may_have_had_an_effect) {
    std::stop_source stop;
    Server server{[](const Seen&) { return ok(); }, {.on_head = [&](const Seen&) {
                      stop.request_stop();
                      return Reply{"", Then::deaf};
                  }}};
    Client client{server.url(), plain()};
    Diagnostics diagnostics;
    const auto got = ask(client, Request::put("/").body(std::string(large, 'x')),
                         {.stop = stop.get_token(), .diagnostics = &diagnostics});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().cause, Cause::cancelled);
    EXPECT_EQ(got.error().effect, Effect::unknown);
    const Phases phases = diagnostics.attempts().at(0).phases.value();
    EXPECT_EQ(phases.reached, Phase::send);
    EXPECT_EQ(phases.sent, Sent::partly);
    server.release();
    EXPECT_TRUE(server.becomes([&] { return server.reset() == 1; }));
}

TEST_P(ClientCalls, that_time_out_say_in_which_phase) {
    const struct {
        Reply reply;
        const char* code;
        Phase phase;
        Effect effect;
    } cases[] = {
        {held(ok()), "first-byte-timeout", Phase::first_byte, Effect::unknown},
        {{"HTTP/1.1 200 OK\r\n"}, "body-timeout", Phase::body, Effect::unknown},
        {{"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na"},
         "body-timeout",
         Phase::body,
         Effect::applied},
        {{"HTTP/1.1 404 No\r\nContent-Length: 3\r\n\r\na"},
         "body-timeout",
         Phase::body,
         Effect::none},
    };
    for (const auto& each : cases) {
        SCOPED_TRACE(each.reply.bytes);
        Server server{[&](const Seen& seen) { return seen.target == "/" ? each.reply : ok(); }};
        ClientOptions options = repeating(4);
        options.plan.attempt_timeout = 40ms;
        Client client{server.url(), options};
        Diagnostics diagnostics;
        const auto got = ask(client, Request::post("/").body("x"), {.diagnostics = &diagnostics});
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().cause, Cause::timed_out);
        EXPECT_EQ(got.error().code, each.code);
        EXPECT_EQ(got.error().effect, each.effect);
        EXPECT_EQ(diagnostics.attempts().at(0).phases->reached, each.phase);
        EXPECT_TRUE(ask(client, Request::get("/next"))) << "the next call works";
    }
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
