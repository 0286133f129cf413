// SPDX-License-Identifier: Apache-2.0
//
// What is said of a call that is stopped or runs out of time?
#include "http/asking.hpp"

namespace perdure::http {
namespace {

class ClientEndings : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Both, ClientEndings, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

constexpr std::size_t more_than_fits = 12'000'000;  // more than sockets hold

TEST_P(ClientEndings, end_early_when_they_are_stopped_before_they_begin) {
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

TEST_P(ClientEndings, end_at_once_when_they_are_stopped_while_the_server_works) {
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

TEST_P(ClientEndings, that_are_stopped_while_sending_may_have_had_an_effect) {
    std::stop_source stop;
    Server server{[](const Seen&) { return ok(); }, {.on_head = [&](const Seen&) {
                      stop.request_stop();
                      return Reply{"", Then::deaf};
                  }}};
    Client client{server.url(), plain()};
    Diagnostics diagnostics;
    const auto got = ask(client, Request::put("/").body(std::string(more_than_fits, 'x')),
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

TEST_P(ClientEndings, that_time_out_say_in_which_phase) {
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

}  // namespace
}  // namespace perdure::http
